#include "stages/findings/steps.h"

#include <algorithm>
#include <cmath>

#include "kernels/lists/gather.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"
#include "stages/recording/windows.h"

namespace beatscan {
namespace {

constexpr double kStep_s = 0.010;                  // time of a step
constexpr double kNear_s = 0.150;                  // of the R peak to the step
constexpr double kBefore_s = 0.050;                // looked at before the step
constexpr double kAfter_s = 0.150;                 // looked at after the step
constexpr double kUsualNear_s = 0.060;             // of an R peak to the steepest part of its beat
constexpr double kLeastOfRange = 0.65;             // share of the range
constexpr double kMostBeside = 0.25;               // share of the step that other changes have
constexpr double kLeastOfUsual = 0.2;              // shares of the usual change
constexpr double kMostOfUsual = 0.45;              // in a lead without a step
constexpr std::int64_t kMeasuredUsualBeats = 256;  // at most

// Lengths in samples.
struct StepLengths {
  std::int64_t step, near, before, after;
};

StepLengths lengths_at(double rate_hz) {
  const auto samples = [=](double time_s) { return std::llround(time_s * rate_hz); };
  const auto step = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(kStep_s * rate_hz - 1e-9)), 1);
  return {step, std::max<std::int64_t>(samples(kNear_s), step), samples(kBefore_s), samples(kAfter_s)};
}

// Works out the changes within `step` samples.
void changes_of(std::span<const float> window, std::int64_t step, std::vector<float>& changes) {
  changes.resize(std::max<std::int64_t>(std::ssize(window) - step, 0));
  for (std::int64_t i = 0; i < std::ssize(changes); ++i) changes[i] = window[i + step] - window[i];
}

enum class Shown { step, little, much };  // little: a beat would change the lead by more

// Tells what a window around an R peak shows.
//   usual    largest change of a usual beat
//   changes  is overwritten
Shown shown_in(std::span<const float> window, const StepLengths& lengths, double usual, std::vector<float>& changes) {
  changes_of(window, lengths.step, changes);
  const auto first = changes.begin() + lengths.before, last = changes.end() - lengths.step - lengths.after;
  const auto steepest = std::max_element(first, last, [](float a, float b) { return std::abs(a) < std::abs(b); });
  const double size = std::abs(*steepest), sign = *steepest < 0 ? -1 : 1;
  const std::int64_t at = steepest - changes.begin();
  const auto around = window.subspan(at - lengths.before, lengths.before + lengths.step + lengths.after + 1);
  const auto [least, most] = std::ranges::minmax(around);
  double beside = 0;
  for (std::int64_t i = at - lengths.before; i <= at + lengths.after; ++i) {
    const bool is_over = i < at - lengths.step || i >= at + lengths.step;
    const double change = sign * changes[i];
    if (change < 0 || is_over) beside = std::max(beside, std::abs(change));
  }
  const bool is_step = size > 0 && size >= kLeastOfRange * (double{most} - least) && beside <= kMostBeside * size;
  if (is_step && size > kLeastOfUsual * usual) return Shown::step;
  return size > kMostOfUsual * usual ? Shown::much : Shown::little;
}

// Returns the median of the usual beats' largest changes; 0 where there is no such beat.
template <class Context>
double usual_change(Context& context, std::span<const float> samples, const StepBeats& beats, std::int64_t step,
                    double rate_hz) {
  const auto some = some_of(beats.usual, kMeasuredUsualBeats);
  if (some.empty()) return 0;
  const auto near = std::llround(kUsualNear_s * rate_hz);
  const auto windows = windows_around(context, samples, beats.r_peaks, some, near, near + step);
  std::vector<double> largest;
  std::vector<float> changes;
  for (std::int64_t i = 0; i < std::ssize(some); ++i) {
    double its = 0;
    changes_of(windows.at(i), step, changes);
    for (const float change : changes) its = std::max<double>(its, std::abs(change));
    largest.push_back(its);
  }
  return quantile(largest, 0.5);
}

}  // namespace

template <class Context>
std::vector<std::uint8_t> are_steps(Context& context, const Recording<Context>& recording,
                                    std::span<const std::int64_t> leads, const StepBeats& beats,
                                    double sample_rate_hz) {
  const std::int64_t count = std::ssize(beats.asked);
  const auto lengths = lengths_at(sample_rate_hz);
  std::vector<std::uint8_t> steps(count, 0), beat_is_seen(count, 0);
  if (count == 0) return steps;
  for (const std::int64_t l : leads) {
    const auto samples = recording.leads[l].samples.span();
    const double usual = usual_change(context, samples, beats, lengths.step, sample_rate_hz);
    const std::int64_t before = lengths.near + lengths.before, after = lengths.near + lengths.step + lengths.after,
                       at_a_time = windows_at_a_time(before + after + 1);
    for (std::int64_t first = 0; first < count; first += at_a_time) {
      const auto some = std::span(beats.asked).subspan(first, std::min(at_a_time, count - first));
      const auto windows = windows_around(context, samples, beats.r_peaks, some, before, after);
      parallel_for(Cpu(), std::ssize(some), kWindowsAThread, [&](std::int64_t from, std::int64_t to) {
        std::vector<float> changes;
        for (std::int64_t i = from; i < to; ++i) {
          const Shown shown = shown_in(windows.at(i), lengths, usual, changes);
          steps[first + i] |= shown == Shown::step;
          beat_is_seen[first + i] |= shown == Shown::much;
        }
      });
    }
  }
  for (std::int64_t i = 0; i < count; ++i)
    if (beat_is_seen[i]) steps[i] = 0;
  return steps;
}

#define BEATSCAN_ARE_STEPS(Context)                                                                                \
  template std::vector<std::uint8_t> are_steps(Context&, const Recording<Context>&, std::span<const std::int64_t>, \
                                               const StepBeats&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ARE_STEPS)

}  // namespace beatscan
