// kernels/quality/block_facts.h — facts of blocks: at the recording's own rate, and at 125 Hz. docs/quality.md
// defines the features that they become.
#pragma once

#include <span>

#include "kernels/quality/lead.h"

namespace beatscan::quality {

// Facts at the recording's own rate. Amplitudes are in mV.
struct SampleFacts {
  float missing, flat, rail;  // shares of samples
  float jump;                 // largest min(jump in, jump out) of runs shorter than 0.5 s
  float step;                 // smallest change that is not 0 and not beside a missing sample; NaN of none
  float steep;                // third largest of ten maxima of |change|
  float range;
};

// Facts at 125 Hz, before they are divided by heights. Amplitudes are in mV.
struct BandFacts {
  float height, rise;            // range and largest |change| of `wave`
  float high, muscle, rest;      // median and fourth smallest of ten means
  float high_root, muscle_root;  // root mean squares
  float baseline;                // range
  float mains, energy;           // the larger power at 50 and 60 Hz; sum of squares of `wave`
  float top;                     // largest value of `envelope`
};

// Measures the blocks first .. first + facts.size() - 1 of a lead.
void sample_facts(Cpu&, const LeadView& lead, std::int64_t first, std::span<SampleFacts> facts);
void sample_facts(Cuda&, const LeadView& lead, std::int64_t first, std::span<SampleFacts> facts);

void band_facts(Cpu&, const LeadView& lead, std::int64_t first, std::span<BandFacts> facts);
void band_facts(Cuda&, const LeadView& lead, std::int64_t first, std::span<BandFacts> facts);

}  // namespace beatscan::quality
