#include "stages/io/recording/few_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/common/one_line.h"
#include "stages/common/robust.h"
#include "stages/io/recording/recording.h"
#include "stages/io/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kBlock_s = 2;
constexpr std::int64_t kMostBlocks = 240;
constexpr double kMoves = 0.05;  // of the upper quartile of the blocks' ranges

// More values are not counted, since only kFewValues matter: the median of two counts is then the same side of it.
constexpr std::size_t kMostCounted = 32;

double range_of_block(std::span<const float> samples) {
  const auto [least, most] = std::ranges::minmax(samples);
  return double{most} - least;
}

double count_distinct(std::span<const float> samples) {
  std::vector<float> found;
  for (const float value : samples) {
    if (std::ranges::find(found, value) == found.end()) found.push_back(value);
    if (found.size() == kMostCounted) break;
  }
  return static_cast<double>(found.size());
}

}  // namespace

template <class Context>
double distinct_values(Context& context, std::span<const float> samples, double rate_hz) {
  const auto block = std::max<std::int64_t>(std::llround(kBlock_s * rate_hz), 1);
  const std::int64_t blocks = std::ssize(samples) / block, step = blocks / kMostBlocks + 1;
  if (blocks == 0) return 0;
  std::vector<std::int64_t> starts;
  for (std::int64_t b = 0; b < blocks; b += step) starts.push_back(b * block);
  const Windows windows = windows_of(context, samples, starts, block);
  std::vector<double> ranges, counts;
  for (std::int64_t i = 0; i < std::ssize(starts); ++i) ranges.push_back(range_of_block(windows.at(i)));
  const double least = kMoves * quantile(ranges, 0.75);
  for (std::int64_t i = 0; i < std::ssize(starts); ++i)
    if (ranges[i] > least) counts.push_back(count_distinct(windows.at(i)));
  return counts.empty() ? 0 : quantile(counts, 0.5);
}

template <class Context>
std::vector<std::string> few_values_warnings(Context& context, const Recording<Context>& recording, double rate_hz) {
  std::vector<std::string> warnings;
  for (const auto& lead : recording.leads) {
    const double values = distinct_values(context, lead.samples.span(), rate_hz);
    if (values == 0 || values >= kFewValues) continue;
    const std::string name = recording.leads.size() == 1 ? "the signal" : "lead '" + in_one_line(lead.name) + "'";
    warnings.push_back(name + " has only " + std::to_string(std::llround(values)) +
                       " different values in 2 s: rounded too coarsely, beats may be steps of rounding");
  }
  return warnings;
}

#define BEATSCAN_FEW_VALUES(Context)                                         \
  template double distinct_values(Context&, std::span<const float>, double); \
  template std::vector<std::string> few_values_warnings(Context&, const Recording<Context>&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FEW_VALUES)

}  // namespace beatscan
