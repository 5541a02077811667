#include "stages/beats/mute_leads.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/part_maxima.h"
#include "stages/beats/beat_heights.h"
#include "stages/beats/detect.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_at.h"

namespace beatscan {
namespace {

constexpr float kStandsOut = 1.5F;
constexpr std::int64_t kBesideBeats = 5;  // on either side

// Returns the parts of the envelope at all R peaks, and then those in the middles between them; behind the last R peak
// there is none, so that the middle before it stands there once more.
std::vector<std::int64_t> parts_to_look_at(const std::vector<double>& r_peaks, int width) {
  const std::size_t beats = r_peaks.size();
  std::vector<std::int64_t> places(2 * beats);
  const auto part_of = [=](double sample) { return static_cast<std::int64_t>(sample) / width; };
  for (std::size_t k = 0; k < beats; ++k) {
    const std::size_t first = std::min(k, beats - 2);
    places[k] = part_of(r_peaks[k]);
    places[beats + k] = part_of((r_peaks[first] + r_peaks[first + 1]) / 2);
  }
  return places;
}

// The envelope of a lead at each beat, and in the middle between it and the next one.
struct BeatHeights {
  std::span<const float> at, between;  // [K]
};

// Returns the beats that are looked at together with one: from the first to before the last.
std::pair<std::int64_t, std::int64_t> beats_around(std::int64_t beat, std::int64_t beats) {
  return {std::max<std::int64_t>(beat - kBesideBeats, 0), std::min(beat + kBesideBeats + 1, beats)};
}

float median_around(std::span<const float> values, std::int64_t beat) {
  std::array<float, 2 * kBesideBeats + 1> some;
  const auto [first, last] = beats_around(beat, std::ssize(values));
  const auto end = std::copy(values.begin() + first, values.begin() + last, some.begin());
  const auto middle = some.begin() + (last - first) / 2;
  std::nth_element(some.begin(), middle, end);
  return *middle;
}

// Holds which beats are mute in a lead, and which may come from it, [K].
struct ShownBeats {
  std::vector<std::uint8_t> mute, source;
};

ShownBeats shown_beats(const BeatHeights& heights, const std::vector<Quality>& quality) {
  const std::int64_t beats = std::ssize(quality);
  const float least = kFaintShare * usual_height(heights.at, quality);
  const auto is_plain = [&](float height, float between) { return height >= least && height >= kStandsOut * between; };
  // The medians are taken only where a beat around is not plain: those of plain beats are plain, too.
  std::vector<std::int64_t> not_plain(beats + 1);
  for (std::int64_t k = 0; k < beats; ++k)
    not_plain[k + 1] = not_plain[k] + !is_plain(heights.at[k], heights.between[k]);
  ShownBeats shown{std::vector<std::uint8_t>(beats), std::vector<std::uint8_t>(beats)};
  for (std::int64_t k = 0; k < beats; ++k) {
    const auto [first, last] = beats_around(k, beats);
    bool faint = false, stands_out = true;
    if (not_plain[last] > not_plain[first]) {
      const float height = median_around(heights.at, k), between = median_around(heights.between, k);
      stands_out = height >= kStandsOut * between;
      faint = height < least && height < kPlainOver * between;
    }
    const bool is_noise = quality[k] == Quality::noisy || quality[k] == Quality::clipped;
    shown.mute[k] = least > 0 && (faint || !stands_out);
    shown.source[k] = !faint && (is_noise || (stands_out && quality[k] == Quality::good));
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
  const auto r_peaks = to_host(context, detection.r_peaks);
  const auto places = from_host(context, parts_to_look_at(r_peaks, detection.profile.width));
  std::vector<std::vector<float>> heights;  // [2 K] of each lead: at the beats, and between them
  Buffer<float, Context> found(context, places.size());
  for (const std::size_t l : leads) {
    largest_beside(context, detection.profile.leads[l], places, found);
    heights.push_back(to_host(context, found));
  }
  std::vector<ShownBeats> shown(leads.size());
  run_parts(std::ssize(leads), [&](std::int64_t i) {
    const std::span<const float> all = heights[i];
    std::vector<Quality> quality;
    quality.reserve(r_peaks.size());
    for (const double peak : r_peaks) quality.push_back(quality_at(detection.quality[leads[i]], peak));
    shown[i] = shown_beats({all.first(r_peaks.size()), all.subspan(r_peaks.size())}, quality);
  });
  std::vector<std::uint8_t> has_source(r_peaks.size());
  for (const auto& lead : shown)
    for (std::size_t k = 0; k < r_peaks.size(); ++k) has_source[k] |= lead.source[k];
  run_parts(std::ssize(leads), [&](std::int64_t i) {
    for (std::size_t k = 0; k < r_peaks.size(); ++k) shown[i].mute[k] &= has_source[k];
    mark_blocks(shown[i].mute, r_peaks, detection.quality[leads[i]]);
  });
}

#define BEATSCAN_MARK_MUTE_LEADS(Context) template void mark_mute_leads(Context&, Detection<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_MARK_MUTE_LEADS)

}  // namespace beatscan
