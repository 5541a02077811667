#include "stages/findings/steps.h"

#include <algorithm>
#include <cmath>

#include "kernels/detection/step_signs.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/buffer.h"
#include "stages/common/robust.h"
#include "stages/recording/recording.h"

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

StepRule rule_at(double rate_hz) {
  const auto samples = [=](double time_s) { return std::llround(time_s * rate_hz); };
  const auto step = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(kStep_s * rate_hz - 1e-9)), 1);
  return {.step = step,
          .near = std::max<std::int64_t>(samples(kNear_s), step),
          .before = samples(kBefore_s),
          .after = samples(kAfter_s),
          .of_range = kLeastOfRange,
          .beside = kMostBeside,
          .of_usual = kLeastOfUsual,
          .like_usual = kMostOfUsual};
}

// Returns the samples of the R peaks of some beats.
std::vector<std::int64_t> samples_of(std::span<const double> r_peaks, const std::vector<std::int64_t>& beats) {
  std::vector<std::int64_t> samples;
  samples.reserve(beats.size());
  for (const std::int64_t i : beats) samples.push_back(std::llround(r_peaks[i]));
  return samples;
}

// Returns the median of the usual beats' largest changes; 0 where there is no such beat.
template <class Context>
double usual_change(Context& context, std::span<const float> samples, const Buffer<std::int64_t, Context>& usual,
                    std::int64_t step, double rate_hz) {
  if (usual.size() == 0) return 0;
  Buffer<float, Context> largest(context, usual.size());
  largest_changes(context, samples, usual, step, std::llround(kUsualNear_s * rate_hz), largest);
  return quantile(to_host(context, largest), 0.5);
}

}  // namespace

template <class Context>
std::vector<std::uint8_t> are_steps(Context& context, const Recording<Context>& recording,
                                    std::span<const std::int64_t> leads, const StepBeats& beats,
                                    double sample_rate_hz) {
  const std::int64_t count = std::ssize(beats.asked);
  std::vector<std::uint8_t> steps(count, 0), beat_is_seen(count, 0);
  if (count == 0) return steps;
  const StepRule rule = rule_at(sample_rate_hz);
  const auto asked = from_host(context, samples_of(beats.r_peaks, beats.asked)),
             usual = from_host(context, samples_of(beats.r_peaks, some_of(beats.usual, kMeasuredUsualBeats)));
  Buffer<StepSign, Context> signs(context, count);
  for (const std::int64_t l : leads) {
    const auto samples = recording.leads[l].samples.span();
    step_signs(context, samples, asked, rule, usual_change(context, samples, usual, rule.step, sample_rate_hz), signs);
    const auto shown = to_host(context, signs);
    for (std::int64_t i = 0; i < count; ++i) {
      steps[i] |= shown[i] == StepSign::step;
      beat_is_seen[i] |= shown[i] == StepSign::much;
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
