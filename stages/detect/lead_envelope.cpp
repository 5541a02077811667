#include "stages/detect/lead_envelope.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/detect/beats.h"
#include "kernels/machine/thread_policy.h"
#include "kernels/signal/convolve.h"
#include "kernels/signal/gaps.h"
#include "kernels/signal/parts.h"
#include "stages/detect/detect_options.h"
#include "stages/quality/quality.h"

namespace beatscan {
namespace {

int nearest_whole(double value) { return static_cast<int>(std::nearbyint(value)); }

constexpr double kBlendRate = 2.2;  // least sampling rate for blending, in multiples of the second band's centre

EnvelopeFilters filters_of(const EnvelopeRequest& request, double band_hz) {
  return {band_wavelet(band_hz, request.rate_hz), gaussian(request.options.smooth_s, request.rate_hz)};
}

// Sets the levels of blocks that far stretches touch to 0: the range of such a block is that of a step, and no QRS
// complex is steep compared with it.
void forget_levels(const GapList& far, int block, std::vector<BlockFacts>& facts) {
  for (std::size_t i = 0; i < far.firsts.size(); ++i)
    for (std::int64_t b = far.firsts[i] / block; b <= far.lasts[i] / block && b < std::ssize(facts); ++b)
      facts[b].level = 0;
}

// Makes blocks within an `off` stretch constant. The line that bridges a gap rises or falls, and would count as a
// signal that moves.
void still_lines(const GapList& off, int block, std::vector<BlockFacts>& facts) {
  for (std::size_t i = 0; i < off.firsts.size(); ++i)
    for (std::int64_t b = (off.firsts[i] + block - 1) / block;
         b < std::ssize(facts) && b * block + facts[b].samples <= off.lasts[i] + 1; ++b)
      facts[b].max = facts[b].min;
}

// Measures the parts that begin in a window.
template <class Context>
void measure_parts(Context& context, EnvelopeWindows<Context>& envelope, std::int64_t window, int width,
                   Buffer<float, Context>& parts) {
  const Stretch own = envelope.layout().own(window);
  const Stretch its{parts_for(own.first, width), parts_for(own.last, width)};
  part_maxima(context, envelope.held(window), width, its.first, part_of(parts, its));
}

// Collects the facts of a lead and returns its limits. Starts to classify the blocks while the device continues, or
// defers this (thread_policy).
template <class Context>
std::optional<SampleLimits> judge_quality(Context& context, SearchedLead<Context>& lead,
                                          EnvelopeWindows<Context>& envelope, const EnvelopeRequest& request) {
  const WindowLayout& layout = envelope.layout();
  const int block = request.reach.block;
  Buffer<BlockFacts, Context> facts(context, layout.blocks);
  block_facts(context, lead.as_read, lead.blocks.levels, block, facts);
  if (lead.parts.empty()) {
    lead.parts = Buffer<float, Context>(context, parts_for(layout.samples, request.reach.part));
    for (std::int64_t w = 0; w < layout.windows(); ++w)
      measure_parts(context, envelope, w, request.reach.part, lead.parts);
  }
  auto [host_facts, host_snr] = to_hosts(context, facts, lead.blocks.snr);
  forget_levels(lead.silence.far, block, host_facts);
  still_lines(lead.silence.off, block, host_facts);
  const auto any_below = [&snr = host_snr](double ratio) {
    return std::ranges::any_of(snr, [=](const Snr& its) { return its.over_quarter < ratio; });
  };
  lead.is_noisy = any_below(request.options.noise_begins);
  lead.may_blend =
      any_below(request.options.blend_begins) && request.rate_hz >= kBlendRate * request.options.blend_band_hz;
  const auto limits = limits_of(host_facts);
  lead.quality = std::async(thread_policy(), classify_blocks, std::move(host_facts), block, std::cref(request.quality),
                            request.rate_hz);
  return limits;
}

// Measures the lead's envelope in another band.
template <class Context>
EnvelopeBlocks<Context> blocks_in_band(Context& context, const SearchedLead<Context>& lead, double band_hz,
                                       const EnvelopeRequest& request) {
  EnvelopeWindows<Context> envelope(request.layout, [&, filters = filters_of(request, band_hz)](Stretch wanted) {
    return envelope_part(context, lead.lead.samples, filters, wanted);
  });
  return measure_blocks(context, envelope, lead.silence.stretches(), request, false);
}

// Finds out how much of the second band is blended in, block by block. Leaves `blend` empty if it is 0 everywhere.
template <class Context>
void measure_blend(Context& context, SearchedLead<Context>& lead, const EnvelopeRequest& request) {
  auto second = blocks_in_band(context, lead, request.options.blend_band_hz, request);
  Buffer<float, Context> noise(context, request.layout.blocks), shares(context, request.layout.blocks);
  noise_shares(context, lead.blocks.snr, {request.options.blend_begins, request.options.blend_full}, noise);
  blend_shares(context, lead.blocks.snr, second.snr, noise, shares);
  if (!std::ranges::any_of(to_host(context, shares), [](float share) { return share > 0; })) return;
  lead.blend = {std::move(lead.blocks.levels), std::move(second.levels), std::move(shares)};
}

}  // namespace

std::optional<SampleLimits> limits_of(const std::vector<BlockFacts>& facts) {
  std::vector<float> ranges, middles;
  for (const auto& block : facts) {
    if (block.min == block.max) continue;
    ranges.push_back(block.max - block.min);
    middles.push_back(0.5f * block.min + 0.5f * block.max);
  }
  const std::size_t n = ranges.size();
  if (n == 0) return {};
  std::ranges::nth_element(ranges, ranges.begin() + static_cast<std::ptrdiff_t>(9 * (n - 1) / 10));
  const float usual = ranges[9 * (n - 1) / 10];
  const auto far = static_cast<std::size_t>(std::ranges::count_if(ranges, [=](float r) { return r > 20 * usual; }));
  if (far == 0 || far > std::max<std::size_t>(2, n / 10)) return {};
  std::ranges::nth_element(middles, middles.begin() + static_cast<std::ptrdiff_t>(n / 2));
  return SampleLimits{middles[n / 2] - 3 * usual, middles[n / 2] + 3 * usual};
}

CandidateReach::CandidateReach(const DetectOptions& options, double rate_hz)
    : block(quality_block_samples(options, rate_hz)),
      radius(nearest_whole(options.distance_s * rate_hz)),
      edge(nearest_whole(options.edge_s * rate_hz)),
      part(std::max(nearest_whole(EnvelopeProfile<Cpu>::kPart_s * rate_hz), 1)) {}

template <class Context>
EnvelopeBlocks<Context> measure_blocks(Context& context, EnvelopeWindows<Context>& envelope,
                                       const SilentStretches& silence, const EnvelopeRequest& request,
                                       std::optional<bool> wants_candidates) {
  const DetectOptions& options = request.options;
  const CandidateReach& reach = request.reach;
  const bool candidates = wants_candidates.value_or(request.candidates);
  const WindowLayout& layout = envelope.layout();
  EnvelopeBlocks<Context> found{
      {context, layout.blocks}, {context, layout.blocks}, {context, layout.blocks}, {context, 0}};
  Buffer<BlockRest, Context> rest(context, layout.blocks);
  Buffer<std::uint32_t, Context> words(context, candidates ? words_for(layout.samples) : 0);
  for (std::int64_t w = 0; w < layout.windows(); ++w) {
    const Stretch blocks = layout.blocks_of(w), own = layout.own(w);
    block_maxima(context, envelope.own(w), reach.block, part_of(found.maxima, blocks));
    block_rest(context, {envelope.own(w), own.first, silence.off}, reach.block, part_of(rest, blocks));
    if (!candidates) continue;
    // Near a window end that is no end of the recording the set is wrong, so only the set of the window's own samples
    // is used.
    const SignalPart held = envelope.held(w);
    Buffer<std::uint32_t, Context> marked(context, words_for(std::ssize(held.values)));
    mark_candidates(context, held.values, reach.radius, reach.edge, marked);
    const std::int64_t skipped = (own.first - held.first) / 32, count = words_for(own.size());
    copy<std::uint32_t>(context, part_of(marked, {skipped, skipped + count}),
                        part_of(words, {own.first / 32, own.first / 32 + count}));
  }
  for (const Gaps& silent : {silence.off, silence.still})
    forget_missing(context, silent, layout.samples, reach.block, found.maxima);
  const LevelOptions level{reach.block, options.level_blocks, options.floor_local, options.floor_peak};
  local_levels(context, found.maxima, level, found.levels);
  block_snr(context, found.levels, rest, options.level_blocks, found.snr);
  if (candidates) found.candidates = positions(context, words, Pick::every);
  return found;
}

template <class Context>
typename EnvelopeWindows<Context>::Make lead_envelope(Context& context, const SearchedLead<Context>& lead,
                                                      const EnvelopeRequest& request) {
  return [&context, &lead, block = request.reach.block, usual = filters_of(request, request.options.band_hz),
          sharp = filters_of(request, request.options.blend_band_hz)](Stretch wanted) {
    auto envelope = envelope_part(context, lead.lead.samples, usual, wanted);
    if (lead.blend.shares.size() > 0)
      blend_bands(context, envelope, wanted.first, envelope_part(context, lead.lead.samples, sharp, wanted),
                  {lead.blend.levels, block}, {lead.blend.sharp_levels, block}, lead.blend.shares);
    return envelope;
  };
}

namespace {

// Makes a copy of the samples that may be changed, unless there is one.
template <class Context>
void begin_mending(Context& context, SearchedLead<Context>& lead) {
  if (!lead.mended.empty()) return;
  lead.mended = Buffer<float, Context>(context, std::ssize(lead.as_read));
  copy<float>(context, lead.as_read, lead.mended);
  lead.lead.samples = lead.mended;
}

// Measures the samples as they are now.
template <class Context>
void measure_lead(Context& context, SearchedLead<Context>& lead, EnvelopeWindows<Context>& envelope,
                  const EnvelopeRequest& request) {
  lead.blocks = measure_blocks(context, envelope, lead.silence.stretches(), request);
}

// Measures the samples as they are now, and judges the quality. Returns the limits.
template <class Context>
std::optional<SampleLimits> measure_and_judge(Context& context, SearchedLead<Context>& lead,
                                              EnvelopeWindows<Context>& envelope, const EnvelopeRequest& request) {
  measure_lead(context, lead, envelope, request);
  return judge_quality(context, lead, envelope, request);
}

}  // namespace

template <class Context>
void begin_search(Context& context, SearchedLead<Context>& lead, const QualityOptions& quality, double rate_hz) {
  lead.as_read = lead.lead.samples;
  lead.silence = silence_of(context, lead.as_read, lead.lead.gaps, quality.bridge_s, rate_hz);
  if (lead.silence.far.firsts.empty()) return;
  begin_mending(context, lead);
  bridge_gaps(context, lead.as_read, lead.mended, from_host(context, lead.silence.far.firsts),
              from_host(context, lead.silence.far.lasts));
}

template <class Context>
void search_lead(Context& context, SearchedLead<Context>& lead, EnvelopeWindows<Context>& envelope,
                 const EnvelopeRequest& request) {
  const auto& options = request.options;
  if (const auto limits = measure_and_judge(context, lead, envelope, request)) {
    begin_mending(context, lead);
    clamp(context, lead.lead.samples, limits->low, limits->high, lead.mended);
    auto quality = std::move(lead.quality);  // that of the samples as they are
    envelope.forget();
    measure_and_judge(context, lead, envelope, request);
    lead.quality = std::move(quality);
  }
  lead.noise = Buffer<float, Context>(context, request.layout.blocks);
  noise_shares(context, lead.blocks.snr, {options.noise_begins, options.noise_full}, lead.noise);
  if (!lead.may_blend) return;
  envelope.forget();
  measure_blend(context, lead, request);
  if (lead.blend.shares.size() > 0) measure_lead(context, lead, envelope, request);
}

#define BEATSCAN_LEAD_ENVELOPE(Context)                                                                        \
  template EnvelopeBlocks<Context> measure_blocks(Context&, EnvelopeWindows<Context>&, const SilentStretches&, \
                                                  const EnvelopeRequest&, std::optional<bool>);                \
  template typename EnvelopeWindows<Context>::Make lead_envelope(Context&, const SearchedLead<Context>&,       \
                                                                 const EnvelopeRequest&);                      \
  template void begin_search(Context&, SearchedLead<Context>&, const QualityOptions&, double);                 \
  template void search_lead(Context&, SearchedLead<Context>&, EnvelopeWindows<Context>&, const EnvelopeRequest&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEAD_ENVELOPE)

}  // namespace beatscan
