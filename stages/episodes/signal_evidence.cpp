#include "stages/episodes/signal_evidence.h"

#include <algorithm>

#include "kernels/beats/judge_beats.h"
#include "kernels/beats/quiet_intervals.h"
#include "kernels/runtime/error.h"
#include "stages/beats/lead_silence.h"
#include "stages/episodes/stretches.h"

namespace beatscan {
namespace {

// Returns the leads that may be an ECG, or all if none may.
std::vector<std::size_t> telling_leads(const std::vector<SignalQuality>& of_leads) {
  std::vector<SignalNature> natures;
  for (const auto& lead : of_leads) natures.push_back(lead.nature);
  const auto counting = likely_leads(natures, std::vector<std::uint8_t>(of_leads.size(), 1));
  std::vector<std::size_t> leads;
  for (std::size_t l = 0; l < counting.size(); ++l)
    if (counting[l]) leads.push_back(l);
  return leads;
}

template <class Context>
std::vector<Episode> flutter_of(Context& context, const Recording<Context>& recording,
                                const EnvelopeProfile<Context>& profile, const std::vector<SignalQuality>& of_leads,
                                const std::vector<std::size_t>& leads, double rate_hz, const FlutterOptions& options) {
  std::vector<std::vector<FlutterBlock>> blocks;
  std::vector<SignalQuality> quality;
  for (const std::size_t l : leads) {
    blocks.push_back(flutter_blocks<Context>(context, recording.leads[l].samples, profile.leads[l], profile.width,
                                             of_leads[l].usual_range, rate_hz, options));
    quality.push_back({of_leads[l].blocks, of_leads[l].block_samples});
  }
  const std::int64_t block = flutter_block_samples(rate_hz, options);
  return flutter_episodes(join_flutter_leads(blocks, quality, block), block, recording.samples(), options);
}

// Returns where a lead says nothing: gaps, and flat stretches in which an electrode is off.
template <class Context>
std::vector<Stretch> said_nothing(Context& context, const RecordedLead<Context>& lead, const SignalQuality& quality,
                                  double bridge_s, double rate_hz) {
  std::vector<Stretch> gaps;
  if (!lead.gap_firsts.empty()) {
    const GapList its =
        long_gaps({to_host(context, lead.gap_firsts), to_host(context, lead.gap_lasts)}, bridge_s, rate_hz);
    for (std::size_t i = 0; i < its.firsts.size(); ++i) gaps.push_back({its.firsts[i], its.lasts[i] + 1});
  }
  return joined_stretches(gaps, quality.off);
}

// Returns the quality of a lead's blocks, those in which an electrode is off as missing.
std::vector<Quality> blocks_with_off(const SignalQuality& lead) {
  auto blocks = lead.blocks;
  for (const Stretch& off : lead.off)
    for (std::int64_t b = off.first / lead.block_samples; b < std::ssize(blocks) && b * lead.block_samples < off.last;
         ++b)
      blocks[b] = Quality::missing;
  return blocks;
}

// Returns the intervals that are long enough to be looked at.
std::vector<std::int64_t> long_intervals(const BeatList& beats, double least, std::span<const Episode> flutter) {
  std::vector<std::int64_t> found;
  for (std::int64_t i = 0; i + 1 < std::ssize(beats.r_peaks); ++i) {
    const double start = beats.r_peaks[i], end = beats.r_peaks[i + 1];
    if (beats.broken[i] || end - start < least) continue;
    if (std::ranges::none_of(flutter, [=](const Episode& its) { return its.start < end && its.end > start; }))
      found.push_back(i);
  }
  return found;
}

// Tells which intervals are silent, [K - 1].
template <class Context>
std::vector<std::uint8_t> silent_intervals(Context& context, const EnvelopeProfile<Context>& profile,
                                           const BeatList& beats, const std::vector<SignalQuality>& of_leads,
                                           const std::vector<std::size_t>& leads, std::span<const Episode> flutter,
                                           double rate_hz, const EvidenceOptions& options) {
  std::vector<std::uint8_t> silent(beats.broken.size());
  const auto asked = long_intervals(beats, options.silent_least_s * rate_hz, flutter);
  if (asked.empty()) return silent;
  const QuietRule rule{options.silent_beside_s * rate_hz, static_cast<float>(options.silent_share),
                       options.silent_beats};
  const auto r_peaks = from_host(context, beats.r_peaks);
  const auto places = from_host(context, asked);
  std::vector<std::uint8_t> heard(asked.size()), beaten(asked.size());
  for (const std::size_t l : leads) {
    Buffer<IntervalSign, Context> found(context, std::ssize(asked));
    const auto blocks = from_host(context, blocks_with_off(of_leads[l]));
    quiet_intervals(context, r_peaks, places, {profile.leads[l], profile.width, blocks, of_leads[l].block_samples},
                    rule, found);
    const auto signs = to_host(context, found);
    for (std::size_t a = 0; a < signs.size(); ++a) {
      heard[a] |= signs[a] == IntervalSign::none;
      beaten[a] |= signs[a] == IntervalSign::beat;
    }
  }
  for (std::size_t a = 0; a < asked.size(); ++a) silent[asked[a]] = heard[a] && !beaten[a];
  return silent;
}

// Counts the beats of an episode, and tells the worst signal of those in `best`.
void complete(Episode& episode, const BeatList& beats, const SignalQuality& best) {
  const auto first = std::ranges::lower_bound(beats.r_peaks, episode.start),
             last = std::ranges::upper_bound(beats.r_peaks, episode.end);
  episode.beats = std::max<std::int64_t>(last - first, 0);
  const std::int64_t blocks = std::ssize(best.blocks);
  for (auto b = static_cast<std::int64_t>(episode.start) / best.block_samples;
       b < blocks && static_cast<double>(b * best.block_samples) < episode.end; ++b)
    episode.quality = std::ranges::max(episode.quality, best.blocks[b], {}, poorness);
}

}  // namespace

template <class Context>
SignalEvidence signal_evidence(Context& context, const Recording<Context>& recording,
                               const EnvelopeProfile<Context>& profile, const BeatList& beats,
                               const SignalQuality& best, const std::vector<SignalQuality>& of_leads, double bridge_s,
                               double rate_hz, const EvidenceOptions& options) {
  BEATSCAN_EXPECTS(of_leads.size() == recording.leads.size() && profile.leads.size() == recording.leads.size() &&
                       beats.broken.size() + !beats.r_peaks.empty() == beats.r_peaks.size(),
                   "signal_evidence: bad shape");
  const auto leads = telling_leads(of_leads);
  SignalEvidence evidence{
      .episodes = flutter_of(context, recording, profile, of_leads, leads, rate_hz, options.flutter), .silent = {}};
  for (Episode& episode : evidence.episodes) complete(episode, beats, best);
  evidence.silent = silent_intervals(context, profile, beats, of_leads, leads, evidence.episodes, rate_hz, options);
  auto others = noise_episodes(best, recording.samples(), evidence.episodes, options.noise_join_s * rate_hz,
                               options.noise_least_s * rate_hz);
  std::vector<std::vector<Stretch>> silences;
  for (const std::size_t l : leads)
    silences.push_back(said_nothing(context, recording.leads[l], of_leads[l], bridge_s, rate_hz));
  for (Episode& gap : gap_episodes(common_stretches(silences))) others.push_back(gap);
  for (Episode& episode : others) {
    complete(episode, beats, best);
    evidence.episodes.push_back(episode);
  }
  std::ranges::stable_sort(evidence.episodes, {}, &Episode::start);
  return evidence;
}

#define BEATSCAN_SIGNAL_EVIDENCE(Context)                                                                           \
  template SignalEvidence signal_evidence(Context&, const Recording<Context>&, const EnvelopeProfile<Context>&,     \
                                          const BeatList&, const SignalQuality&, const std::vector<SignalQuality>&, \
                                          double, double, const EvidenceOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SIGNAL_EVIDENCE)

}  // namespace beatscan
