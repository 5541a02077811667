#include "stages/detect/detect.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/detect/detect.h"
#include "kernels/detect/detect_rules.h"
#include "kernels/detect/local_band.h"
#include "kernels/lists/gather.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/convolve.h"
#include "stages/common/robust.h"
#include "stages/detect/detect_options.h"
#include "stages/detect/fused_envelope.h"
#include "stages/detect/lead_envelope.h"
#include "stages/quality/quality.h"

namespace beatscan {

namespace {

// The candidates [C] of the whole recording, in all leads together.
template <class Context>
struct CandidateBuffers {
  Buffer<std::int64_t, Context> at;
  Buffer<float, Context> height, sharpness;
  Buffer<float, Context> noise;  // [B] share of noise in each block
  bool is_noisy = false;         // whether any block has noise
  FusedLeads<Context> fused;     // empty for one lead
  Candidates view() const { return {at, height, sharpness}; }
};

// Returns the envelope of the whole recording.
template <class Context>
Buffer<float, Context> joined(Context& context, EnvelopeWindows<Context>& envelope) {
  const WindowLayout& layout = envelope.layout();
  if (layout.windows() == 1) {
    envelope.held(0);
    return envelope.take();
  }
  Buffer<float, Context> all(context, layout.samples);
  for (std::int64_t w = 0; w < layout.windows(); ++w)
    copy<float>(context, envelope.own(w), part_of(all, layout.own(w)));
  return all;
}

// Takes the candidates of an envelope, and measures their heights.
template <class Context>
void take_candidates(Context& context, EnvelopeWindows<Context>& envelope, EnvelopeBlocks<Context>& blocks, int block,
                     CandidateBuffers<Context>& found) {
  found.at = std::move(blocks.candidates);
  found.height = Buffer<float, Context>(context, found.at.size());
  for (std::int64_t w = 0; w < envelope.layout().windows(); ++w)
    heights(context, envelope.held(w), blocks.levels, block, found.at, found.height);
}

// Measures the candidates' sharpness: that of one lead, or of all leads in levels and weighted.
template <class Context>
void measure_sharpness(Context& context, const std::vector<SearchedLead<Context>>& leads,
                       const EnvelopeRequest& request, CandidateBuffers<Context>& found) {
  const auto band = band_wavelet(request.options.sharp_band_hz, request.rate_hz),
             smooth = gaussian(request.options.smooth_s, request.rate_hz);
  found.sharpness = Buffer<float, Context>(context, found.at.size());
  if (leads.size() == 1) return smoothed_band(context, leads[0].lead.samples, band, smooth, found.at, found.sharpness);
  zero_bytes(context, found.sharpness.data(), found.sharpness.size() * sizeof(float));
  const std::int64_t count = found.at.size();
  const auto shares = shares_at(context, found.at, leads, found.fused, request);
  Buffer<float, Context> own(context, count);
  for (std::int64_t l = 0; l < std::ssize(leads); ++l) {
    smoothed_band(context, leads[l].lead.samples, band, smooth, found.at, own);
    add_sharpness(context, found.at,
                  {own, part_of(shares, {l * count, (l + 1) * count}), share_of(found.fused, leads, l, request).levels,
                   request.reach.block},
                  found.sharpness);
  }
}

// Joins the leads in one envelope, and finds its candidates and its noise.
template <class Context>
void search_together(Context& context, const std::vector<SearchedLead<Context>>& leads, const EnvelopeRequest& request,
                     bool keep_envelope, CandidateBuffers<Context>& found, Detection<Context>& detection) {
  found.fused = weigh_leads(context, leads, request);
  EnvelopeWindows<Context> envelope(request.layout, fused_envelope(context, leads, found.fused, request));
  auto blocks = measure_blocks(context, envelope, {}, request, true);
  take_candidates(context, envelope, blocks, request.reach.block, found);
  if (keep_envelope) detection.envelope = joined(context, envelope);
  found.noise = Buffer<float, Context>(context, request.layout.blocks);
  noise_shares(context, blocks.snr, {request.options.noise_begins, request.options.noise_full}, found.noise);
  Buffer<float, Context> own(context, found.fused.weights.size());
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    copy<float>(context, leads[l].noise, part_of(own, {l * request.layout.blocks, (l + 1) * request.layout.blocks}));
  limit_noise(context, own, found.fused.weights, found.noise);
  for (const auto& lead : leads) found.is_noisy |= lead.is_noisy;
}

// Searches each lead, and the leads together where there are several. Keeps the envelope in `detection` if
// `keep_envelope`.
template <class Context>
CandidateBuffers<Context> find_candidates(Context& context, std::vector<SearchedLead<Context>>& leads,
                                          const EnvelopeRequest& request, bool keep_envelope,
                                          Detection<Context>& detection) {
  CandidateBuffers<Context> found;
  for (auto& lead : leads) {
    EnvelopeWindows<Context> envelope(request.layout, lead_envelope(context, lead, request));
    search_lead(context, lead, envelope, request);
    if (leads.size() > 1) continue;
    take_candidates(context, envelope, lead.blocks, request.reach.block, found);
    if (keep_envelope) detection.envelope = joined(context, envelope);
    found.noise = std::move(lead.noise);
    found.is_noisy = lead.is_noisy;
  }
  if (leads.size() > 1) search_together(context, leads, request, keep_envelope, found, detection);
  measure_sharpness(context, leads, request, found);
  return found;
}

// Rounds to the nearest whole number, halves to even, as the definition in numpy does.
int rounded(double value) { return static_cast<int>(std::nearbyint(value)); }

SearchOptions search_options(const DetectOptions& options, double rate_hz) {
  return {.reach = options.search_beats,
          .candidates = options.search_candidates,
          .weak = {.gap = options.search_gap,
                   .height = static_cast<float>(options.search_height),
                   .soonest = options.search_soonest_s * rate_hz,
                   .after = options.search_after,
                   .before = options.search_before},
          .sharp = {.gap = options.sharp_gap,
                    .height = static_cast<float>(options.sharp_height),
                    .soonest = options.sharp_soonest_s * rate_hz,
                    .before = options.sharp_before},
          .least_sharp = options.sharp_least,
          .most_sharp = options.sharp_most};
}

// Rejects beats in noise. A rejected beat is restored if it is high and its rejection left a long gap.
template <class Context>
void drop_noise(Context& context, const CandidateBuffers<Context>& candidates, const DetectOptions& options, int block,
                double rate_hz, Buffer<std::uint32_t, Context>& beats, Buffer<std::int64_t, Context>& kept) {
  constexpr int kReach = 40;                  // intervals on either side
  constexpr double kReferenceQuantile = 0.7;  // quantile of these, because rejected beats make intervals longer
  Buffer<std::uint32_t, Context> found(context, beats.size());
  copy<std::uint32_t>(context, beats, found);
  Buffer<float, Context> dropped(context, candidates.at.size());
  bool any = false;
  for (int round = 0; round < options.noise_rounds && kept.size() >= 3; ++round) {
    const std::int64_t count = kept.size() - 1;
    Buffer<double, Context> intervals(context, count), usual(context, 2 * count);
    Buffer<std::int64_t, Context> indices(context, count);
    beat_intervals(context, candidates.at, kept, intervals, indices);
    local_quantiles(context, intervals, indices, kReach, {kReferenceQuantile, kReferenceQuantile}, usual);
    drop_beats(context, {candidates.view(), candidates.noise, block, rate_hz, found, kept, usual}, beats, dropped);
    kept = positions(context, beats, Pick::every);
    any = true;
  }
  if (!any || kept.size() < 3) return;
  auto search = search_options(options, rate_hz);
  search.weak.height = static_cast<float>(options.noise_regained);  // a beat that was not rejected has a height of 0
  search.sharp = {};                                                // a sharp candidate that was rejected is noise
  search_back(context, {candidates.at, dropped, candidates.sharpness}, kept, search, beats);
  kept = positions(context, beats, Pick::every);
}

// Returns the delay of the R peaks in each lead against the reference lead, [L] samples: the median over those of at
// most kMostSampled beats in which both leads have weight, or 0 if there are none.
template <class Context>
std::vector<double> later_than_reference(Context& context, const Buffer<double, Context>& peaks,
                                         const Buffer<float, Context>& shares, std::int64_t reference,
                                         std::int64_t leads) {
  const std::int64_t count = peaks.size() / leads, step = count / static_cast<std::int64_t>(kMostSampled) + 1;
  std::vector<std::int64_t> places;
  for (std::int64_t l = 0; l < leads; ++l)
    for (std::int64_t k = 0; k < count; k += step) places.push_back(l * count + k);
  const auto some = from_host(context, places);
  const auto [at, share] = to_hosts(context, gathered(context, peaks, some), gathered(context, shares, some));
  const std::int64_t beats = std::ssize(at) / leads;
  const float least = kLeastShareOfMean / static_cast<float>(leads);
  std::vector<double> later(leads);
  for (std::int64_t l = 0; l < leads; ++l) {
    std::vector<double> delays;
    for (std::int64_t i = l * beats, r = reference * beats; i < (l + 1) * beats; ++i, ++r)
      if (share[i] >= least && share[r] >= least) delays.push_back(at[i] - at[r]);
    if (!delays.empty()) later[l] = quantile(delays, 0.5);
  }
  return later;
}

// Places the R peak of each beat, in one lead or in the clearest of several.
template <class Context>
Buffer<double, Context> place_peaks(Context& context, const std::vector<SearchedLead<Context>>& leads,
                                    const EnvelopeRequest& request, const CandidateBuffers<Context>& candidates,
                                    const Buffer<std::int64_t, Context>& kept) {
  const auto& options = request.options;
  const double rate_hz = request.rate_hz;
  const std::int64_t count = kept.size(), all = count * std::ssize(leads);
  const auto qrs = band_wavelet(options.band_hz, rate_hz), smooth = gaussian(options.smooth_s, rate_hz),
             band = band_wavelet(options.peak_band_hz, rate_hz);
  const RPeakOptions peak{static_cast<int>(options.peak_reach_s * rate_hz), options.peak_sigma_s * rate_hz};
  Buffer<std::int64_t, Context> centres(context, count);
  Buffer<double, Context> peaks(context, all);
  for (std::int64_t l = 0; l < std::ssize(leads); ++l) {
    const auto samples = leads[l].lead.samples;
    refine_candidates(context, samples, qrs, smooth, candidates.at, kept, centres);
    place_r_peaks(context, samples, band, centres, peak, part_of(peaks, {l * count, (l + 1) * count}));
  }
  if (leads.size() == 1) return peaks;
  const auto beats = gathered(context, candidates.at, kept);
  const auto shares = shares_at(context, beats, leads, candidates.fused, request);
  const auto later = later_than_reference(context, peaks, shares, candidates.fused.reference, std::ssize(leads));
  Buffer<double, Context> chosen(context, count);
  choose_peaks(context, {beats, request.layout.samples, shares, from_host(context, later), candidates.fused.reference},
               peaks, chosen);
  return chosen;
}

// Decides which candidates are beats, and searches again where a beat seems to be missing. Returns the beats' places
// among the candidates; `beats` is the same as a set.
template <class Context>
Buffer<std::int64_t, Context> decided_beats(Context& context, const CandidateBuffers<Context>& candidates,
                                            const DetectOptions& options, double rate_hz,
                                            Buffer<std::uint32_t, Context>& beats) {
  mark_beats(context, candidates.view(),
             {static_cast<float>(options.keep), options.t_soon_s * rate_hz, options.t_late_s * rate_hz,
              static_cast<float>(options.t_soon_height), static_cast<float>(options.t_late_sharp),
              static_cast<float>(options.t_late_height)},
             beats);
  auto kept = positions(context, beats, Pick::every);
  for (int round = 0; round < options.search_rounds && kept.size() >= 3; ++round) {
    search_back(context, candidates.view(), kept, search_options(options, rate_hz), beats);
    kept = positions(context, beats, Pick::every);
  }
  return kept;
}

}  // namespace

int quality_block_samples(const DetectOptions& options, double rate_hz) {
  return std::max(rounded(options.block_s * rate_hz), 1);
}

template <class Context>
Detection<Context> detect_r_peaks(Context& context, std::span<const LeadSignal> signals, const DetectOptions& options,
                                  const QualityOptions& quality, double rate_hz, const DetectRequest& request) {
  BEATSCAN_EXPECTS(!signals.empty(), "detect_r_peaks: no lead");
  for (const auto& signal : signals)
    BEATSCAN_EXPECTS(signal.samples.size() == signals[0].samples.size(), "detect_r_peaks: leads of several lengths");
  const auto n = std::ssize(signals[0].samples);
  const CandidateReach reach(options, rate_hz);
  std::vector<SearchedLead<Context>> leads(signals.size());
  for (std::size_t l = 0; l < leads.size(); ++l) {
    leads[l].lead = signals[l];
    begin_search(context, leads[l], quality, rate_hz);  // may copy the samples: the windows get the remaining memory
  }
  const EnvelopeRequest envelope{
      options,
      quality,
      rate_hz,
      window_layout(n, reach.block, level_blocks(n, reach.block), std::max({reach.radius, reach.edge, reach.part}),
                    request.most_window_samples > 0 ? request.most_window_samples : roomy_window_samples(context)),
      reach,
      signals.size() == 1};
  Detection<Context> detection;
  auto candidates = find_candidates(context, leads, envelope, request.keep_envelope, detection);
  Buffer<std::uint32_t, Context> beats(context, words_for(candidates.at.size()));
  auto kept = decided_beats(context, candidates, options, rate_hz, beats);
  if (candidates.is_noisy) drop_noise(context, candidates, options, reach.block, rate_hz, beats, kept);
  detection.r_peaks = place_peaks(context, leads, envelope, candidates, kept);
  detection.profile.width = reach.part;
  for (auto& lead : leads) {
    auto& quality_of_lead = detection.quality.emplace_back(lead.quality.get());
    const GapList& drops = lead.silence.drop_outs;
    for (std::size_t i = 0; i < drops.firsts.size(); ++i)
      quality_of_lead.drop_outs.push_back({drops.firsts[i], drops.lasts[i] + 1});
    detection.profile.leads.push_back(std::move(lead.parts));
  }
  return detection;
}

#define BEATSCAN_DETECT_R_PEAKS(Context)                                                                  \
  template Detection<Context> detect_r_peaks(Context&, std::span<const LeadSignal>, const DetectOptions&, \
                                             const QualityOptions&, double, const DetectRequest&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_DETECT_R_PEAKS)

}  // namespace beatscan
