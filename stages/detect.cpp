#include "stages/detect.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <future>

#include "kernels/convolve.h"
#include "kernels/detect.h"
#include "kernels/local_band.h"
#include "kernels/wavelets.h"

namespace beatscan {
namespace {

// To the nearest, halves to even: as the reference does.
int rounded(double value) { return static_cast<int>(std::nearbyint(value)); }

template <class Context>
Buffer<float, Context> centred(Context& context, std::span<const float> x, const std::vector<double>& taps,
                               Beyond beyond, bool rectify) {
  return convolve<float>(context, x, taps,
                         {.lead = static_cast<int>(taps.size() / 2), .beyond = beyond, .rectify = rectify});
}

// |signal in the band|, smoothed.
template <class Context>
Buffer<float, Context> envelope(Context& context, std::span<const float> signal, double band_hz,
                                const DetectOptions& options, double rate) {
  const auto band = centred(context, signal, band_wavelet(band_hz, rate), Beyond::last_value, true);
  return centred(context, band, gaussian(options.smooth_s, rate), Beyond::zeros, false);
}

template <class Context>
struct CandidateBuffers {
  Buffer<std::int64_t, Context> at;
  Buffer<float, Context> height, sharpness;
  std::future<SignalQuality> quality;
  Candidates view() const { return {at, height, sharpness}; }
};

template <class Context>
CandidateBuffers<Context> find_candidates(Context& context, std::span<const float> signal, const DetectOptions& options,
                                          const QualityOptions& quality, double rate, bool keep_envelope,
                                          Detection<Context>& detection) {
  const auto n = std::ssize(signal);
  const int block = quality_block_samples(options, rate);
  CandidateBuffers<Context> found;
  Buffer<float, Context> levels(context, level_blocks(n, block));
  {
    auto x = envelope(context, signal, options.band_hz, options, rate);
    local_levels(context, x, {block, options.level_blocks, options.floor_local, options.floor_peak}, levels);
    Buffer<std::uint32_t, Context> words(context, words_for(n));
    mark_candidates(context, x, rounded(options.distance_s * rate), rounded(options.edge_s * rate), words);
    found.at = positions(context, words, Pick::every);
    found.height = Buffer<float, Context>(context, found.at.size());
    heights(context, x, levels, block, found.at, found.height);
    Buffer<BlockFacts, Context> block_buffer(context, levels.size());
    block_facts(context, signal, x, levels, block, static_cast<float>(quality.noisy_rest), block_buffer);
    // On a thread of its own, beside what the device still has to do.
    found.quality = std::async(std::launch::async, classify_blocks, to_host(context, block_buffer), block,
                               std::cref(quality), rate);
    if (keep_envelope) detection.envelope = std::move(x);
  }
  found.sharpness = Buffer<float, Context>(context, found.at.size());
  smoothed_band(context, signal, band_wavelet(options.sharp_band_hz, rate), gaussian(options.smooth_s, rate), found.at,
                found.sharpness);
  return found;
}

}  // namespace

int quality_block_samples(const DetectOptions& options, double rate) {
  return std::max(rounded(options.block_s * rate), 1);
}

template <class Context>
Detection<Context> detect_r_peaks(Context& context, std::span<const float> signal, const DetectOptions& options,
                                  const QualityOptions& quality, double rate, bool keep_envelope) {
  Detection<Context> detection;
  auto candidates = find_candidates(context, signal, options, quality, rate, keep_envelope, detection);
  Buffer<std::uint32_t, Context> beats(context, words_for(candidates.at.size()));
  mark_beats(context, candidates.view(),
             {static_cast<float>(options.keep), options.t_soon_s * rate, options.t_late_s * rate,
              static_cast<float>(options.t_soon_height), static_cast<float>(options.t_late_sharp),
              static_cast<float>(options.t_late_height)},
             beats);
  auto kept = positions(context, beats, Pick::every);
  for (int round = 0; round < options.search_rounds && kept.size() >= 3; ++round) {
    search_back(
        context, candidates.view(), kept,
        {options.search_gap, options.search_beats, static_cast<float>(options.search_height),
         options.search_soonest_s * rate, options.search_after, options.search_before, options.search_candidates},
        beats);
    kept = positions(context, beats, Pick::every);
  }
  detection.r_peaks = Buffer<double, Context>(context, kept.size());
  Buffer<std::int64_t, Context> centres(context, kept.size());
  refine_candidates(context, signal, band_wavelet(options.band_hz, rate), gaussian(options.smooth_s, rate),
                    candidates.at, kept, centres);
  place_r_peaks(context, signal, band_wavelet(options.peak_band_hz, rate), centres,
                {static_cast<int>(options.peak_reach_s * rate), options.peak_sigma_s * rate}, detection.r_peaks);
  detection.quality = candidates.quality.get();
  return detection;
}

template Detection<Cpu> detect_r_peaks(Cpu&, std::span<const float>, const DetectOptions&, const QualityOptions&,
                                       double, bool);
#ifdef BEATSCAN_WITH_CUDA
template Detection<Cuda> detect_r_peaks(Cuda&, std::span<const float>, const DetectOptions&, const QualityOptions&,
                                        double, bool);
#endif

}  // namespace beatscan
