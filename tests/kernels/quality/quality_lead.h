// tests/kernels/quality/quality_lead.h — leads for tests of quality, in a context's memory.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/quality/lead.h"

namespace beatscan::quality {

// A lead in the context's memory; `lead` refers to the rest.
template <class Context>
struct QualityLead {
  Tables<Context> tables;
  Buffer<float, Context> samples;
  Buffer<std::int64_t, Context> firsts, lasts;
  LeadView lead;

  // gaps: first and last missing sample of each
  QualityLead(Context& context, const std::vector<float>& x, double rate_hz, double mv_per_unit = 1,
              const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps = {})
      : tables(quality_tables(context, rate_hz)), samples(from_host(context, x)) {
    std::vector<std::int64_t> first, last;
    for (const auto& gap : gaps) first.push_back(gap.first), last.push_back(gap.second);
    firsts = from_host(context, first);
    lasts = from_host(context, last);
    lead = lead_of(tables, samples, firsts, lasts, rate_hz, mv_per_unit);
  }
};

// Returns seconds of beats, one each 0.8 s from 0.5 s on: an R wave of 1 mV and 12 ms, an S wave behind
// it, and noise of a few uV.
inline std::vector<float> quality_beats(double rate_hz, double seconds) {
  std::vector<float> x(static_cast<std::size_t>(seconds * rate_hz));
  unsigned noise = 5;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = static_cast<double>(i) / rate_hz, beat = 0.5 + 0.8 * std::floor(at / 0.8 + 0.5 - 0.5 / 0.8);
    const double r = (at - beat) / 0.012, s = (at - beat - 0.03) / 0.01;
    noise = noise * 1'664'525 + 1'013'904'223;
    x[i] =
        static_cast<float>(std::exp(-0.5 * r * r) - 0.3 * std::exp(-0.5 * s * s) + 0.01 * (noise / 4294967296.0 - 0.5));
  }
  return x;
}

}  // namespace beatscan::quality
