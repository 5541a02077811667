#include "stages/detect/beat_list.h"

#include <algorithm>
#include <utility>

#include "kernels/detect/judge_beats.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "stages/detect/detect.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/lead_silence.h"
#include "stages/quality/quality.h"

namespace beatscan {

namespace {

GapList flat_stretches(const SignalQuality& quality) {
  GapList flat;
  for (const Stretch& stretch : quality.off) {
    flat.firsts.push_back(stretch.first);
    flat.lasts.push_back(stretch.last - 1);
  }
  return flat;
}

// Holds what surrounds the beats in one lead: gaps, flat stretches, blocks.
template <class Context>
struct LeadSurroundings {
  Buffer<std::int64_t, Context> gap_firsts, gap_lasts, flat_firsts, flat_lasts;
  Buffer<Quality, Context> blocks;
  std::int64_t block_samples;
};

// Returns the gaps of a lead that are not bridged. Marks the blocks of missing samples in `quality`.
template <class Context>
GapList unbridged_gaps(Context& context, const RecordedLead<Context>& lead, double bridge_s, double rate,
                       SignalQuality& quality) {
  if (lead.gap_firsts.empty()) return {};
  const GapList all{to_host(context, lead.gap_firsts), to_host(context, lead.gap_lasts)};
  mark_missing(quality, all.firsts, all.lasts, lead.samples.size());
  return long_gaps(all, bridge_s, rate);
}

template <class Context>
LeadSurroundings<Context> surroundings_of(Context& context, const GapList& gaps, const SignalQuality& quality) {
  const auto flat = flat_stretches(quality);
  return {from_host(context, gaps.firsts), from_host(context, gaps.lasts),     from_host(context, flat.firsts),
          from_host(context, flat.lasts),  from_host(context, quality.blocks), quality.block_samples};
}

template <class Context>
BeatJudgement view_of(JudgedBeats<Context>& beats) {
  return {beats.outcomes, beats.quality, beats.trusted, beats.broken, beats.clear};
}

// Judges the beats in one lead. Also determines clear intervals if `clear` is true.
template <class Context>
JudgedBeats<Context> judge(Context& context, const Buffer<double, Context>& r_peaks,
                           const LeadSurroundings<Context>& around, Surroundings surroundings, bool clear) {
  const std::int64_t count = r_peaks.size(), intervals = std::max<std::int64_t>(count - 1, 0);
  JudgedBeats<Context> judged{
      {context, count}, {context, count}, {context, count}, {context, intervals}, {context, clear ? intervals : 0}};
  surroundings.gaps = {around.gap_firsts, around.gap_lasts};
  surroundings.flat = {around.flat_firsts, around.flat_lasts};
  surroundings.blocks = around.blocks;
  surroundings.block_samples = around.block_samples;
  judge_beats(context, r_peaks, surroundings, view_of(judged));
  return judged;
}

constexpr std::int64_t kFewestTrusted = 2, kManyTrusted = 30;

template <class Context>
struct JudgedLead {
  JudgedBeats<Context> beats;
  Quality worst_trusted = Quality::good;
  bool counts = false;  // whether at least two of its beats are trusted
};

// Returns how many trusted beats are enough for one of several leads.
template <class Context>
std::int64_t enough_trusted(Context& context, const JudgedBeats<Context>& judged) {
  const std::span<const std::uint8_t> outcomes{reinterpret_cast<const std::uint8_t*>(judged.outcomes.data()),
                                               static_cast<std::size_t>(judged.outcomes.size())};
  const auto kept = positions_of(context, outcomes, static_cast<std::uint8_t>(Outcome::kept)).size();
  return std::clamp(kept / 10, kFewestTrusted, kManyTrusted);
}

// Judges the beats in a lead. Poorer signal is trusted while too few beats are trusted.
template <class Context>
JudgedLead<Context> judge_lead(Context& context, const Buffer<double, Context>& r_peaks,
                               const LeadSurroundings<Context>& around, Surroundings surroundings, bool is_only_one) {
  JudgedLead<Context> judged;
  surroundings.trusted = 0;
  for (const Quality worst : {Quality::good, Quality::noisy, Quality::clipped}) {
    surroundings.trusted |= only(worst);
    judged = {judge(context, r_peaks, around, surroundings, !is_only_one), worst};
    const auto trusted = positions_of(context, judged.beats.trusted, 1).size();
    judged.counts = trusted >= kFewestTrusted;
    if (trusted >= (is_only_one ? kFewestTrusted : enough_trusted(context, judged.beats))) break;
  }
  return judged;
}

// Returns the initial judgements of a join: every other judgement is at least as good.
template <class Context>
JudgedBeats<Context> worst_of_all(Context& context, std::int64_t count) {
  const std::vector<Outcome> outcomes(count, Outcome::in_gap);
  const std::vector<Quality> quality(count, Quality::missing);
  const std::vector<std::uint8_t> none(count), intervals(std::max<std::int64_t>(count - 1, 0));
  return {from_host(context, quality), from_host(context, outcomes), from_host(context, none),
          from_host(context, intervals), from_host(context, intervals)};
}

// Joins the judgements of the leads that count, and trusts those that need no worse signal than `worst_trusted`.
// Empties the judgements of the other leads.
template <class Context>
BeatBuffers<Context> joined(Context& context, std::vector<JudgedLead<Context>> judged, Quality worst_trusted,
                            Buffer<double, Context> r_peaks) {
  if (judged.size() == 1) return {{std::move(judged.front().beats)}, std::move(r_peaks)};
  BeatBuffers<Context> beats{{worst_of_all(context, r_peaks.size())}, std::move(r_peaks)};
  auto untrusted = from_host(context, std::vector<std::uint8_t>(beats.r_peaks.size()));
  for (auto& lead : judged) {
    if (!lead.counts) {
      beats.leads.emplace_back();
      continue;
    }
    BeatJudgement view = view_of(lead.beats);
    if (poorness(lead.worst_trusted) > poorness(worst_trusted)) view.trusted = untrusted;
    join_judgements(context, view, view_of(beats));
    beats.leads.push_back(std::move(lead.beats));
  }
  settle_intervals(context, beats.clear, beats.broken);
  return beats;
}

}  // namespace

template <class Context>
FoundBeats<Context> list_beats(Context& context, const Recording<Context>& recording, Detection<Context> detection,
                               const QualityIndex& index, RowReach reach, double bridge_s, double rate) {
  BEATSCAN_EXPECTS(detection.quality.size() == recording.leads.size(), "list_beats: quality of other leads");
  const Surroundings rows{.before = reach.before_s * rate, .after = reach.after_s * rate};
  std::vector<JudgedLead<Context>> judged;
  for (std::size_t l = 0; l < recording.leads.size(); ++l) {
    SignalQuality& quality = detection.quality[l];
    const auto gaps = unbridged_gaps(context, recording.leads[l], bridge_s, rate, quality);
    mark_noise(quality, index, static_cast<std::int64_t>(l), recording.samples(), bridge_s * rate);
    const auto around = surroundings_of(context, gaps, quality);
    judged.push_back(judge_lead(context, detection.r_peaks, around, rows, recording.leads.size() == 1));
  }
  std::vector<SignalNature> natures;
  std::vector<std::uint8_t> counting;
  for (std::size_t l = 0; l < judged.size(); ++l) {
    natures.push_back(detection.quality[l].nature);
    counting.push_back(judged[l].counts);
  }
  counting = likely_leads(natures, std::move(counting));
  for (std::size_t l = 0; l < judged.size(); ++l) judged[l].counts = counting[l];
  // If no lead counts, no beat is trusted, and the caller throws.
  if (std::ranges::none_of(judged, &JudgedLead<Context>::counts))
    for (auto& lead : judged) lead.counts = true, lead.worst_trusted = Quality::good;
  counting.clear();
  Quality worst = Quality::missing;
  for (const auto& lead : judged) {
    counting.push_back(lead.counts);
    if (lead.counts) worst = std::ranges::min(worst, lead.worst_trusted, {}, poorness);
  }
  SignalQuality quality = best_quality(detection.quality, counting);
  return {joined(context, std::move(judged), worst, std::move(detection.r_peaks)), std::move(detection.quality),
          std::move(quality), worst};
}

#define BEATSCAN_BEAT_LIST(Context)                                                                \
  template FoundBeats<Context> list_beats(Context&, const Recording<Context>&, Detection<Context>, \
                                          const QualityIndex&, RowReach, double, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_LIST)

}  // namespace beatscan
