// stages/detect/lead_envelope.h — the envelope of one lead, in which beats are searched for, with a second band where
// it is noisy.
#pragma once

#include <future>
#include <optional>
#include <span>
#include <vector>

#include "kernels/detect/noise.h"
#include "stages/detect/detect.h"
#include "stages/detect/detect_options.h"
#include "stages/detect/fused_envelope.h"
#include "stages/quality/lead_silence.h"
#include "stages/quality/quality.h"

namespace beatscan {

struct BlockFacts;

// What an envelope shows in each block of the level.
template <class Context>
struct EnvelopeBlocks {
  Buffer<float, Context> maxima, levels;     // [B]
  Buffer<Snr, Context> snr;                  // [B]
  Buffer<std::int64_t, Context> candidates;  // samples; empty unless they were requested
};

// Lengths in samples that the search for candidates needs.
struct CandidateReach {
  int block, radius, edge, part;
  CandidateReach(const DetectOptions& options, double rate_hz);
};

// How a second band is blended into a lead's envelope.
template <class Context>
struct Blend {
  Buffer<float, Context> levels, sharp_levels, shares;  // [B]
};

// One lead of the search.
template <class Context>
struct SearchedLead {
  LeadSignal lead;  // the samples in which beats are searched for
  EnvelopeBlocks<Context> blocks;
  LeadSilence<Context> silence;
  Buffer<float, Context> noise;    // [B] share of noise in each block
  bool is_noisy = false;           // whether any block has noise
  bool may_blend = false;          // whether any block needs the second band
  Blend<Context> blend;            // empty if nothing is blended in
  std::span<const float> as_read;  // [N] the samples as they are in the recording
  Buffer<float, Context> parts;    // EnvelopeProfile of the lead
  Buffer<float, Context> mended;   // [N] the samples with bridges over still stretches, and without outlying ones;
                                   // empty if neither is
  std::shared_future<SignalQuality> quality;
};

// What to search, and how.
struct EnvelopeRequest {
  const DetectOptions& options;
  const QualityOptions& quality;
  double rate_hz;
  WindowLayout layout;
  CandidateReach reach;
  bool candidates;  // whether candidates of the lead itself are wanted
};

// Measures an envelope, and marks its candidates if they are wanted.
//   silence           see LeadSilence: its blocks have no level
//   wants_candidates  what the request says, unless it is given
template <class Context>
EnvelopeBlocks<Context> measure_blocks(Context& context, EnvelopeWindows<Context>& envelope,
                                       const SilentStretches& silence, const EnvelopeRequest& request,
                                       std::optional<bool> wants_candidates = {});

// Makes the envelope of a lead.
template <class Context>
typename EnvelopeWindows<Context>::Make lead_envelope(Context& context, const SearchedLead<Context>& lead,
                                                      const EnvelopeRequest& request);

// Limits that only few samples exceed, such as those of a converter's overflow.
struct SampleLimits {
  float low, high;
};
// Finds limits for outlying samples, if these are in at most a tenth of the blocks, or in two. The typical range is the
// 90 % quantile of the ranges of the blocks that move. Samples are outlying if they make a range of more than 20
// typical ones. The limits are 3 typical ranges from the typical middle.
std::optional<SampleLimits> limits_of(const std::vector<BlockFacts>& facts);

// Finds the silence of a lead, and bridges its far stretches, because the steps at their ends would hide beats.
template <class Context>
void begin_search(Context& context, SearchedLead<Context>& lead, const QualityOptions& quality, double sample_rate_hz);

// Measures a lead, determines its quality, clamps outlying samples, and blends the second band into its envelope where
// it is noisy. `envelope` keeps the last window.
template <class Context>
void search_lead(Context& context, SearchedLead<Context>& lead, EnvelopeWindows<Context>& envelope,
                 const EnvelopeRequest& request);

}  // namespace beatscan
