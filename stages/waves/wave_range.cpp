#include "stages/waves/wave_range.h"

#include <algorithm>

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/local_averages.h"
#include "kernels/waves/missing.h"
#include "kernels/waves/non_conducted.h"
#include "kernels/waves/wave_confidence.h"
#include "kernels/waves/window.h"

namespace beatscan {

using namespace waves;

template <class Context>
RangeDelineation<Context>::RangeDelineation(Context& context, const WaveInputs<Context>& inputs,
                                            WaveArrays<Context>& arrays, std::int64_t most_beats)
    : context_(context),
      inputs_(inputs),
      arrays_(arrays),
      masks_(context, most_beats * kMasks * kValues),
      mean_(context, inputs.leads.size() > 1 ? masks_.size() : 0),
      lead_fiducials_(context, std::ssize(inputs.leads) * most_beats * kFiducials),
      fiducials_(context, most_beats * kFiducials),
      lead_evidence_(context, std::ssize(inputs.leads) * most_beats),
      p_evidence_(context, most_beats),
      tq_mv_(context, most_beats),
      levels_(context, most_beats) {
  const std::int64_t most_cut = std::min(most_beats + 2 * kAverageReach, inputs.beats());
  for (std::size_t l = 0; l < inputs.leads.size(); ++l)
    windows_.push_back({.cut = {context, most_cut * kValues},
                        .averages = {context, most_beats * kValues},
                        .heights = {context, most_beats},
                        .single = {}});
}

template <class Context>
std::int64_t RangeDelineation<Context>::bytes_a_beat(std::int64_t leads) {
  const std::int64_t of_lead = 2 * kValues + kFiducials + 2, of_beat = kMasks * kValues + kFiducials + 3;
  return static_cast<std::int64_t>(sizeof(float)) *
         (leads * of_lead + of_beat + (leads > 1 ? std::int64_t{kMasks} * kValues : 0));
}

template <class Context>
std::vector<NonConductedWave> RangeDelineation<Context>::run(const BeatRange& range) {
  const std::int64_t leads = std::ssize(inputs_.leads), beats = range.beats();
  ExtraWindows extra = extra_windows_of(range);
  for (std::int64_t l = 0; l < leads; ++l) delineate_lead(range, l, extra);
  const auto fused = fiducials_.span().first(beats * kFiducials), evidence = p_evidence_.span().first(beats);
  fuse_fiducials(context_, lead_fiducials_.span().first(leads * beats * kFiducials), fused);
  fuse_evidence(context_, lead_evidence_.span().first(leads * beats), evidence);
  for (std::int64_t l = 0; l < leads; ++l) measure_lead(range, l);
  keep(range, fused, kFiducials, arrays_.fiducials);
  keep(range, evidence, 1, arrays_.p_evidence);
  const auto& mean = leads > 1 ? mean_ : masks_;
  auto found =
      to_host(context_, non_conducted_waves(context_, range.of(inputs_.after.span()),
                                            mean.span().first(beats * kMasks * kValues), extra.list, extra.masks));
  for (NonConductedWave& wave : found) wave.beat += range.begin;
  return found;
}

// Finds the waves of one lead, and adds its masks of single beats to the mean over leads.
template <class Context>
void RangeDelineation<Context>::delineate_lead(const BeatRange& range, std::int64_t l, ExtraWindows& extra) {
  const WaveLead<Context>& lead = inputs_.leads[l];
  const std::int64_t leads = std::ssize(inputs_.leads), beats = range.beats();
  LeadWindows& windows = windows_[l];
  cut(range, lead, windows);
  const auto masks = masks_.span().first(beats * kMasks * kValues);
  const auto heights = windows.heights.span().first(beats);
  const auto fiducials = lead_fiducials_.span().subspan(l * beats * kFiducials, beats * kFiducials);
  const auto r = range.of(inputs_.r.span()), before = range.of(inputs_.before.span());
  const auto marks = range.of(inputs_.marks.span());
  masks_of(lead, windows.averages.span().first(beats * kValues), heights, marks, r, masks);
  beat_waves(context_, masks, before, range.of(inputs_.after.span()), fiducials);
  keep(range, heights, 1, arrays_.lead_heights.span().subspan(l * inputs_.beats()));
  for (const Mask wave : {kMaskQrs, kMaskT}) keep_level(range, l, masks, wave);
  masks_of(lead, windows.single, heights, marks, r, masks);
  keep_level(range, l, masks, kMaskP);
  p_evidence(context_, masks, before, fiducials, lead_evidence_.span().subspan(l * beats, beats));
  leave_out_truncated(context_, lead.signal, r, fiducials);
  keep(range, fiducials, kFiducials, arrays_.lead_fiducials.span().subspan(l * inputs_.beats() * kFiducials));
  if (leads > 1) add_masks(context_, masks, 1 / static_cast<float>(leads), l == 0, mean_.span().first(masks.size()));
  add_extra_masks(lead, heights, l == 0, extra);
}

template <class Context>
void RangeDelineation<Context>::cut(const BeatRange& range, const WaveLead<Context>& lead, LeadWindows& windows) {
  const std::int64_t low = std::max<std::int64_t>(range.begin - kAverageReach, 0), skip = range.begin - low;
  const std::int64_t count = std::min(range.end + kAverageReach, inputs_.beats()) - low, beats = range.beats();
  const auto cut = windows.cut.span().first(count * kValues);
  cut_windows(context_, lead.signal, lead.levels, inputs_.table, inputs_.r.span().subspan(low, count), cut);
  local_averages(context_, cut, inputs_.labels.span().subspan(low, count), skip,
                 windows.averages.span().first(beats * kValues), windows.heights.span().first(beats));
  windows.single = cut.subspan(skip * kValues, beats * kValues);
}

template <class Context>
void RangeDelineation<Context>::masks_of(const WaveLead<Context>& lead, std::span<const float> windows,
                                         std::span<const float> heights, std::span<const Marks> marks,
                                         std::span<const double> places, std::span<float> masks) {
  wave_masks(context_, inputs_.net, windows, heights, marks, masks);
  clear_missing(context_, lead.signal, places, masks);
}

template <class Context>
auto RangeDelineation<Context>::extra_windows_of(const BeatRange& range) -> ExtraWindows {
  const auto before = range.of(inputs_.before.span()), after = range.of(inputs_.after.span());
  ExtraWindows extra{
      .list = extra_windows(context_, after.first(after.size() - 1)), .places = {}, .marks = {}, .masks = {}};
  const std::int64_t count = extra.list.size();
  if (count == 0) return extra;
  extra.places = {context_, count};
  extra.marks = {context_, count};
  extra.masks = {context_, count * kMasks * kValues};
  place_extra_windows(context_, extra.list, range.of(inputs_.r.span()), inputs_.rate_hz, before, after, extra.places,
                      extra.marks);
  return extra;
}

template <class Context>
void RangeDelineation<Context>::add_extra_masks(const WaveLead<Context>& lead, std::span<const float> heights,
                                                bool first_lead, ExtraWindows& extra) {
  const std::int64_t count = extra.list.size();
  if (count == 0) return;
  Floats windows(context_, count * kValues), of_extra(context_, count), masks(context_, extra.masks.size());
  cut_windows(context_, lead.signal, lead.levels, inputs_.table, extra.places, windows);
  extra_heights(context_, extra.list, heights, of_extra);
  masks_of(lead, windows, of_extra, extra.marks, extra.places, masks);
  add_masks(context_, masks, 1 / static_cast<float>(inputs_.leads.size()), first_lead, extra.masks);
}

// Stores the level of a mask within the waves of one lead.
template <class Context>
void RangeDelineation<Context>::keep_level(const BeatRange& range, std::int64_t l, std::span<const float> masks,
                                           Mask wave) {
  const std::int64_t beats = range.beats();
  const auto levels = levels_.span().first(beats);
  mask_levels(context_, masks, lead_fiducials_.span().subspan(l * beats * kFiducials, beats * kFiducials), wave,
              levels);
  keep(range, levels, 1, arrays_.lead_levels.span().subspan((l * kMasks + wave) * inputs_.beats()));
}

// Measures amplitudes, the activity between T wave and next beat, and shapes of P waves in one lead.
template <class Context>
void RangeDelineation<Context>::measure_lead(const BeatRange& range, std::int64_t l) {
  const LeadWindows& windows = windows_[l];
  const std::int64_t leads = std::ssize(inputs_.leads), beats = range.beats(), all = inputs_.beats();
  const std::span<const float> averages = windows.averages.span().first(beats * kValues);
  const std::span<const float> fused = fiducials_.span().first(beats * kFiducials);
  const std::span<const float> own = lead_fiducials_.span().subspan(l * beats * kFiducials, beats * kFiducials);
  const auto own_fused = range.own_in(fused, kFiducials);
  const auto of_lead = [&](Floats& array, std::int64_t width) {
    return range.own_of(array.span().subspan(l * all * width, all * width), width);
  };
  wave_amplitudes(context_, range.own_in(averages, kValues), range.own_in(range.of(inputs_.after.span()), 1),
                  range.own_in(own, kFiducials), own_fused, inputs_.st_values,
                  of_lead(arrays_.lead_amplitudes, kAmplitudes));
  const auto tq_mv = tq_mv_.span().first(beats);
  tq_activity(context_, windows.single, range.of(inputs_.before.span()), own, fused, tq_mv);
  keep(range, tq_mv, 1, arrays_.lead_tq_mv.span().subspan(l * all));
  p_shapes(context_, range.own_in(windows.single, kValues), own_fused, l,
           range.own_of(arrays_.shapes, leads * kShapeValues));
}

// Copies what a range found of its own beats, `width` values each, to their places in the array of all beats.
template <class Context>
void RangeDelineation<Context>::keep(const BeatRange& range, std::span<const float> of_range, std::int64_t width,
                                     std::span<float> all) {
  copy(context_, range.own_in(of_range, width), range.own_of(all, width));
}

#define BEATSCAN_WAVE_RANGE(Context) template class RangeDelineation<Context>;
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_WAVE_RANGE)

}  // namespace beatscan
