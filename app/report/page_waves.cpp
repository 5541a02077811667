#include "app/report/page_waves.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "app/report/page_arrays.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_result.h"

namespace beatscan {
namespace {

constexpr ArraySteps kMilliseconds{0, 0.001};

// Samples [first, second).
using SampleSpan = std::pair<std::int64_t, std::int64_t>;

// Returns the stretches that the page has at full rate, in order and without overlaps.
std::vector<SampleSpan> full_rate_spans(const StoredResult& result) {
  if (result.bin_samples == 1) return {{0, result.samples}};
  std::vector<std::int64_t> centres = result.arrays.finding_places.values;
  for (const std::int64_t beat : result.arrays.strip_beats.values) centres.push_back(result.beats.sample[beat]);
  std::ranges::sort(centres);
  const std::int64_t length = result.arrays.strips.shape.back();
  std::vector<SampleSpan> spans;
  for (const std::int64_t centre : centres) {
    const SampleSpan span{centre - length / 2, centre - length / 2 + length};
    if (!spans.empty() && span.first <= spans.back().second)
      spans.back().second = span.second;
    else
      spans.push_back(span);
  }
  return spans;
}

// Adds the places of one fiducial of some beats.
void add_fiducial(const StoredResult& result, const std::vector<std::int64_t>& beats, const std::string& name,
                  double WaveTimes::*fiducial, PageArrays& arrays) {
  arrays.scaled(name, kMilliseconds, true, [&result, beats, fiducial] {
    std::vector<std::int32_t> places;
    for (const std::int64_t beat : beats)
      places.push_back(
          kMilliseconds(static_cast<float>(result.beats.waves[beat].*fiducial - result.beat_position(beat))));
    return places;
  });
}

void add_non_conducted(const StoredResult& result, PageArrays& arrays) {
  const auto spans = full_rate_spans(result);
  std::vector<std::int32_t> onsets;
  std::vector<float> lengths;
  for (std::int64_t i = 0; i < result.arrays.non_conducted_p.shape[0]; ++i) {
    const auto wave = result.arrays.non_conducted_p.row(i);
    const auto span = std::ranges::upper_bound(spans, wave[0], {}, &SampleSpan::first);
    if (span == spans.begin() || wave[0] >= std::prev(span)->second) continue;
    onsets.push_back(static_cast<std::int32_t>(wave[0]));
    lengths.push_back(static_cast<float>(result.position(static_cast<double>(wave[1] - wave[0]))));
  }
  arrays.packed.differences("non_conducted", [onsets] { return onsets; });
  arrays.scaled("non_conducted_s", kMilliseconds, false, [lengths] { return in_steps(lengths, kMilliseconds); });
}

}  // namespace

std::vector<std::int64_t> beats_with_waves(const StoredResult& result) {
  constexpr double kReach_s = 0.8;  // a wave reaches into a strip from a beat beyond its end
  const auto reach = static_cast<std::int64_t>(kReach_s * result.rate_hz.value_or(0));
  const auto& samples = result.beats.sample;
  std::vector<std::int64_t> beats;
  std::int64_t next = 0;
  for (const auto& [first, end] : full_rate_spans(result)) {
    next = std::max(next, std::ranges::lower_bound(samples, first - reach) - samples.begin());
    for (; next < result.beats.size() && samples[next] < end + reach; ++next) beats.push_back(next);
  }
  return beats;
}

std::int64_t beats_with_pr(const StoredResult& result) {
  const auto& beats = result.beats;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < beats.waves.size(); ++i)
    count += beats.kept[i] && beats.quality[i] == Quality::good && beats.beat_class[i] == 'N' &&
             !std::isnan(beats.waves[i].p_onset) && !std::isnan(beats.waves[i].qrs_onset);
  return count;
}

void add_waves(const StoredResult& result, PageArrays& arrays) {
  if (result.beats.waves.empty()) return;
  const auto beats = beats_with_waves(result);
  arrays.packed.differences("wave_beats", [beats] { return std::vector<std::int32_t>(beats.begin(), beats.end()); });
  for (const auto& [name, fiducial] : {std::pair{"p_onset", &WaveTimes::p_onset},
                                       {"p_end", &WaveTimes::p_end},
                                       {"qrs_onset", &WaveTimes::qrs_onset},
                                       {"qrs_end", &WaveTimes::qrs_end},
                                       {"t_peak", &WaveTimes::t_peak},
                                       {"t_end", &WaveTimes::t_end}})
    add_fiducial(result, beats, name, fiducial, arrays);
  if (!result.arrays.non_conducted_p.values.empty()) add_non_conducted(result, arrays);
}

}  // namespace beatscan
