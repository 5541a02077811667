// tests/support/recorded_leads.h — recordings of given samples.
#pragma once

#include <numeric>
#include <vector>

#include "app/synthetic/generate.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

template <class Context>
Recording<Context> recording_of_leads(Context& context, const std::vector<std::vector<float>>& leads) {
  Recording<Context> recording;
  for (const auto& lead : leads) {
    recording.leads.emplace_back();
    recording.leads.back().samples = from_host(context, lead);
  }
  return recording;
}

// Returns the indices of all leads, or of other items, from 0.
inline std::vector<std::int64_t> numbers_below(std::int64_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Returns a minute of ECG, with a beat about every 0.8 s.
inline std::vector<float> synthetic_minute(int rate_hz, double abnormal) {
  std::vector<float> x(60 * rate_hz);
  SyntheticEcg(std::ssize(x), rate_hz, abnormal, 3).render(0, x);
  return x;
}

}  // namespace beatscan
