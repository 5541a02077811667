#include "stages/beats/candidates.h"

#include <algorithm>

#include "kernels/detection/local_band.h"
#include "kernels/signal/wavelets.h"
#include "stages/beats/detect.h"
#include "stages/beats/envelope.h"
#include "stages/beats/faint.h"
#include "stages/beats/lead_envelope.h"
#include "stages/beats/slow_rhythm.h"

namespace beatscan {
namespace {

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

// Returns which blocks are slow in any lead, those left out in which another lead shows beats between; nothing where
// none is.
template <class Context>
std::vector<std::uint8_t> slow_in_any(Context& context, const std::vector<SearchedLead<Context>>& leads) {
  std::vector<std::uint8_t> slow;
  for (const auto& lead : leads) {
    if (lead.slow.empty()) continue;
    const bool hides_beats = std::ranges::any_of(leads, [&](const auto& other) {
      return &other != &lead &&
             shows_beats_between(other.maxima, rest_of(context, other.blocks), lead.maxima, lead.slow);
    });
    if (hides_beats) continue;
    slow.resize(lead.slow.size());
    for (std::size_t b = 0; b < slow.size(); ++b) slow[b] |= lead.slow[b];
  }
  return slow;
}

// Makes a block that is slow in one lead slow in all, so that the levels of all leads are those of beats.
template <class Context>
void share_slow_blocks(Context& context, std::vector<SearchedLead<Context>>& leads, const EnvelopeRequest& request) {
  if (std::ranges::all_of(leads, [](const auto& lead) { return lead.slow.empty(); })) return;
  const auto slow = slow_in_any(context, leads);
  for (auto& lead : leads) {
    if (lead.slow == slow) continue;
    lead.slow = slow;
    EnvelopeWindows<Context> envelope(request.layout, lead_envelope(context, lead, request));
    measure_again(context, lead, envelope, request);
  }
}

// Joins the leads in one envelope, and finds its candidates and its noise.
template <class Context>
void search_together(Context& context, const std::vector<SearchedLead<Context>>& leads, const EnvelopeRequest& request,
                     bool keep_envelope, CandidateBuffers<Context>& found, Detection<Context>& detection) {
  found.fused = weigh_leads(context, leads, request);
  EnvelopeWindows<Context> envelope(request.layout, fused_envelope(context, leads, found.fused, request));
  auto blocks = measure_blocks(context, envelope, {}, leads.front().slow, request, true);
  take_candidates(context, envelope, blocks, request.reach.block, found);
  if (keep_envelope) detection.envelope = joined(context, envelope);
  found.noise = Buffer<float, Context>(context, request.layout.blocks);
  noise_shares(context, blocks.clarity, {request.options.noise_begins, request.options.noise_full}, found.noise);
  Buffer<float, Context> own(context, found.fused.weights.size());
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    copy<float>(context, leads[l].noise, part_of(own, {l * request.layout.blocks, (l + 1) * request.layout.blocks}));
  limit_noise(context, own, found.fused.weights, found.noise);
  for (const auto& lead : leads) found.is_noisy |= lead.is_noisy;
}

// Returns the loudness of each block: that of one lead, or the weighted mean of all leads'.
template <class Context>
std::vector<float> joint_loudness(Context& context, const std::vector<SearchedLead<Context>>& leads,
                                  const FusedLeads<Context>& fused, std::int64_t blocks) {
  if (leads.size() == 1) return leads.front().loudness;
  const auto weights = to_host(context, fused.weights);
  std::vector<float> sum(blocks);
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    for (std::int64_t b = 0; b < blocks; ++b) sum[b] += weights[l * blocks + b] * leads[l].loudness[b];
  return sum;
}

// Excludes the P waves of a ventricular standstill, and lists them.
template <class Context>
void leave_out_faint(Context& context, const std::vector<SearchedLead<Context>>& leads, const EnvelopeRequest& request,
                     CandidateBuffers<Context>& found, Detection<Context>& detection) {
  if (std::ranges::none_of(leads, &SearchedLead<Context>::is_quiet)) return;
  auto [at, sharpness, height] = to_hosts(context, found.at, found.sharpness, found.height);
  const auto noise = to_host(context, found.noise);
  const auto loudness = joint_loudness(context, leads, found.fused, request.layout.blocks);
  std::vector<float> scale;
  if (leads.size() == 1) scale = to_host(context, leads.front().blocks.levels);
  const CandidateList candidates{at, sharpness, loudness, noise, scale, request.reach.block};
  detection.left_out = silence_faint(candidates, request.options.keep, height);
  found.height = from_host(context, height);
}

}  // namespace

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
  share_slow_blocks(context, leads, request);
  if (leads.size() > 1) search_together(context, leads, request, keep_envelope, found, detection);
  measure_sharpness(context, leads, request, found);
  leave_out_faint(context, leads, request, found, detection);
  return found;
}

#define BEATSCAN_FIND_CANDIDATES(Context)                                                           \
  template CandidateBuffers<Context> find_candidates(Context&, std::vector<SearchedLead<Context>>&, \
                                                     const EnvelopeRequest&, bool, Detection<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FIND_CANDIDATES)

}  // namespace beatscan
