#include "stages/episodes/flutter_search.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/context.h"
#include "stages/beats/detect.h"
#include "stages/beats/lead_agreement.h"
#include "stages/common/robust.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/flutter.h"
#include "stages/recording/recording.h"

namespace beatscan {
namespace {

constexpr double kAround_s = 5;       // on either side of a block in which a lead may show beats
constexpr float kRegularOver = 2.5F;  // how high regular peaks are over the median of the envelope
constexpr double kSameInterval = 0.12, kRegularShare = 0.7;
constexpr std::size_t kFewestIntervals = 5;

// Says whether most intervals between peaks are alike.
bool are_regular(const std::vector<std::int64_t>& peaks, double part_s) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < peaks.size(); ++i)
    intervals.push_back(part_s * static_cast<double>(peaks[i] - peaks[i - 1]));
  if (intervals.size() < kFewestIntervals) return false;
  const double middle = quantile(intervals, 0.5);
  const auto alike = std::ranges::count_if(
      intervals, [=](double its) { return std::abs(its - middle) <= std::max(kSameInterval * middle, part_s); });
  return static_cast<double>(alike) >= kRegularShare * static_cast<double>(intervals.size());
}

// Says whether a lead shows beats around a sample: peaks that stand out from what lies between them. Regular ones need
// not stand out as much.
//   parts  EnvelopeProfile of the lead, of `width` samples each
bool shows_beats(std::span<const float> parts, int width, double sample, double rate_hz) {
  const auto part_of = [&](double at) {
    return std::clamp<std::int64_t>(std::llround(at / width), 0, std::ssize(parts));
  };
  const auto first = part_of(sample - kAround_s * rate_hz), last = part_of(sample + kAround_s * rate_hz);
  const auto around = parts.subspan(first, last - first);
  const double part_s = width / rate_hz;
  return !clear_peaks(around, part_s).empty() || are_regular(clear_peaks(around, part_s, kRegularOver), part_s);
}

}  // namespace

template <class Context>
std::vector<Episode> flutter_of(Context& context, const Recording<Context>& recording,
                                const EnvelopeProfile<Context>& profile, const std::vector<SignalQuality>& of_leads,
                                const std::vector<std::size_t>& leads, double rate_hz, const FlutterOptions& options) {
  std::vector<std::vector<FlutterBlock>> blocks;
  std::vector<SignalQuality> quality;
  for (const std::size_t l : leads) {
    blocks.push_back(flutter_blocks<Context>(context, recording.leads[l].samples, profile.leads[l], profile.width,
                                             of_leads[l].usual_range, rate_hz, options));
    quality.push_back({of_leads[l].blocks, of_leads[l].block_samples});
  }
  const std::int64_t block = flutter_block_samples(rate_hz, options);
  std::vector<std::vector<float>> parts(leads.size());  // of each lead, on the host from its first question on
  const auto joined = join_flutter_leads(blocks, quality, block, [&](std::size_t i, std::int64_t b) {
    if (parts[i].empty()) parts[i] = to_host(context, profile.leads[leads[i]]);
    return shows_beats(parts[i], profile.width, (static_cast<double>(b) + 0.5) * static_cast<double>(block), rate_hz);
  });
  return flutter_episodes(joined, block, recording.samples(), options);
}

#define BEATSCAN_FLUTTER_SEARCH(Context)                                                                               \
  template std::vector<Episode> flutter_of(Context&, const Recording<Context>&, const EnvelopeProfile<Context>&,       \
                                           const std::vector<SignalQuality>&, const std::vector<std::size_t>&, double, \
                                           const FlutterOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FLUTTER_SEARCH)

}  // namespace beatscan
