#include "stages/recording/few_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "stages/common/one_line.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kBlock_s = 2;
constexpr std::int64_t kMostBlocks = 240;
constexpr double kMoves = 0.05;  // of the upper quartile of the blocks' ranges

struct BlockValues {
  double range, distinct;
};

BlockValues values_of(std::vector<float> samples) {
  std::ranges::sort(samples);
  const double range = double{samples.back()} - samples.front();
  return {range, static_cast<double>(std::unique(samples.begin(), samples.end()) - samples.begin())};
}

}  // namespace

template <class Context>
double distinct_values(Context& context, std::span<const float> samples, double rate_hz) {
  const auto block = std::max<std::int64_t>(std::llround(kBlock_s * rate_hz), 1);
  const std::int64_t blocks = std::ssize(samples) / block, step = blocks / kMostBlocks + 1;
  std::vector<BlockValues> found;
  std::vector<double> ranges, counts;
  for (std::int64_t b = 0; b < blocks; b += step) {
    found.push_back(values_of(to_host(context, samples.subspan(b * block, block))));
    ranges.push_back(found.back().range);
  }
  if (found.empty()) return 0;
  const double least = kMoves * quantile(ranges, 0.75);
  for (const BlockValues& its : found)
    if (its.range > least) counts.push_back(its.distinct);
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
                       " different values in 2 s (median): it was rounded too coarsely, and steps of rounding look "
                       "like beats, so beats, kinds and rhythms may be false; save it with finer steps");
  }
  return warnings;
}

#define BEATSCAN_FEW_VALUES(Context)                                         \
  template double distinct_values(Context&, std::span<const float>, double); \
  template std::vector<std::string> few_values_warnings(Context&, const Recording<Context>&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FEW_VALUES)

}  // namespace beatscan
