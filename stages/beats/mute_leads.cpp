#include "stages/beats/mute_leads.h"

#include <algorithm>
#include <array>

#include "kernels/lists/gather.h"
#include "stages/beats/quality_at.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr float kMute = 0.25F, kStandsOut = 1.5F;
constexpr double kUsualHeight = 0.75;       // quantile
constexpr std::size_t kFewestHeights = 20;  // beats
constexpr std::int64_t kBesideBeats = 5;    // beats on either side
constexpr std::int64_t kPartsAtAPeak = 3;   // the R peak's own, and one on either side

// Returns the envelope of a lead at some samples, such as R peaks, [K].
template <class Context>
std::vector<float> heights_at(Context& context, const Buffer<float, Context>& parts, int width,
                              const std::vector<double>& samples) {
  std::vector<std::int64_t> places;
  places.reserve(kPartsAtAPeak * samples.size());
  for (const double sample : samples)
    for (std::int64_t beside = -1; beside <= 1; ++beside)
      places.push_back(
          std::clamp<std::int64_t>(static_cast<std::int64_t>(sample) / width + beside, 0, parts.size() - 1));
  const auto values = to_host(context, gathered(context, parts, from_host(context, places)));
  std::vector<float> heights;
  heights.reserve(samples.size());
  for (auto its = values.begin(); its != values.end(); its += kPartsAtAPeak)
    heights.push_back(*std::max_element(its, its + kPartsAtAPeak));
  return heights;
}

float median_around(const std::vector<float>& heights, std::int64_t beat) {
  std::array<float, 2 * kBesideBeats + 1> some;
  const auto first = std::max<std::int64_t>(beat - kBesideBeats, 0),
             last = std::min(beat + kBesideBeats + 1, std::ssize(heights));
  const auto end = std::copy(heights.begin() + first, heights.begin() + last, some.begin());
  const auto middle = some.begin() + (last - first) / 2;
  std::nth_element(some.begin(), middle, end);
  return *middle;
}

// Returns the middles between the R peaks, and the last of them once more, [K].
std::vector<double> middles_of(const std::vector<double>& r_peaks) {
  std::vector<double> middles(r_peaks);
  for (std::size_t k = 0; k + 1 < r_peaks.size(); ++k) middles[k] = (r_peaks[k] + r_peaks[k + 1]) / 2;
  middles.back() = middles[middles.size() - 2];
  return middles;
}

// What a lead shows of the beats, [K].
struct ShownBeats {
  std::vector<std::uint8_t> mute;
  std::vector<std::uint8_t> heard;  // the beat may come from this lead
};

//   between  [K] the envelope behind each beat
ShownBeats shown_beats(const std::vector<float>& heights, const std::vector<float>& between,
                       const std::vector<double>& r_peaks, const SignalQuality& quality) {
  std::vector<double> good;
  for (std::size_t k = 0; k < heights.size(); ++k)
    if (quality_at(quality, r_peaks[k]) == Quality::good) good.push_back(heights[k]);
  ShownBeats shown{.mute = std::vector<std::uint8_t>(heights.size()),
                   .heard = std::vector<std::uint8_t>(heights.size(), 1)};
  if (good.size() < kFewestHeights) return shown;
  const auto least = kMute * static_cast<float>(quantile(good, kUsualHeight));
  for (std::int64_t k = 0; k < std::ssize(heights); ++k) {
    const float height = median_around(heights, k);
    const bool stands_out = height >= kStandsOut * median_around(between, k);
    shown.mute[k] = height < least || !stands_out;
    shown.heard[k] = height >= least && (stands_out || quality_at(quality, r_peaks[k]) != Quality::good);
  }
  return shown;
}

// Marks the good blocks from a mute beat to the next, and those at the ends of the recording.
void mark_blocks(const std::vector<std::uint8_t>& mute, const std::vector<double>& r_peaks, SignalQuality& quality) {
  const std::int64_t blocks = std::ssize(quality.blocks), beats = std::ssize(r_peaks);
  const auto block_of = [&](std::int64_t beat) {
    if (beat < 0) return std::int64_t{0};
    if (beat == beats) return blocks - 1;
    return std::min(static_cast<std::int64_t>(r_peaks[beat]) / quality.block_samples, blocks - 1);
  };
  for (std::int64_t k = -1; k < beats; ++k) {
    if ((k >= 0 && !mute[k]) || (k + 1 < beats && !mute[k + 1])) continue;
    for (std::int64_t b = block_of(k); b <= block_of(k + 1); ++b)
      if (quality.blocks[b] == Quality::good) quality.blocks[b] = Quality::noisy;
  }
}

}  // namespace

template <class Context>
void mark_mute_leads(Context& context, Detection<Context>& detection) {
  const auto leads = likely_places(detection.quality);
  if (leads.size() < 2 || detection.r_peaks.size() < 2) return;
  const auto r_peaks = to_host(context, detection.r_peaks), middles = middles_of(r_peaks);
  std::vector<ShownBeats> shown;
  std::vector<std::uint8_t> heard(r_peaks.size());  // in any lead
  for (const std::size_t l : leads) {
    const auto& parts = detection.profile.leads[l];
    const auto heights = heights_at(context, parts, detection.profile.width, r_peaks),
               between = heights_at(context, parts, detection.profile.width, middles);
    shown.push_back(shown_beats(heights, between, r_peaks, detection.quality[l]));
    for (std::size_t k = 0; k < r_peaks.size(); ++k) heard[k] |= shown.back().heard[k];
  }
  for (std::size_t i = 0; i < leads.size(); ++i) {
    for (std::size_t k = 0; k < r_peaks.size(); ++k) shown[i].mute[k] &= heard[k];
    mark_blocks(shown[i].mute, r_peaks, detection.quality[leads[i]]);
  }
}

#define BEATSCAN_MARK_MUTE_LEADS(Context) template void mark_mute_leads(Context&, Detection<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_MARK_MUTE_LEADS)

}  // namespace beatscan
