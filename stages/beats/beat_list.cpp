#include "stages/beats/beat_list.h"

#include <algorithm>
#include <utility>

#include "kernels/beats/judge_beats.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

struct FlatStretches {
  std::vector<std::int64_t> firsts, lasts;
};

FlatStretches flat_stretches(const SignalQuality& quality, std::int64_t samples) {
  FlatStretches flat;
  for (const auto& stretch : poor_stretches(quality, samples))
    if (stretch.kind == Quality::flat) {
      flat.firsts.push_back(stretch.first);
      flat.lasts.push_back(stretch.last - 1);
    }
  return flat;
}

// The gaps that are too long to be bridged.
struct LongGaps {
  std::vector<std::int64_t> firsts, lasts;
};

LongGaps long_gaps(const std::vector<std::int64_t>& firsts, const std::vector<std::int64_t>& lasts, double bridge_s,
                   double rate) {
  LongGaps gaps;
  for (std::size_t i = 0; i < firsts.size(); ++i)
    if (!is_bridged(firsts[i], lasts[i], bridge_s, rate)) {
      gaps.firsts.push_back(firsts[i]);
      gaps.lasts.push_back(lasts[i]);
    }
  return gaps;
}

// What surrounds the beats in one lead.
template <class Context>
struct LeadSurroundings {
  Buffer<std::int64_t, Context> gap_firsts, gap_lasts, flat_firsts, flat_lasts;
  Buffer<Quality, Context> blocks;
  std::int64_t block_samples;
};

// Also marks the blocks of missing samples in `quality`.
template <class Context>
LeadSurroundings<Context> surroundings_of(Context& context, const RecordedLead<Context>& lead, double bridge_s,
                                          double rate, SignalQuality& quality) {
  LongGaps gaps;
  if (!lead.gap_firsts.empty()) {
    const auto firsts = to_host(context, lead.gap_firsts), lasts = to_host(context, lead.gap_lasts);
    mark_missing(quality, firsts, lasts);
    gaps = long_gaps(firsts, lasts, bridge_s, rate);
  }
  const auto flat = flat_stretches(quality, lead.samples.size());
  return {from_host(context, gaps.firsts), from_host(context, gaps.lasts),     from_host(context, flat.firsts),
          from_host(context, flat.lasts),  from_host(context, quality.blocks), quality.block_samples};
}

template <class Context>
BeatJudgement view_of(JudgedBeats<Context>& beats) {
  return {beats.fates, beats.quality, beats.trusted, beats.broken};
}

// Judges the beats in one lead.
template <class Context>
JudgedBeats<Context> judge(Context& context, const Buffer<double, Context>& r_peaks,
                           const LeadSurroundings<Context>& around, RowReach reach, double rate, QualitySet trusted) {
  const std::int64_t count = r_peaks.size();
  JudgedBeats<Context> judged{
      {context, count}, {context, count}, {context, count}, {context, std::max<std::int64_t>(count - 1, 0)}};
  judge_beats(context, r_peaks,
              {{around.gap_firsts, around.gap_lasts},
               {around.flat_firsts, around.flat_lasts},
               around.blocks,
               around.block_samples,
               reach.before_s * rate,
               reach.after_s * rate,
               trusted},
              view_of(judged));
  return judged;
}

constexpr std::int64_t kFewestTrusted = 2;

template <class Context>
bool counts(Context& context, const JudgedBeats<Context>& judged) {
  return positions_of(context, judged.trusted, 1).size() >= kFewestTrusted;
}

template <class Context>
struct JudgedLeads {
  std::vector<JudgedBeats<Context>> leads;  // [L]
  std::vector<std::uint8_t> counting;       // [L]
  Quality worst_trusted = Quality::good;
};

// Judges the beats in all leads. Poorer signal is trusted while too few beats are trusted in each of them.
template <class Context>
JudgedLeads<Context> judge_leads(Context& context, const Buffer<double, Context>& r_peaks,
                                 const std::vector<LeadSurroundings<Context>>& around, RowReach reach, double rate) {
  JudgedLeads<Context> judged;
  QualitySet trusted = 0;
  for (const Quality worst : {Quality::good, Quality::noisy, Quality::clipped}) {
    trusted |= only(worst);
    judged = {};
    for (const auto& lead : around) {
      judged.leads.push_back(judge(context, r_peaks, lead, reach, rate, trusted));
      judged.counting.push_back(counts(context, judged.leads.back()));
    }
    judged.worst_trusted = worst;
    if (std::ranges::count(judged.counting, 1) > 0) return judged;
  }
  judged.worst_trusted = Quality::good;  // there is nothing to trust, and the caller will say so
  std::ranges::fill(judged.counting, 1);
  return judged;
}

template <class Context>
JudgedBeats<Context> copied(Context& context, const JudgedBeats<Context>& beats) {
  const std::int64_t count = beats.fates.size();
  JudgedBeats<Context> copies{{context, count}, {context, count}, {context, count}, {context, beats.broken.size()}};
  copy<Quality>(context, beats.quality, copies.quality);
  copy<Fate>(context, beats.fates, copies.fates);
  copy<std::uint8_t>(context, beats.trusted, copies.trusted);
  copy<std::uint8_t>(context, beats.broken, copies.broken);
  return copies;
}

// Joins the judgements of the leads that count. Empties those of the others.
template <class Context>
BeatBuffers<Context> joined(Context& context, JudgedLeads<Context> judged, Buffer<double, Context> r_peaks) {
  if (judged.leads.size() == 1) return {{std::move(judged.leads.front())}, std::move(r_peaks)};
  const auto first = std::ranges::find(judged.counting, 1) - judged.counting.begin();
  BeatBuffers<Context> beats{{copied(context, judged.leads[first])}, std::move(r_peaks)};
  for (std::size_t l = 0; l < judged.leads.size(); ++l)
    if (judged.counting[l])
      join_judgements(context, view_of(judged.leads[l]), view_of(beats));
    else
      judged.leads[l] = {};
  beats.leads = std::move(judged.leads);
  return beats;
}

}  // namespace

template <class Context>
FoundBeats<Context> list_beats(Context& context, const Recording<Context>& recording, Detection<Context> detection,
                               RowReach reach, double bridge_s, double rate) {
  BEATSCAN_EXPECTS(detection.quality.size() == recording.leads.size(), "list_beats: quality of other leads");
  std::vector<LeadSurroundings<Context>> around;
  for (std::size_t l = 0; l < recording.leads.size(); ++l)
    around.push_back(surroundings_of(context, recording.leads[l], bridge_s, rate, detection.quality[l]));
  auto judged = judge_leads(context, detection.r_peaks, around, reach, rate);
  SignalQuality quality = best_quality(detection.quality, judged.counting);
  const Quality worst_trusted = judged.worst_trusted;
  return {joined(context, std::move(judged), std::move(detection.r_peaks)), std::move(detection.quality),
          std::move(quality), worst_trusted};
}

#define BEATSCAN_BEAT_LIST(Context)                                                                                  \
  template FoundBeats<Context> list_beats(Context&, const Recording<Context>&, Detection<Context>, RowReach, double, \
                                          double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_LIST)

}  // namespace beatscan
