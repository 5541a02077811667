#include "app/evaluation/ec57/marked_beats.h"

#include <algorithm>
#include <cmath>

namespace beatscan::ec57 {

Period period_of(double sample_rate_hz, std::int64_t end, double tolerance_ms) {
  const auto samples = [&](double seconds) {
    return static_cast<std::int64_t>(std::floor(seconds * sample_rate_hz + 0.5));
  };
  return {samples(kLearning_s), end, samples(tolerance_ms / 1000), sample_rate_hz};
}

std::optional<char> label_of(char symbol) {
  constexpr std::string_view kSymbols = "NLRBAaJSejnVErF/fQ?", kLabels = "NNNNSSSSSSSVVVFQQQQ";
  static_assert(kSymbols.size() == kLabels.size());
  const auto at = kSymbols.find(symbol);
  return at == kSymbols.npos ? std::nullopt : std::optional(kLabels[at]);
}

namespace {

// Sets the RR intervals.
void set_intervals(MarkedBeats& marked) {
  std::vector<std::int64_t> starts;
  for (const auto* stretches : {&marked.shutdown, &marked.fibrillation})
    for (const Stretch& stretch : *stretches) starts.push_back(stretch.start);
  std::ranges::sort(starts);
  for (std::size_t i = 1; i < marked.beats.size(); ++i) {
    const std::int64_t from = marked.beats[i - 1].sample, to = marked.beats[i].sample;
    const auto start = std::ranges::lower_bound(starts, from);
    if (start == starts.end() || *start >= to) marked.beats[i].rr = to - from;
  }
}

}  // namespace

MarkedBeats marked_beats(std::span<const Annotation> annotations, std::int64_t match_window) {
  MarkedBeats marked;
  const auto is_start = [](const Annotation& mark) { return mark.symbol == '~' && is_unreadable(mark.subtype); };
  for (auto mark = annotations.begin(); mark != annotations.end(); ++mark) {
    if (const auto label = label_of(mark->symbol)) {
      marked.beats.push_back({mark->sample, *label});
    } else if (mark->symbol == '[') {
      const auto end = std::ranges::find(mark, annotations.end(), ']', &Annotation::symbol);
      marked.fibrillation.push_back({mark->sample, end == annotations.end() ? kNever : end->sample});
      if (end == annotations.end()) break;
      mark = end;
    } else if (is_start(*mark)) {
      const auto next = mark + 1;
      if (next == annotations.end()) {
        marked.shutdown.push_back({mark->sample, kNever});
      } else if (next->symbol == '~' && !is_start(*next)) {
        marked.shutdown.push_back({mark->sample, next->sample});
        mark = next;
      } else {
        const std::int64_t beat = marked.beats.empty() ? 0 : marked.beats.back().sample;
        const std::int64_t flutter = marked.fibrillation.empty() ? 0 : marked.fibrillation.back().end;
        const std::int64_t end = next->sample - match_window;
        marked.shutdown.push_back({std::min(std::max(beat, flutter) + match_window, end), end});
      }
    }
  }
  set_intervals(marked);
  return marked;
}

}  // namespace beatscan::ec57
