#include "stages/episodes/fast_rhythm.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "stages/beats/detect.h"
#include "stages/common/likeness.h"
#include "stages/common/robust.h"
#include "stages/episodes/episode_options.h"
#include "stages/episodes/flutter_search.h"
#include "stages/episodes/wide_tachycardia.h"
#include "stages/quality/quality.h"
#include "stages/quality/signal_quality.h"
#include "stages/recording/recording.h"

namespace beatscan {
namespace {

constexpr double kBesideRun = 1.5;  // intervals on either side of a fast rhythm that belong to it

// Tells which intervals are fast, and near the median of those around them: [K - 1].
std::vector<std::uint8_t> even_intervals(std::span<const double> rr, double rate_hz, const FastRhythmOptions& options) {
  const double shortest = 60 * rate_hz / options.fastest_bpm, longest = 60 * rate_hz / options.slowest_bpm;
  const auto count = std::ssize(rr);
  std::vector<std::uint8_t> even(count);
  for (std::int64_t i = 0; i < count; ++i) {
    if (rr[i] < (1 - options.even) * shortest || rr[i] > (1 + options.even) * longest) continue;
    std::vector<double> around(rr.begin() + std::max<std::int64_t>(i - options.reach, 0),
                               rr.begin() + std::min<std::int64_t>(i + options.reach + 1, count));
    const double middle = quantile(around, 0.5);
    even[i] = middle >= shortest && middle <= longest && std::abs(rr[i] - middle) <= options.even * middle;
  }
  return even;
}

// Tells whether most intervals around one are even.
bool is_steady(std::span<const std::uint8_t> even, std::int64_t i, const FastRhythmOptions& options) {
  const auto first = std::max<std::int64_t>(i - options.reach, 0),
             last = std::min<std::int64_t>(i + options.reach + 1, std::ssize(even));
  const auto its = even.subspan(first, last - first);
  return static_cast<double>(std::ranges::count(its, 1)) >= options.even_share * static_cast<double>(its.size());
}

// Tells whether a lead repeats itself from beat to beat: over one interval around the middle of each R peak, at the
// best of three places, because an R peak is placed to a sample.
//   samples  [N] of the lead
//   peaks    the R peaks of the block
template <class Context>
bool repeats_itself(Context& context, std::span<const float> samples, std::span<const double> peaks,
                    const FastRhythmOptions& options) {
  if (std::ssize(peaks) < 2) return false;
  const auto half = std::llround((peaks.back() - peaks.front()) / static_cast<double>(2 * (std::ssize(peaks) - 1)));
  const auto first = std::max<std::int64_t>(std::llround(peaks.front()) - half - 1, 0),
             last = std::min<std::int64_t>(std::llround(peaks.back()) + half + 2, std::ssize(samples));
  const auto own = to_host(context, samples.subspan(first, last - first));
  const auto beat_at = [&](std::int64_t peak) {
    const std::int64_t from = peak - half - first;
    return from < 0 || from + 2 * half > std::ssize(own) ? std::span<const float>()
                                                         : std::span<const float>(own).subspan(from, 2 * half);
  };
  std::vector<double> likenesses;
  for (std::size_t i = 0; i + 1 < peaks.size(); ++i) {
    const auto beat = beat_at(std::llround(peaks[i]));
    double best = -1;
    for (const std::int64_t shift : {-1, 0, 1})
      if (const auto next = beat_at(std::llround(peaks[i + 1]) + shift); !beat.empty() && !next.empty())
        best = std::max(best, likeness_of(beat, next).correlation);
    if (best > -1) likenesses.push_back(best);
  }
  return std::ssize(likenesses) >= options.fewest_pairs && quantile(likenesses, 0.5) >= options.least_likeness;
}

bool touches(const std::vector<Episode>& episodes, const Stretch& stretch) {
  return std::ranges::any_of(episodes, [&](const Episode& its) {
    return its.start < static_cast<double>(stretch.last) && its.end > static_cast<double>(stretch.first);
  });
}

// Returns the samples of a block of a lead of `samples` samples; the last block takes the rest.
Stretch samples_of_block(const SignalQuality& quality, std::int64_t block, std::int64_t samples) {
  return {block * quality.block_samples,
          block + 1 == std::ssize(quality.blocks) ? samples : (block + 1) * quality.block_samples};
}

// Calls `call` with each noisy block that lies within a fast rhythm.
template <class Call>
void each_noisy_block(const SignalQuality& quality, const std::vector<Stretch>& rhythms, std::int64_t samples,
                      const Call& call) {
  for (const Stretch& within : rhythms)
    for (auto b = (within.first + quality.block_samples - 1) / quality.block_samples; b < std::ssize(quality.blocks);
         ++b) {
      const Stretch block = samples_of_block(quality, b, samples);
      if (block.last > within.last) break;
      if (quality.blocks[b] == Quality::noisy) call(b, block);
    }
}

// Returns the rhythms that make blocks good.
std::vector<Stretch> rhythms_that_count(std::span<const double> r_peaks, std::int64_t samples, double rate_hz,
                                        FastRhythmOptions options) {
  auto rhythms = fast_rhythms(r_peaks, rate_hz, options);
  std::int64_t within = 0;
  for (const Stretch& its : rhythms) within += its.last - its.first;
  if (static_cast<double>(within) <= options.most_share * static_cast<double>(samples)) return rhythms;
  options.slowest_bpm = options.lasting_bpm;
  options.sustained_s = options.lasting_s;
  return fast_rhythms(r_peaks, rate_hz, options);
}

double range_of(const BlockExtent& its) { return double{its.max} - its.min; }

// Returns the median range of a lead's good blocks, or of all if none is good.
double median_good_range(const SignalQuality& quality) {
  std::vector<double> good, all;
  for (std::size_t b = 0; b < quality.extents.size(); ++b) {
    all.push_back(range_of(quality.extents[b]));
    if (quality.blocks[b] == Quality::good) good.push_back(all.back());
  }
  return quantile(good.empty() ? all : good, 0.5);
}

// Returns the R peaks from the last one before a block to the first one after it.
std::span<const double> peaks_around(std::span<const double> r_peaks, const Stretch& block) {
  auto first = std::ranges::lower_bound(r_peaks, static_cast<double>(block.first)) - r_peaks.begin(),
       last = std::ranges::lower_bound(r_peaks, static_cast<double>(block.last)) - r_peaks.begin();
  first = std::max<std::ptrdiff_t>(first - 1, 0), last = std::min(last + 1, std::ssize(r_peaks));
  return r_peaks.subspan(first, last - first);
}

}  // namespace

std::vector<Stretch> fast_rhythms(std::span<const double> r_peaks, double rate_hz, const FastRhythmOptions& options) {
  std::vector<double> rr;
  for (std::size_t i = 0; i + 1 < r_peaks.size(); ++i) rr.push_back(r_peaks[i + 1] - r_peaks[i]);
  const auto even = even_intervals(rr, rate_hz, options);
  const auto count = std::ssize(even);
  std::vector<Stretch> rhythms;
  for (std::int64_t i = 0; i < count; ++i) {
    if (!even[i] || !is_steady(even, i, options)) continue;
    std::int64_t first = i, last = i;  // intervals of the rhythm
    while (first > 0 && even[first - 1]) --first;
    while (last + 1 < count && (even[last + 1] || is_steady(even, last + 1, options))) ++last;
    i = last + 1;
    const double begin = r_peaks[first], end = r_peaks[last + 1];
    if (end - begin < options.sustained_s * rate_hz) continue;
    const double mean = (end - begin) / static_cast<double>(last + 1 - first), beside = kBesideRun * mean;
    rhythms.push_back({std::max<std::int64_t>(std::llround(begin - beside), 0), std::llround(end + beside)});
  }
  return rhythms;
}

template <class Context>
void mark_fast_rhythms(Context& context, const Recording<Context>& recording, const EnvelopeProfile<Context>& profile,
                       std::span<const double> r_peaks, std::vector<SignalQuality>& of_leads, double rate_hz,
                       const FlutterOptions& flutter, const WideTachycardiaOptions& wide,
                       const FastRhythmOptions& options) {
  BEATSCAN_EXPECTS(of_leads.size() == recording.leads.size(), "mark_fast_rhythms: quality of other leads");
  const auto rhythms = rhythms_that_count(r_peaks, recording.samples(), rate_hz, options);
  const RhythmBeats beats{.r_peaks = r_peaks, .sample_rate_hz = rate_hz};
  std::optional<std::vector<Episode>> flutters;  // searched for where they are asked for, which is rare
  const auto is_flutter = [&](const Stretch& block) {
    if (!flutters) {
      flutters = flutter_of(context, recording, profile, of_leads, likely_places(of_leads), rate_hz, flutter);
      std::erase_if(*flutters, [&](const Episode& its) { return has_regular_beats(beats, its, wide); });
    }
    return touches(*flutters, block);
  };
  if (rhythms.empty()) return;
  for (std::size_t l = 0; l < of_leads.size(); ++l) {
    const double largest = options.most_size * median_good_range(of_leads[l]);
    each_noisy_block(of_leads[l], rhythms, recording.samples(), [&](std::int64_t b, const Stretch& block) {
      if (range_of(of_leads[l].extents[b]) <= largest &&
          repeats_itself(context, recording.leads[l].samples.span(), peaks_around(r_peaks, block), options) &&
          !is_flutter(block))
        of_leads[l].blocks[b] = Quality::good;
    });
  }
}

#define BEATSCAN_FAST_RHYTHM(Context)                                                                                  \
  template void mark_fast_rhythms(Context&, const Recording<Context>&, const EnvelopeProfile<Context>&,                \
                                  std::span<const double>, std::vector<SignalQuality>&, double, const FlutterOptions&, \
                                  const WideTachycardiaOptions&, const FastRhythmOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FAST_RHYTHM)

}  // namespace beatscan
