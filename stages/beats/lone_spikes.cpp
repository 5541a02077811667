#include "stages/beats/lone_spikes.h"

#include <algorithm>
#include <cmath>

#include "kernels/detection/beat_tips.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/parallel.h"
#include "stages/beats/detect.h"
#include "stages/common/robust.h"
#include "stages/quality/quality.h"

namespace beatscan {
namespace {

constexpr float kNarrow = 0.3F, kBehindTip = 0.12F, kBehindUsual = 0.25F, kVisible = 0.15F;
constexpr double kMiddle = 0.5;
constexpr double kLeastRate_hz = 200;   // at 128 Hz a QRS complex may be as narrow as a spike
constexpr std::size_t kFewestTips = 4;  // fewer tell nothing of what is usual

TipRule tip_rule(double rate_hz) {
  const auto samples = [=](double seconds) { return std::max<std::int64_t>(std::llround(seconds * rate_hz), 1); };
  const std::int64_t gap = samples(0.03);
  return {samples(0.06), samples(0.012), gap, std::max(samples(0.09), gap + 1), samples(0.35)};
}

// Holds medians over the beats of a lead.
struct UsualTip {
  float height, behind;
};

// Returns the median of a value over the beats in which it is known; 0 where there are none.
float usual_of(const std::vector<BeatTip>& tips, float BeatTip::*value) {
  std::vector<double> known;
  for (std::size_t k = 0; k < tips.size(); k += tips.size() / kMostSampled + 1)
    if (std::isfinite(tips[k].*value)) known.push_back(tips[k].*value);
  return known.empty() ? 0 : static_cast<float>(quantile(known, kMiddle));
}

}  // namespace

std::vector<std::uint8_t> lone_spikes(const std::vector<std::vector<BeatTip>>& leads) {
  constexpr std::int64_t kGrain = 8192;  // the fewest beats that are worth a thread
  const std::size_t count = leads.empty() ? 0 : leads.front().size();
  std::vector<UsualTip> usual(leads.size());
  run_parts(std::ssize(leads), [&](std::int64_t l) {
    usual[l] = {usual_of(leads[l], &BeatTip::height), usual_of(leads[l], &BeatTip::behind)};
  });
  std::vector<std::uint8_t> spikes(count);
  parallel_for(Cpu(), static_cast<std::int64_t>(count), kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t k = first; k < last; ++k) {
      bool narrow = false, silent = true;
      for (std::size_t l = 0; l < leads.size(); ++l) {
        const BeatTip& tip = leads[l][k];
        const bool is_visible = tip.height >= kVisible * usual[l].height;
        const float quiet = kBehindUsual * usual[l].behind,
                    quiet_for_it = std::max(kBehindTip * tip.height, std::min(quiet, kBehindUsual * tip.height));
        narrow |= is_visible && tip.beside < kNarrow * tip.height;
        silent &= tip.behind < (is_visible ? quiet_for_it : quiet);  // false for NaN
      }
      spikes[k] = narrow && silent;
    }
  });
  return spikes;
}

template <class Context>
void leave_out_spikes(Context& context, std::span<const LeadSignal> signals, double rate_hz,
                      Detection<Context>& detection) {
  if (static_cast<std::size_t>(detection.r_peaks.size()) < kFewestTips || rate_hz < kLeastRate_hz) return;
  std::vector<Buffer<BeatTip, Context>> tips;
  for (const std::size_t l : likely_places(detection.quality)) {
    tips.emplace_back(context, detection.r_peaks.size());
    beat_tips(context, signals[l].samples, detection.r_peaks, tip_rule(rate_hz), tips.back());
  }
  std::vector<std::vector<BeatTip>> leads;
  for (const auto& of_lead : tips) leads.push_back(to_host(context, of_lead));
  const auto spikes = lone_spikes(leads);
  if (std::ranges::count(spikes, 1) == 0) return;
  const auto beats = to_host(context, detection.r_peaks);
  std::vector<double> kept;
  for (std::size_t k = 0; k < beats.size(); ++k)
    if (spikes[k])
      detection.spikes.push_back(std::llround(beats[k]));
    else
      kept.push_back(beats[k]);
  if (kept.size() >= detection.spikes.size()) detection.r_peaks = from_host(context, kept);
}

#define BEATSCAN_LEAVE_OUT_SPIKES(Context) \
  template void leave_out_spikes(Context&, std::span<const LeadSignal>, double, Detection<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEAVE_OUT_SPIKES)

}  // namespace beatscan
