#include "app/report/stored/stored_signal.h"

#include <algorithm>
#include <limits>

#include "app/report/stored/stored_result.h"

namespace beatscan {

std::optional<std::vector<float>> stored_signal(const StoredResult& result, std::int64_t lead, std::int64_t first,
                                                std::int64_t end) {
  std::vector<float> values(end - first, std::numeric_limits<float>::quiet_NaN());
  const std::int64_t begin = std::max<std::int64_t>(first, 0), last = std::min(end, result.samples);
  if (begin >= last) return values;
  if (result.bin_samples_of(lead) == 1) {
    const auto bins = result.envelope(lead);
    for (auto i = begin; i < last; ++i) values[i - first] = bins.low(i);
    return values;
  }
  const std::int64_t length = result.arrays.strips.shape.back();
  const auto taken = [&](std::int64_t centre, auto&& strip) {
    const std::int64_t start = centre - length / 2;
    if (start > begin || start + length < last) return false;
    const std::span<const float> samples = strip();
    std::copy(samples.begin() + (begin - start), samples.begin() + (last - start), values.begin() + (begin - first));
    return true;
  };
  for (std::int64_t f = 0; f < result.finding_strips(); ++f)
    if (taken(result.arrays.finding_places.values[f], [&] { return result.finding_strip(lead, f); })) return values;
  for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k)
    if (taken(result.beats.sample[result.arrays.strip_beats.values[k]], [&] { return result.strip(lead, k); }))
      return values;
  return std::nullopt;
}

}  // namespace beatscan
