#include "stages/detect/fused_envelope.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/runtime/parallel.h"
#include "kernels/signal/convolve.h"
#include "stages/detect/lead_envelope.h"
#include "stages/quality/quality.h"

namespace beatscan {

Stretch WindowLayout::blocks_of(std::int64_t window) const {
  return {window * window_blocks, std::min((window + 1) * window_blocks, blocks)};
}

Stretch WindowLayout::own(std::int64_t window) const {
  const Stretch its = blocks_of(window);
  return {its.first * block, its.last == blocks ? samples : its.last * block};
}

Stretch WindowLayout::held(std::int64_t window) const {
  const Stretch its = own(window);
  return {std::max<std::int64_t>(its.first - margin, 0), std::min(its.last + margin, samples)};
}

WindowLayout window_layout(std::int64_t samples, std::int64_t block, std::int64_t blocks, std::int64_t margin,
                           std::int64_t most_samples) {
  constexpr std::int64_t kWord = 32;
  const auto words = [](std::int64_t n) { return (n + kWord - 1) / kWord; };
  const std::int64_t window_blocks = std::max<std::int64_t>(std::min(most_samples / block / kWord, words(blocks)), 1);
  return {samples, block, blocks, window_blocks * kWord, words(margin) * kWord};
}

namespace {

template <class Context>
Buffer<float, Context> filtered(Context& context, std::span<const float> signal, const EnvelopeFilters& filters,
                                Stretch wanted) {
  const auto centre = [](const std::vector<double>& taps) { return static_cast<int>(taps.size() / 2); };
  const ConvolveOptions band{.lead = centre(filters.band), .beyond = Beyond::last_value, .rectify = true},
      smooth{.lead = centre(filters.smooth), .beyond = Beyond::zeros};
  const auto n = std::ssize(signal);
  const Stretch reads = convolve_reads(n, std::ssize(filters.smooth), smooth, wanted);
  const auto rectified = convolve(context, whole(signal), filters.band, band, reads);
  return convolve(context, {rectified, reads.first, n}, filters.smooth, smooth, wanted);
}

// Each thread filters some samples at a time, whose rectified band stays in its cache.
Buffer<float, Cpu> filtered_in_cache(Cpu& cpu, std::span<const float> signal, const EnvelopeFilters& filters,
                                     Stretch wanted) {
  constexpr std::int64_t kSamples = 1 << 14;
  Buffer<float, Cpu> envelope(cpu, wanted.size());
  parallel_for(cpu, wanted.size(), kSamples, [&](std::int64_t first, std::int64_t last) {
    Cpu one_thread(1);
    for (; first < last; first += kSamples) {
      const Stretch some{wanted.first + first, wanted.first + std::min(first + kSamples, last)};
      std::ranges::copy(filtered(one_thread, signal, filters, some).span(), envelope.data() + first);
    }
  });
  return envelope;
}

}  // namespace

template <class Context>
Buffer<float, Context> envelope_part(Context& context, std::span<const float> signal, const EnvelopeFilters& filters,
                                     Stretch wanted) {
  if constexpr (std::is_same_v<Context, Cpu>)
    return filtered_in_cache(context, signal, filters, wanted);
  else
    return filtered(context, signal, filters, wanted);
}

template <class Context>
SignalPart EnvelopeWindows<Context>::held(std::int64_t window) {
  const Stretch its = layout_.held(window);
  if (window_ != window) {
    values_ = {};  // frees the last window first: memory may not suffice for two
    values_ = make_(its);
    window_ = window;
  }
  return {values_, its.first, layout_.samples};
}

template <class Context>
std::span<const float> EnvelopeWindows<Context>::own(std::int64_t window) {
  const SignalPart part = held(window);
  const Stretch its = layout_.own(window);
  return part.values.subspan(static_cast<std::size_t>(its.first - part.first), static_cast<std::size_t>(its.size()));
}

template <class Context>
std::int64_t roomy_window_samples(const Context& context) {
  constexpr std::int64_t kLeast_samples = 1 << 22;           // fewer would not keep a device busy
  constexpr std::int64_t kBytesASample = 5 * sizeof(float);  // for two sums, two envelopes and a rectified band
  return std::max(context.room_bytes() / 10 * 9 / kBytesASample, kLeast_samples);
}

#define BEATSCAN_ENVELOPE(Context)                                                                                  \
  template Buffer<float, Context> envelope_part(Context&, std::span<const float>, const EnvelopeFilters&, Stretch); \
  template class EnvelopeWindows<Context>;                                                                          \
  template std::int64_t roomy_window_samples(const Context&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ENVELOPE)

namespace {

constexpr double kFilterReach_s = 0.1;  // distance from a step of the signal within which the envelope rises and falls

// Returns the lead of the largest mean weight.
std::int64_t heaviest(const std::vector<float>& weights, std::int64_t blocks) {
  std::int64_t reference = 0;
  double largest = -1;
  for (std::int64_t l = 0; l < std::ssize(weights) / blocks; ++l) {
    double sum = 0;
    for (std::int64_t b = 0; b < blocks; ++b) sum += weights[l * blocks + b];
    if (sum > largest) reference = l;
    largest = std::max(largest, sum);
  }
  return reference;
}

// Returns which leads count. Waits until all are judged.
template <class Context>
std::vector<std::uint8_t> leads_that_count(const std::vector<SearchedLead<Context>>& leads) {
  std::vector<SignalNature> natures;
  for (const auto& lead : leads) natures.push_back(lead.quality.get().nature);
  return likely_leads(natures, std::vector<std::uint8_t>(leads.size(), 1));
}

Stretch blocks_of(std::int64_t lead, const EnvelopeRequest& request) {
  return {lead * request.layout.blocks, (lead + 1) * request.layout.blocks};
}

}  // namespace

template <class Context>
FusedLeads<Context> weigh_leads(Context& context, const std::vector<SearchedLead<Context>>& leads,
                                const EnvelopeRequest& request) {
  const std::int64_t blocks = request.layout.blocks, count = std::ssize(leads) * blocks;
  FusedLeads<Context> fused{{context, count}, {context, count}, {context, count}};
  Buffer<float, Context> noise(context, count), others(context, count);
  Buffer<float, Context> remaining_noise(context, count);  // less than `noise` where the second band lowers it
  const NoiseRange range{request.options.noise_begins, request.options.noise_full};
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    copy<float>(context, leads[l].noise, part_of(noise, blocks_of(l, request)));
  least_noise_of_others(context, noise, blocks, others);
  const auto counting = leads_that_count(leads);
  for (std::int64_t l = 0; l < std::ssize(leads); ++l) {
    const auto& its = leads[l].blocks;
    lead_weights(
        context,
        {its.maxima, its.levels, its.snr, counting[l] ? 1 : kLeastHeard, part_of(others, blocks_of(l, request))},
        part_of(fused.weights, blocks_of(l, request)));
    noise_shares(context, its.snr, range, part_of(remaining_noise, blocks_of(l, request)));
    copy<float>(context, its.levels, part_of(fused.levels, blocks_of(l, request)));
    fused.any_silent |= leads[l].silence.any();
  }
  count_noise_once(context, remaining_noise, blocks, fused.weights);
  share_weights(context, fused.weights, blocks);
  still_leads(context, noise, fused.weights, blocks, fused.heard_still);
  fused.reference = heaviest(to_host(context, fused.weights), blocks);
  return fused;
}

template <class Context>
WeightedLevels share_of(const FusedLeads<Context>& fused, const std::vector<SearchedLead<Context>>& leads,
                        std::int64_t lead, const EnvelopeRequest& request) {
  const Stretch its = blocks_of(lead, request);
  const LeadSilence<Context>& silence = leads[lead].silence;
  return {part_of(fused.levels, its),
          part_of(fused.weights, its),
          request.reach.block,
          {silence.stretches().off, silence.stretches().still, part_of(fused.heard_still, its),
           std::llround(kFilterReach_s * request.rate_hz)}};
}

template <class Context>
typename EnvelopeWindows<Context>::Make fused_envelope(Context& context,
                                                       const std::vector<SearchedLead<Context>>& leads,
                                                       const FusedLeads<Context>& fused,
                                                       const EnvelopeRequest& request) {
  std::vector<typename EnvelopeWindows<Context>::Make> each_lead;
  for (const auto& lead : leads) each_lead.push_back(lead_envelope(context, lead, request));
  return [&context, &fused, &leads, &request, each_lead](Stretch wanted) {
    Buffer<float, Context> sum(context, wanted.size()), shares(context, fused.any_silent ? wanted.size() : 0);
    zero_bytes(context, sum.data(), sum.size() * sizeof(float));
    zero_bytes(context, shares.data(), shares.size() * sizeof(float));
    for (std::int64_t l = 0; l < std::ssize(each_lead); ++l)
      add_lead(context, each_lead[l](wanted), wanted.first, share_of(fused, leads, l, request), sum, shares);
    finish_fused(context, sum, shares);
    return sum;
  };
}

template <class Context>
Buffer<float, Context> shares_at(Context& context, const Buffer<std::int64_t, Context>& at,
                                 const std::vector<SearchedLead<Context>>& leads, const FusedLeads<Context>& fused,
                                 const EnvelopeRequest& request) {
  const std::int64_t count = at.size();
  Buffer<float, Context> shares(context, std::ssize(leads) * count);
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    weights_at(context, at, share_of(fused, leads, l, request), part_of(shares, {l * count, (l + 1) * count}));
  share_weights(context, shares, count);
  return shares;
}

#define BEATSCAN_FUSED_ENVELOPE(Context)                                                                               \
  template FusedLeads<Context> weigh_leads(Context&, const std::vector<SearchedLead<Context>>&,                        \
                                           const EnvelopeRequest&);                                                    \
  template WeightedLevels share_of(const FusedLeads<Context>&, const std::vector<SearchedLead<Context>>&,              \
                                   std::int64_t, const EnvelopeRequest&);                                              \
  template typename EnvelopeWindows<Context>::Make fused_envelope(Context&, const std::vector<SearchedLead<Context>>&, \
                                                                  const FusedLeads<Context>&, const EnvelopeRequest&); \
  template Buffer<float, Context> shares_at(Context&, const Buffer<std::int64_t, Context>&,                            \
                                            const std::vector<SearchedLead<Context>>&, const FusedLeads<Context>&,     \
                                            const EnvelopeRequest&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FUSED_ENVELOPE)

}  // namespace beatscan
