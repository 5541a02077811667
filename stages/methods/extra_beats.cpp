#include "stages/methods/extra_beats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>

#include "kernels/runtime/parallel.h"
#include "stages/beats/detect.h"
#include "stages/beats/envelope_around.h"
#include "stages/common/robust.h"
#include "stages/findings/bursts.h"
#include "stages/findings/steps.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_at.h"
#include "stages/recording/recording.h"
#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kMostTogether = 1.35, kLeastBeside = 0.7, kMostSpread = 0.25;
constexpr std::int64_t kIntervals = 8;  // on either side
constexpr float kAbsent = 0.35F, kRestless = 0.3F;
constexpr float kTail = 0.4F;             // of a beat's own envelope, that reaches the line beside it
constexpr double kAround_s = 6;           // of the beat, within which other beats show what is usual
constexpr std::int64_t kBesideParts = 4;  // parts beside an R peak that are not between beats, about 0.16 s
constexpr std::size_t kFewestAround = 4;  // fewer beats around tell nothing

// The intervals around a beat without the two beside it, sorted.
class IntervalsAround {
 public:
  IntervalsAround(std::span<const double> r_peaks, std::int64_t k) {
    add(r_peaks, std::max<std::int64_t>(k - 1 - kIntervals, 0), k - 1);
    add(r_peaks, k + 1, std::min(k + 1 + kIntervals, std::ssize(r_peaks) - 1));
    std::sort(intervals_.begin(), intervals_.begin() + count_);
  }
  double quantile(double q) const {
    const double place = q * (count_ - 1);
    const int below = static_cast<int>(place), above = std::min(below + 1, count_ - 1);
    return intervals_[below] + (place - below) * (intervals_[above] - intervals_[below]);
  }

 private:
  void add(std::span<const double> r_peaks, std::int64_t from, std::int64_t to) {
    for (std::int64_t i = from; i < to; ++i) intervals_[count_++] = r_peaks[i + 1] - r_peaks[i];
  }
  std::array<double, 2 * kIntervals> intervals_;
  int count_ = 0;  // two at least
};

// Says whether the beats on either side of beat k belong together. Most beats need no quantiles.
bool is_between(std::span<const double> r_peaks, std::int64_t k) {
  const double together = r_peaks[k + 1] - r_peaks[k - 1],
               beside = std::min(r_peaks[k - 1] - r_peaks[k - 2], r_peaks[k + 2] - r_peaks[k + 1]);
  if (together > kMostTogether / kLeastBeside * beside) return false;
  const IntervalsAround intervals(r_peaks, k);
  const double usual = intervals.quantile(0.5), spread = intervals.quantile(0.75) - intervals.quantile(0.25);
  return together <= kMostTogether * usual && beside >= kLeastBeside * usual && spread <= kMostSpread * usual;
}

// Holds what one lead shows of a beat and of the line on either side of it, in envelopes of the beats around.
struct Shown {
  float beat = 1, line = 0;  // a lead that does not tell is taken to show the beat
};

Shown shown_between(const EnvelopeAround& lead, std::span<const double> r_peaks, std::int64_t k) {
  std::vector<double> others;
  for (std::int64_t i = k; i-- > 0 && lead.part_of(r_peaks[i]) > lead.first;) others.push_back(lead.at(r_peaks[i]));
  for (std::int64_t i = k + 1; i < std::ssize(r_peaks) && lead.part_of(r_peaks[i]) + 1 < lead.last(); ++i)
    others.push_back(lead.at(r_peaks[i]));
  if (others.size() < kFewestAround) return {};
  const auto usual = static_cast<float>(quantile(others, 0.5));
  if (!(usual > 0)) return {};
  const auto line = [&](std::int64_t from, std::int64_t to) {
    return lead.largest(lead.part_of(r_peaks[from]) + kBesideParts, lead.part_of(r_peaks[to]) - kBesideParts + 1);
  };
  return {lead.at(r_peaks[k]) / usual, std::max(line(k - 1, k), line(k, k + 1)) / usual};
}

// Says whether half of the leads that are good there lack a beat, and the line is restless where it is seen best.
//   shown  what each of these leads shows
bool is_absent(const std::vector<Shown>& shown) {
  if (shown.size() < 2) return false;
  const Shown& best = *std::ranges::max_element(shown, {}, &Shown::beat);
  const auto lacking = std::ranges::count_if(shown, [](const Shown& its) { return its.beat < kAbsent; });
  return 2 * lacking >= std::ssize(shown) && best.line >= std::max(kRestless, kTail * best.beat);
}

// Tells which of some beats stand in noise and are absent from half of the leads, [C].
template <class Context>
std::vector<std::uint8_t> are_absent(Context& context, const Detection<Context>& detection,
                                     std::span<const std::size_t> leads, std::span<const double> r_peaks,
                                     const std::vector<std::int64_t>& asked, double rate_hz) {
  const int width = detection.profile.width;
  const auto reach = static_cast<std::int64_t>(kAround_s * rate_hz) / width;
  const std::int64_t at_a_time = windows_at_a_time(2 * reach + 1);
  std::vector<std::vector<Shown>> shown(asked.size());
  for (const std::size_t l : leads)
    for (std::int64_t first = 0; first < std::ssize(asked); first += at_a_time) {
      const std::int64_t last = std::min(first + at_a_time, std::ssize(asked));
      std::vector<std::int64_t> starts;
      for (std::int64_t i = first; i < last; ++i)
        starts.push_back(static_cast<std::int64_t>(r_peaks[asked[i]]) / width - reach);
      const auto windows = windows_of(context, detection.profile.leads[l].span(), starts, 2 * reach + 1);
      for (std::int64_t i = first; i < last; ++i) {
        if (quality_at(detection.quality[l], r_peaks[asked[i]]) != Quality::good) continue;
        const auto window = windows.at(i - first);
        shown[i].push_back(
            shown_between({{window.begin(), window.end()}, starts[i - first], width}, r_peaks, asked[i]));
      }
    }
  std::vector<std::uint8_t> absent;
  for (const auto& of_beat : shown) absent.push_back(is_absent(of_beat));
  return absent;
}

}  // namespace

std::vector<std::int64_t> beats_between(std::span<const double> r_peaks) {
  constexpr std::int64_t kGrain = 2048;  // beats
  std::vector<std::uint8_t> is(r_peaks.size(), 0);
  parallel_for(Cpu(), std::ssize(r_peaks) - 4, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first + 2; k < last + 2; ++k) is[k] = is_between(r_peaks, k);
  });
  std::vector<std::int64_t> between;
  for (std::int64_t k = 2; k + 2 < std::ssize(r_peaks); ++k)
    if (is[k] && !is[k - 1] && !is[k + 1]) between.push_back(k);
  return between;
}

template <class Context>
void leave_out_artefacts(Context& context, const Recording<Context>& recording, double rate_hz,
                         Detection<Context>& detection) {
  const auto r_peaks = to_host(context, detection.r_peaks);
  const auto between = beats_between(r_peaks);
  const auto leads = likely_places(detection.quality);
  if (between.empty() || leads.empty()) return;
  std::vector<std::int64_t> all(r_peaks.size()), others;
  std::iota(all.begin(), all.end(), 0);
  std::ranges::set_difference(all, between, std::back_inserter(others));
  const std::vector<std::int64_t> numbers(leads.begin(), leads.end());
  const auto steps = are_steps(context, recording, numbers, {r_peaks, others, between}, rate_hz);
  const auto bursts = are_bursts(context, recording, numbers, r_peaks, between, rate_hz, BurstRule::lone);
  const auto absent = are_absent(context, detection, leads, r_peaks, between, rate_hz);
  std::vector<double> left_out, kept;
  for (std::size_t i = 0; i < between.size(); ++i) {
    const double r_peak = r_peaks[between[i]];
    const bool all_good = std::ranges::all_of(
        leads, [&](std::size_t l) { return quality_at(detection.quality[l], r_peak) == Quality::good; });
    if (!(steps[i] && all_good) && !bursts[i] && !absent[i]) continue;
    left_out.push_back(r_peak);
    detection.artefacts.push_back(std::llround(r_peak));
  }
  if (left_out.empty()) return;
  std::ranges::set_difference(r_peaks, left_out, std::back_inserter(kept));
  detection.r_peaks = from_host(context, kept);
}

#define BEATSCAN_LEAVE_OUT_ARTEFACTS(Context) \
  template void leave_out_artefacts(Context&, const Recording<Context>&, double, Detection<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEAVE_OUT_ARTEFACTS)

}  // namespace beatscan
