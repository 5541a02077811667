#include "app/output/result_facts.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "app/output/run_result.h"
#include "kernels/runtime/parallel_sort.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/robust.h"
#include "stages/quality/quality.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {

std::optional<double> interval_s(const RunResult& result, std::int64_t beat) {
  const auto& r_peaks = result.beats.found.r_peaks;
  if (beat < 0 || beat + 1 >= std::ssize(r_peaks) || !result.input.sample_rate_hz) return std::nullopt;
  if (result.beats.found.broken[beat]) return std::nullopt;  // beats between the two may have been missed
  return static_cast<double>(nearest_sample(r_peaks[beat + 1]) - nearest_sample(r_peaks[beat])) /
         *result.input.sample_rate_hz;
}

std::optional<std::int64_t> longest_interval(const RunResult& result) {
  const auto& found = result.beats.found;
  std::optional<std::int64_t> longest;
  const auto length = [&](std::int64_t beat) { return found.r_peaks[beat + 1] - found.r_peaks[beat]; };
  for (std::int64_t beat = 0; beat + 1 < std::ssize(found.r_peaks); ++beat)
    if (!found.broken[beat] && (!longest || length(beat) > length(*longest))) longest = beat;
  return longest;
}

int latents_of(const RunResult& result) {
  return static_cast<int>(result.scored.rows.latents.size() / std::max<std::size_t>(result.scored.rows.kl.size(), 1));
}

std::string clock_at(const RunResult& result, double seconds) {
  return result.input.signal.start ? time_of_day(*result.input.signal.start, seconds) : "";
}

std::vector<std::string> distinct_lead_names(const RunResult& result) {
  std::vector<std::string> names;
  for (const LeadFacts& lead : result.input.leads) names.push_back(lead.name);
  for (bool are_distinct = false; !are_distinct;) {  // "ECG (1)" may itself be the name of another lead
    std::map<std::string, int> counts;
    for (const auto& name : names) ++counts[name];
    are_distinct = counts.size() == names.size();
    for (std::size_t l = 0; l < names.size(); ++l)
      if (counts[names[l]] > 1) names[l] += " (" + std::to_string(l) + ")";
  }
  return names;
}

bool is_of_classes(const RunResult& result, std::int64_t beat, std::string_view letters) {
  if (letters.empty()) return true;
  return result.classes.findings &&
         letters.find(letter_of(result.classes.findings->beat_classes[beat])) != letters.npos;
}

const char* name_of(Quality quality) {
  switch (quality) {
    case Quality::good:
      return "good";
    case Quality::flat:
      return "flat";
    case Quality::clipped:
      return "clipped";
    case Quality::noisy:
      return "noisy";
    case Quality::missing:
      return "missing";
  }
  return "";
}

AnomalyCounts anomaly_counts(const RunResult& result) {
  AnomalyCounts counts;
  const auto& quality = result.beats.found.quality;
  for (std::size_t row = 0; row < result.beats.kept.size(); ++row) {
    const bool good = !result.scored.ranking || quality[result.beats.kept[row]] == Quality::good;
    counts.good_beats += good;
    (good ? counts.good : counts.poor) += result.scored.scores.anomalous[row];
  }
  return counts;
}

bool is_lower_ventricular(const RunResult& result, std::int64_t row) {
  const auto beat = result.beats.kept[row];
  return result.classes.findings && beat < std::ssize(result.classes.findings->beat_classes) &&
         result.classes.findings->beat_classes[beat] == BeatClass::ventricular &&
         !result.scored.scores.anomalous[row] && result.beats.found.quality[beat] == Quality::good;
}

std::int64_t lower_ventricular_count(const RunResult& result) {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < std::ssize(result.beats.kept); ++row) count += is_lower_ventricular(result, row);
  return count;
}

namespace {

// Returns an integer that decreases as the value increases, and is equal for 0 and -0. The value must not be NaN.
std::uint32_t falling_place(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
  return bits >> 31 ? bits : ~bits & 0x7fffffff;
}

}  // namespace

std::vector<std::int64_t> ranks_in_good_signal(const BeatFacts& beats, const ScoredBeats& scored) {
  if (!scored.ranking) return {};
  std::vector<std::uint64_t> order;  // upper bits: rank of the score among floats, descending; lower bits: row
  for (std::size_t row = 0; row < beats.kept.size(); ++row)
    if (beats.found.quality[beats.kept[row]] == Quality::good)
      order.push_back(std::uint64_t{falling_place(scored.scores.score[row])} << 32 | row);
  parallel_sort(Cpu(), order);
  std::vector<std::int64_t> ranks(beats.kept.size());
  for (std::size_t place = 0; place < order.size(); ++place)
    ranks[order[place] & 0xffffffff] = static_cast<std::int64_t>(place) + 1;
  return ranks;
}

std::vector<std::int64_t> ranks_in_good_signal(const RunResult& result) {
  return result.ranks.empty() ? ranks_in_good_signal(result.beats, result.scored) : result.ranks;
}

namespace {

std::vector<std::pair<Quality, double>> poor_shares(const SignalQuality& quality, std::int64_t samples) {
  std::vector<std::pair<Quality, double>> shares;
  for (const Quality kind : kPoorKinds) shares.push_back({kind, 0});
  const auto share_of = [&](Quality kind) -> double& {
    return std::ranges::find(shares, kind, &std::pair<Quality, double>::first)->second;
  };
  for (const auto& stretch : poor_stretches(quality, samples))
    if (stretch.kind != Quality::missing)
      share_of(stretch.kind) +=
          static_cast<double>(stretch.last - stretch.first - missing_samples(quality, stretch.first, stretch.last));
  share_of(Quality::missing) = static_cast<double>(missing_samples(quality, 0, samples));
  for (auto& [kind, share] : shares) share /= static_cast<double>(samples);
  return shares;
}

}  // namespace

std::vector<std::pair<Quality, double>> poor_shares(const RunResult& result) {
  if (!result.beats.quality) return {};
  return poor_shares(*result.beats.quality, result.input.samples);
}

double analysable_share(const SignalQuality& quality, std::int64_t samples) {
  constexpr double kRounding = 1e-9;  // the rest of 1 after subtracting shares whose sum is 1
  double good = 1;
  for (const auto& [kind, share] : poor_shares(quality, samples)) good -= share;
  return good < kRounding ? 0 : good;
}

std::optional<double> analysable_share(const RunResult& result) {
  if (!result.beats.quality) return std::nullopt;
  return analysable_share(*result.beats.quality, result.input.samples);
}

double anomalous_share(const RunResult& result) {
  return static_cast<double>(result.scored.scores.anomalous_count) /
         static_cast<double>(std::max<std::int64_t>(std::ssize(result.beats.kept), 1));
}

std::optional<HeartRate> heart_rate(const RhythmBeats& beats, std::span<const std::uint8_t> hidden) {
  std::vector<double> intervals;
  for (std::int64_t i = 0; i < interval_count(beats); ++i)
    if (!beats.broken[i] && !(i < std::ssize(hidden) && hidden[i]) && interval_of(beats, i) > 0)
      intervals.push_back(interval_of(beats, i));
  if (intervals.empty()) return std::nullopt;
  const double minute = 60 * beats.sample_rate_hz,
               mean = std::accumulate(intervals.begin(), intervals.end(), 0.0) / static_cast<double>(intervals.size());
  return HeartRate{minute / quantile(intervals, 0.5), minute / mean};
}

std::optional<HeartRate> heart_rate(const RunResult& result) {
  if (!result.input.sample_rate_hz) return std::nullopt;
  const BeatList& found = result.beats.found;
  const RhythmBeats beats{.r_peaks = found.r_peaks,
                          .beat_classes = {},
                          .quality = found.quality,
                          .broken = found.broken,
                          .sample_rate_hz = *result.input.sample_rate_hz};
  return heart_rate(beats, result.rhythm.findings ? result.rhythm.findings->episodes.hidden : IntervalFlags());
}

std::optional<double> median_heart_rate(const RunResult& result) {
  const auto rate = heart_rate(result);
  return rate ? std::optional(rate->median) : std::nullopt;
}

}  // namespace beatscan
