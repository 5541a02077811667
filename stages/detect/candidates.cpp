#include "stages/detect/candidates.h"

#include "kernels/detect/local_band.h"
#include "kernels/signal/wavelets.h"
#include "stages/detect/detect.h"
#include "stages/detect/envelope.h"
#include "stages/detect/lead_envelope.h"

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
  if (leads.size() > 1) search_together(context, leads, request, keep_envelope, found, detection);
  measure_sharpness(context, leads, request, found);
  return found;
}

#define BEATSCAN_FIND_CANDIDATES(Context)                                                           \
  template CandidateBuffers<Context> find_candidates(Context&, std::vector<SearchedLead<Context>>&, \
                                                     const EnvelopeRequest&, bool, Detection<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FIND_CANDIDATES)

}  // namespace beatscan
