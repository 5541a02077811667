#include "stages/beats/detect.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>

#include "kernels/beats/detect.h"
#include "kernels/beats/local_band.h"
#include "kernels/signal/wavelets.h"
#include "stages/beats/envelope.h"

namespace beatscan {
namespace {

// Rounds to the nearest whole number, halves to even, as the definition in numpy does.
int rounded(double value) { return static_cast<int>(std::nearbyint(value)); }

template <class Context>
struct CandidateBuffers {
  Buffer<std::int64_t, Context> at;
  Buffer<float, Context> height, sharpness;
  std::future<SignalQuality> quality;
  Candidates view() const { return {at, height, sharpness}; }
};

// The envelope's maximum in each block of the level, and the candidates.
template <class Context>
struct Peaks {
  Buffer<float, Context> maxima;
  Buffer<std::int64_t, Context> candidates;
};
template <class Context>
Peaks<Context> find_peaks(Context& context, EnvelopeWindows<Context>& envelope, int radius, int edge) {
  const WindowLayout& layout = envelope.layout();
  Buffer<float, Context> maxima(context, layout.blocks);
  Buffer<std::uint32_t, Context> words(context, words_for(layout.samples));
  for (std::int64_t w = 0; w < layout.windows(); ++w) {
    const Stretch blocks = layout.blocks_of(w), own = layout.own(w);
    block_maxima(context, envelope.own(w), static_cast<int>(layout.block), part_of(maxima, blocks));
    // Near an end of a window that is not one of the recording the set is wrong, so only that of its own samples is
    // taken.
    const SignalPart held = envelope.held(w);
    Buffer<std::uint32_t, Context> found(context, words_for(std::ssize(held.values)));
    mark_candidates(context, held.values, radius, edge, found);
    const std::int64_t skipped = (own.first - held.first) / 32, count = words_for(own.size());
    copy<std::uint32_t>(context, part_of(found, {skipped, skipped + count}),
                        part_of(words, {own.first / 32, own.first / 32 + count}));
  }
  return {std::move(maxima), positions(context, words, Pick::every)};
}

// Measures the candidates' heights; returns the facts that tell each block's quality.
template <class Context>
std::vector<BlockFacts> measure(Context& context, std::span<const float> signal, EnvelopeWindows<Context>& envelope,
                                const Buffer<float, Context>& levels, EnvelopeHeights quality_heights,
                                CandidateBuffers<Context>& found) {
  const WindowLayout& layout = envelope.layout();
  const int block = static_cast<int>(layout.block);
  Buffer<BlockFacts, Context> facts(context, layout.blocks);
  for (std::int64_t w = 0; w < layout.windows(); ++w) {
    const Stretch blocks = layout.blocks_of(w), own = layout.own(w);
    heights(context, envelope.held(w), levels, block, found.at, found.height);
    block_facts(context, signal.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.size())),
                envelope.own(w), part_of(levels, blocks), block, quality_heights, part_of(facts, blocks));
  }
  return to_host(context, facts);
}

// Returns the envelope of the whole recording.
template <class Context>
Buffer<float, Context> joined(Context& context, EnvelopeWindows<Context>& envelope) {
  const WindowLayout& layout = envelope.layout();
  if (layout.windows() == 1) return envelope.take();
  Buffer<float, Context> all(context, layout.samples);
  for (std::int64_t w = 0; w < layout.windows(); ++w)
    copy<float>(context, envelope.own(w), part_of(all, layout.own(w)));
  return all;
}

template <class Context>
CandidateBuffers<Context> find_candidates(Context& context, std::span<const float> signal, const DetectOptions& options,
                                          const QualityOptions& quality, double rate_hz, const DetectRequest& request,
                                          Detection<Context>& detection) {
  const auto n = std::ssize(signal);
  const int block = quality_block_samples(options, rate_hz), radius = rounded(options.distance_s * rate_hz),
            edge = rounded(options.edge_s * rate_hz);
  const auto smooth = gaussian(options.smooth_s, rate_hz);
  CandidateBuffers<Context> found;
  {
    EnvelopeWindows<Context> envelope(
        context, signal, {band_wavelet(options.band_hz, rate_hz), smooth},
        window_layout(n, block, level_blocks(n, block), std::max(radius, edge),
                      request.most_window_samples > 0 ? request.most_window_samples : roomy_window_samples(context)));
    auto peaks = find_peaks(context, envelope, radius, edge);
    forget_missing(context, request.gaps, n, block, peaks.maxima);
    Buffer<float, Context> levels(context, peaks.maxima.size());
    local_levels(context, peaks.maxima, {block, options.level_blocks, options.floor_local, options.floor_peak}, levels);
    found.at = std::move(peaks.candidates);
    found.height = Buffer<float, Context>(context, found.at.size());
    auto facts = measure(context, signal, envelope, levels, heights_of(quality), found);
    // A thread of its own classifies the blocks while the device goes on.
    found.quality =
        std::async(std::launch::async, classify_blocks, std::move(facts), block, std::cref(quality), rate_hz);
    if (request.keep_envelope) detection.envelope = joined(context, envelope);
  }
  found.sharpness = Buffer<float, Context>(context, found.at.size());
  smoothed_band(context, signal, band_wavelet(options.sharp_band_hz, rate_hz), smooth, found.at, found.sharpness);
  return found;
}

}  // namespace

int quality_block_samples(const DetectOptions& options, double rate_hz) {
  return std::max(rounded(options.block_s * rate_hz), 1);
}

template <class Context>
Detection<Context> detect_r_peaks(Context& context, std::span<const float> signal, const DetectOptions& options,
                                  const QualityOptions& quality, double rate_hz, const DetectRequest& request) {
  Detection<Context> detection;
  auto candidates = find_candidates(context, signal, options, quality, rate_hz, request, detection);
  Buffer<std::uint32_t, Context> beats(context, words_for(candidates.at.size()));
  mark_beats(context, candidates.view(),
             {static_cast<float>(options.keep), options.t_soon_s * rate_hz, options.t_late_s * rate_hz,
              static_cast<float>(options.t_soon_height), static_cast<float>(options.t_late_sharp),
              static_cast<float>(options.t_late_height)},
             beats);
  auto kept = positions(context, beats, Pick::every);
  for (int round = 0; round < options.search_rounds && kept.size() >= 3; ++round) {
    search_back(
        context, candidates.view(), kept,
        {options.search_gap, options.search_beats, static_cast<float>(options.search_height),
         options.search_soonest_s * rate_hz, options.search_after, options.search_before, options.search_candidates},
        beats);
    kept = positions(context, beats, Pick::every);
  }
  detection.r_peaks = Buffer<double, Context>(context, kept.size());
  Buffer<std::int64_t, Context> centres(context, kept.size());
  refine_candidates(context, signal, band_wavelet(options.band_hz, rate_hz), gaussian(options.smooth_s, rate_hz),
                    candidates.at, kept, centres);
  place_r_peaks(context, signal, band_wavelet(options.peak_band_hz, rate_hz), centres,
                {static_cast<int>(options.peak_reach_s * rate_hz), options.peak_sigma_s * rate_hz}, detection.r_peaks);
  detection.quality = candidates.quality.get();
  return detection;
}

#define BEATSCAN_DETECT_R_PEAKS(Context)                                                             \
  template Detection<Context> detect_r_peaks(Context&, std::span<const float>, const DetectOptions&, \
                                             const QualityOptions&, double, const DetectRequest&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_DETECT_R_PEAKS)

}  // namespace beatscan
