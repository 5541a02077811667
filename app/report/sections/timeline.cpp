#include "app/report/sections/timeline.h"

#include <algorithm>
#include <cmath>

#include "app/report/stored/stored_findings.h"
#include "app/report/stored/stored_result.h"
#include "kernels/signal/signal_part.h"
#include "stages/common/duration.h"

namespace beatscan {
namespace {

constexpr double kLeastCourse_s = 60;  // a shorter recording has no course of its heart rate

void count_beats(const StoredResult& result, double width, std::vector<Window>& windows) {
  const auto& beats = result.beats;
  for (std::int64_t i = 0; i < beats.size(); ++i) {
    auto& window = windows[std::min<std::size_t>(result.beat_position(i) / width, windows.size() - 1)];
    ++window.beats;
    window.scored += beats.kept[i];
    window.abnormal += beats.anomalous[i];
    const auto kind = beats.kind.empty() ? kKindLetters.npos : kKindLetters.find(beats.kind[i]);
    if (kind != kKindLetters.npos) ++window.kinds[kind];
  }
}

void measure_rates(const StoredResult& result, double width, std::vector<Window>& windows) {
  const auto& rr = result.beats.rr_next;
  std::vector<double> seconds(windows.size());
  std::vector<std::int64_t> intervals(windows.size());
  double sum = 0;  // the last intervals in a row, at most kRateIntervals of them
  int in_row = 0;
  for (std::int64_t i = 0; i < result.beats.size(); ++i) {
    if (!std::isfinite(rr[i])) {
      sum = in_row = 0;
      continue;
    }
    const auto at = [&](std::int64_t beat) {
      return std::min<std::size_t>(result.beat_position(beat) / width, windows.size() - 1);
    };
    seconds[at(i)] += rr[i];
    ++intervals[at(i)];
    sum += rr[i];
    if (++in_row > kRateIntervals) sum -= rr[i - kRateIntervals];
    if (in_row < kRateIntervals) continue;
    auto& window = windows[at(i - kRateIntervals / 2)];
    const double rate = 60 * kRateIntervals / sum;
    window.slowest = std::fmin(window.slowest, rate);  // fmin and fmax of a NaN and a number are the number
    window.fastest = std::fmax(window.fastest, rate);
  }
  for (std::size_t i = 0; i < windows.size(); ++i)
    if (seconds[i] > 0) windows[i].mean_rate = 60 * static_cast<double>(intervals[i]) / seconds[i];
}

// Adds the share of each window that a stretch takes to a member of the window.
template <class Stretch>
void add_share(const Stretch& stretch, double width, double Window::*share, std::vector<Window>& windows) {
  for (auto i = static_cast<std::size_t>(stretch.from / width); i < windows.size(); ++i) {
    auto& window = windows[i];
    if (window.from >= stretch.to) break;
    window.*share += std::max(0.0, std::min(stretch.to, window.to) - std::max(stretch.from, window.from)) /
                     (window.to - window.from);
  }
}

void add_stretches(const StoredResult& result, double width, std::vector<Window>& windows) {
  for (const auto& stretch : result.poor) add_share(stretch, width, &Window::poor, windows);
  for (const auto& episode : result.episodes.value_or(std::vector<StoredEpisode>()))
    if (episode.label == "AFIB") add_share(episode, width, &Window::fibrillation, windows);
}

}  // namespace

bool has_rate_panel(const StoredResult& result) { return result.rate_hz && result.length() >= kLeastCourse_s; }

double window_width(const StoredResult& result, int most) {
  const double least = result.length() / most;
  if (result.rate_hz) {
    if (result.length() < kLeastCourse_s && least <= 1) return 1;
    for (const double width : {10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600})
      if (width >= least) return width;
    return 3600 * std::ceil(least / 3600);
  }
  for (double power = 1;; power *= 10)
    for (const double factor : {1, 2, 5})
      if (factor * power >= least) return factor * power;
}

std::vector<Window> windows_of(const StoredResult& result, double width) {
  std::vector<Window> windows;
  for (double i = 0; i * width < result.length(); ++i)
    windows.push_back({i * width, std::min((i + 1) * width, result.length())});
  count_beats(result, width, windows);
  if (result.rate_hz) measure_rates(result, width, windows);
  add_stretches(result, width, windows);
  return windows;
}

}  // namespace beatscan
