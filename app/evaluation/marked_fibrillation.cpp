#include "app/evaluation/marked_fibrillation.h"

#include <algorithm>

#include "app/common/numbers.h"
#include "app/evaluation/annotations.h"
#include "app/evaluation/truth.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFewBeats = 8;  // within fibrillation; with more, the marks are unreliable

// Returns the marked segments, in order. Brackets and a rhythm change may mark the same one.
std::vector<Episode> stretches_of(const std::vector<LabelledStretch>& marks) {
  std::vector<Episode> stretches;
  for (const auto& [start, end, label] : marks) {
    if (!is_fibrillation(label) || !(end > start)) continue;
    if (stretches.empty() || start > stretches.back().end)
      stretches.push_back({.start = start, .end = end, .label = EpisodeLabel::ventricular_fibrillation});
    Episode& last = stretches.back();
    last.end = std::max(last.end, end);
    if (label == "VFL") last.label = EpisodeLabel::ventricular_flutter;
  }
  return stretches;
}

// Returns the times between a marked segment and its neighbouring beats, if long; between two segments, the time
// between them.
std::vector<Episode> asystole_near(const std::vector<Episode>& stretches, std::span<const double> r_peaks,
                                   double longest) {
  std::vector<Episode> found;
  const auto add = [&](double start, double end) {
    if (end - start > longest) found.push_back({.start = start, .end = end, .label = EpisodeLabel::asystole});
  };
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const auto before = std::ranges::lower_bound(r_peaks, stretches[i].start);
    const auto behind = std::ranges::upper_bound(r_peaks, stretches[i].end);
    const bool beat_before = before != r_peaks.begin();
    if (beat_before && (i == 0 || *(before - 1) > stretches[i - 1].end)) add(*(before - 1), stretches[i].start);
    const bool is_last = i + 1 == stretches.size();
    if (behind != r_peaks.end() && (is_last || *behind < stretches[i + 1].start))
      add(stretches[i].end, *behind);
    else if (!is_last)
      add(stretches[i].end, stretches[i + 1].start);
  }
  return found;
}

std::string seconds(double sample, double rate_hz) { return fixed(sample / rate_hz, 1) + " s"; }

}  // namespace

MarkedFibrillation marked_fibrillation(const std::filesystem::path& path, std::span<const double> r_peaks,
                                       double sample_rate_hz, double asystole_s) {
  MarkedFibrillation marked;
  marked.evidence.silent.assign(r_peaks.size() - 1, 1);
  if (is_csv(path)) return marked;
  const auto marks = read_rhythms(path, {sample_rate_hz}, std::nullopt);
  const auto stretches = stretches_of(marks);
  for (const auto& [start, end, label] : marks)
    if (is_fibrillation(label) && !(end > start))
      marked.warnings.push_back("ventricular fibrillation is marked at " + seconds(start, sample_rate_hz) +
                                ", with no end: how long it lasts is not known");
  for (const Episode& its : stretches) {
    const auto beats = std::ranges::upper_bound(r_peaks, its.end) - std::ranges::lower_bound(r_peaks, its.start);
    if (beats > kFewBeats)
      marked.warnings.push_back(grouped(beats, "beat") +
                                " are listed in ventricular fibrillation, which is marked from " +
                                seconds(its.start, sample_rate_hz) + " to " + seconds(its.end, sample_rate_hz) +
                                ": a mark of its end may be missing");
  }
  if (!stretches.empty()) marked.end = stretches.back().end;
  marked.evidence.episodes = stretches;
  const auto asystole = asystole_near(stretches, r_peaks, asystole_s * sample_rate_hz);
  marked.evidence.episodes.insert(marked.evidence.episodes.end(), asystole.begin(), asystole.end());
  std::ranges::stable_sort(marked.evidence.episodes, {}, &Episode::start);
  return marked;
}

}  // namespace beatscan
