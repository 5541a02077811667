#include "stages/rhythm/signal_evidence.h"

#include <algorithm>
#include <cmath>

#include "kernels/detect/judge_beats.h"
#include "kernels/rhythm/quiet_intervals.h"
#include "kernels/runtime/error.h"
#include "stages/detect/beat_list.h"
#include "stages/detect/detect.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/lead_silence.h"
#include "stages/quality/quality.h"
#include "stages/quality/signal_quality.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/fibrillation.h"

namespace beatscan {

namespace {

bool touches(std::span<const Episode> others, double start, double end) {
  return std::ranges::any_of(others, [=](const Episode& its) { return its.start < end && its.end > start; });
}

}  // namespace

std::vector<Episode> noise_episodes(const SignalQuality& best, std::int64_t samples, std::span<const Episode> others,
                                    double join, double least) {
  std::vector<Episode> episodes;
  for (const auto& stretch : poor_stretches(best, samples)) {
    if (stretch.kind != Quality::noisy && stretch.kind != Quality::clipped) continue;
    for (std::int64_t first = stretch.first; first < stretch.last; first += best.block_samples) {
      const auto start = static_cast<double>(first),
                 end = static_cast<double>(std::min(first + best.block_samples, stretch.last));
      if (touches(others, start, end)) continue;
      const bool joins =
          !episodes.empty() && start - episodes.back().end <= join && !touches(others, episodes.back().end, start);
      if (!joins) episodes.push_back({.start = start, .label = EpisodeLabel::noise, .quality = stretch.kind});
      episodes.back().end = end;
      episodes.back().quality = std::ranges::max(episodes.back().quality, stretch.kind, {}, poorness);
    }
  }
  std::erase_if(episodes, [=](const Episode& its) { return its.end - its.start < least; });
  return episodes;
}

std::vector<Stretch> joined_stretches(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  std::vector<Stretch> all, joined;
  std::ranges::merge(a, b, std::back_inserter(all), {}, &Stretch::first, &Stretch::first);
  for (const Stretch& stretch : all)
    if (!joined.empty() && stretch.first <= joined.back().last)
      joined.back().last = std::max(joined.back().last, stretch.last);
    else
      joined.push_back(stretch);
  return joined;
}

namespace {

// Returns the gaps as episodes.
std::vector<Episode> gap_episodes(const std::vector<Stretch>& gaps) {
  std::vector<Episode> episodes;
  for (const Stretch& gap : gaps)
    episodes.push_back({.start = static_cast<double>(gap.first),
                        .end = static_cast<double>(gap.last),
                        .label = EpisodeLabel::gap,
                        .quality = Quality::missing});
  return episodes;
}

// Returns where a lead shows nothing: gaps, and flat stretches of a lead-off.
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

// Returns the quality of a lead's blocks, those of a lead-off as missing. Noise that hides beats shows
// signs of them itself, and a pause is noisy by the index: so noise alone hides nothing.
std::vector<Quality> blocks_in_silence(const SignalQuality& lead) {
  auto blocks = lead.blocks;
  std::ranges::replace(blocks, Quality::noisy, Quality::good);
  for (const Stretch& off : lead.off)
    for (std::int64_t b = off.first / lead.block_samples; b < std::ssize(blocks) && b * lead.block_samples < off.last;
         ++b)
      blocks[b] = Quality::missing;
  return blocks;
}

// Returns the intervals that are long enough to be looked at: -1 before the first beat, K - 1 after the last one.
std::vector<std::int64_t> long_intervals(const BeatList& beats, double samples, double least,
                                         std::span<const Episode> flutter) {
  std::vector<std::int64_t> found;
  const std::int64_t count = std::ssize(beats.r_peaks);
  if (count < 2) return found;
  for (std::int64_t i = -1; i < count; ++i) {
    const double start = i < 0 ? 0 : beats.r_peaks[i], end = i + 1 < count ? beats.r_peaks[i + 1] : samples;
    const bool is_inner = i >= 0 && i + 1 < count;
    if ((is_inner && beats.broken[i]) || end - start < least) continue;
    if (std::ranges::none_of(flutter, [=](const Episode& its) { return its.start < end && its.end > start; }))
      found.push_back(i);
  }
  return found;
}

constexpr float kLooksOff = 0.25F;

// Returns how certain an interval in which a lead shows nothing is a pause.
float judged_by_lead(const IntervalNoise& its, double usual_range, const EvidenceOptions& options) {
  const auto is_above = [&](float own, float around, double times, double share) {
    return own > times * around && own > share * usual_range;  // false where the value around is not known
  };
  if (is_above(its.mains, its.mains_around, options.noise_mains, options.noise_mains_share) ||
      is_above(its.drift, its.drift_around, options.noise_drift, options.noise_drift_share))
    return kLooksOff;
  const bool is_uncertain =
      is_above(its.mains, its.mains_around, options.uncertain_mains, options.noise_mains_share) ||
      is_above(its.drift, its.drift_around, options.uncertain_drift, options.uncertain_drift_share) ||
      its.mains < options.uncertain_still * its.mains_around;
  return is_uncertain ? kCertainPause : 1;
}

// Judges the intervals that were asked for by one lead, [A].
template <class Context>
std::vector<float> judged_intervals(Context& context, std::span<const float> samples,
                                    const Buffer<double, Context>& r_peaks, const Buffer<std::int64_t, Context>& asked,
                                    double usual_range, double rate_hz, const EvidenceOptions& options) {
  constexpr double kBehind_s = 0.6, kStep_s = 0.01, kPiece_s = 0.2;  // after the T wave; half a period of 50 Hz
  const IntervalNoiseRule rule{options.silent_beside_s * rate_hz, kBehind_s * rate_hz,
                               std::max<std::int64_t>(std::llround(kStep_s * rate_hz), 1),
                               std::max<std::int64_t>(std::llround(kPiece_s * rate_hz), 1), options.silent_beats};
  Buffer<IntervalNoise, Context> found(context, asked.size());
  interval_noise(context, samples, r_peaks, asked, rule, found);
  std::vector<float> judged;
  for (const auto& its : to_host(context, found)) judged.push_back(judged_by_lead(its, usual_range, options));
  return judged;
}

// Gathers what the leads show in an interval that was asked for.
struct LeadVotes {
  bool has_quiet_lead = false, has_beat = false, hidden = false;
  float most_certain = 0;  // of the leads that show nothing
  bool is_silent() const { return has_quiet_lead && !has_beat; }
  float certain() const { return !is_silent() ? 0 : hidden ? std::min(most_certain, kCertainPause) : most_certain; }
};

void put_silence(const std::vector<std::int64_t>& asked, const std::vector<LeadVotes>& votes,
                 SignalEvidence& evidence) {
  for (std::size_t a = 0; a < asked.size(); ++a) {
    const std::int64_t i = asked[a];
    const float certain = votes[a].certain();
    if (i < 0) {
      evidence.certain_start = certain;
    } else if (i == std::ssize(evidence.silent)) {
      evidence.certain_end = certain;
    } else {
      evidence.silent[i] = votes[a].is_silent();
      evidence.certain[i] = certain;
    }
  }
}

// Returns the samples of an interval that was asked for.
Stretch samples_of(const BeatList& beats, std::int64_t interval, std::int64_t samples) {
  const auto at = [&](std::int64_t beat) { return static_cast<std::int64_t>(std::ceil(beats.r_peaks[beat])); };
  return {interval < 0 ? 0 : at(interval), interval + 1 < std::ssize(beats.r_peaks) ? at(interval + 1) : samples};
}

// Finds the silent intervals, and how certain it is that they are pauses. Marks those in `quality`.
template <class Context>
void judge_silence(Context& context, const BeatsInSignal<Context>& signal, const QualityOfLeads& quality,
                   const std::vector<std::size_t>& leads, const EvidenceOptions& options, SignalEvidence& evidence) {
  const auto& [best, of_leads, index] = quality;
  const auto& [recording, profile, beats, rate_hz] = signal;
  const double longest_pause_s = QualityOptions().pause_s;
  evidence.silent.assign(beats.broken.size(), 0);
  evidence.certain.assign(beats.broken.size(), 1);
  const auto asked = long_intervals(beats, static_cast<double>(recording.samples()), options.silent_least_s * rate_hz,
                                    evidence.episodes);
  if (asked.empty()) return;
  const QuietRule rule{options.silent_beside_s * rate_hz, static_cast<float>(options.silent_share),
                       options.silent_beats};
  const auto r_peaks = from_host(context, beats.r_peaks);
  const auto places = from_host(context, asked);
  std::vector<LeadVotes> votes(asked.size());
  std::vector<std::vector<IntervalSign>> signs_of_leads;
  for (const std::size_t l : leads) {
    Buffer<IntervalSign, Context> found(context, std::ssize(asked));
    const auto blocks = from_host(context, blocks_in_silence(of_leads[l]));
    quiet_intervals(context, r_peaks, places, {profile.leads[l], profile.width, blocks, of_leads[l].block_samples},
                    rule, found);
    const auto& signs = signs_of_leads.emplace_back(to_host(context, found));
    const auto judged = judged_intervals<Context>(context, recording.leads[l].samples, r_peaks, places,
                                                  of_leads[l].usual_range, rate_hz, options);
    for (std::size_t a = 0; a < signs.size(); ++a) {
      votes[a].has_quiet_lead |= signs[a] == IntervalSign::none;
      votes[a].has_beat |= signs[a] == IntervalSign::beat;
      votes[a].hidden |= signs[a] == IntervalSign::hidden;
      if (signs[a] == IntervalSign::none) votes[a].most_certain = std::max(votes[a].most_certain, judged[a]);
    }
  }
  for (std::size_t a = 0; a < asked.size(); ++a) {
    const Stretch pause = samples_of(beats, asked[a], recording.samples());
    if (votes[a].certain() <= kCertainPause || static_cast<double>(pause.size()) > longest_pause_s * rate_hz) continue;
    for (std::size_t i = 0; i < leads.size(); ++i)
      if (signs_of_leads[i][a] == IntervalSign::none) mark_pause(best, of_leads[leads[i]], pause);
  }
  put_silence(asked, votes, evidence);
}

// Counts the beats of an episode, and finds the worst quality of those in `best`.
void complete(Episode& episode, const BeatList& beats, const SignalQuality& best) {
  const auto first = std::ranges::lower_bound(beats.r_peaks, episode.start),
             last = std::ranges::upper_bound(beats.r_peaks, episode.end);
  episode.beats = std::max<std::int64_t>(last - first, 0);
  const std::int64_t blocks = std::ssize(best.blocks);
  for (auto b = static_cast<std::int64_t>(episode.start) / best.block_samples;
       b < blocks && static_cast<double>(b * best.block_samples) < episode.end; ++b)
    episode.quality = std::ranges::max(episode.quality, best.blocks[b], {}, poorness);
}

// Adds the episodes of noise and gaps.
template <class Context>
void add_noise_and_gaps(Context& context, const BeatsInSignal<Context>& signal, const QualityOfLeads& quality,
                        double bridge_s, const EvidenceOptions& options, SignalEvidence& evidence) {
  const auto& [best, of_leads, index] = quality;
  const auto& [recording, profile, beats, rate_hz] = signal;
  auto found = noise_episodes(best, recording.samples(), evidence.episodes, options.noise_join_s * rate_hz,
                              options.noise_least_s * rate_hz);
  std::vector<std::vector<Stretch>> silences;
  for (const std::size_t l : likely_places(of_leads))
    silences.push_back(said_nothing(context, recording.leads[l], of_leads[l], bridge_s, rate_hz));
  for (Episode& gap : gap_episodes(common_stretches(silences))) found.push_back(gap);
  for (Episode& episode : found) {
    complete(episode, beats, best);
    evidence.episodes.push_back(episode);
  }
  std::ranges::stable_sort(evidence.episodes, {}, &Episode::start);
}

}  // namespace

template <class Context>
SignalEvidence signal_evidence(Context& context, const BeatsInSignal<Context>& signal, const QualityOfLeads& quality,
                               double bridge_s, const EvidenceOptions& options) {
  const auto& [best, of_leads, index] = quality;
  const auto& [recording, profile, beats, rate_hz] = signal;
  BEATSCAN_EXPECTS(of_leads.size() == recording.leads.size() && profile.leads.size() == recording.leads.size() &&
                       beats.broken.size() + !beats.r_peaks.empty() == beats.r_peaks.size(),
                   "signal_evidence: bad shape");
  const auto leads = likely_places(of_leads);
  SignalEvidence evidence;
  evidence.episodes = fibrillation_episodes(index, leads, recording.samples());
  for (Episode& episode : evidence.episodes) complete(episode, beats, best);
  judge_silence(context, signal, quality, leads, options, evidence);
  add_noise_and_gaps(context, signal, quality, bridge_s, options, evidence);
  return evidence;
}

#define BEATSCAN_SIGNAL_EVIDENCE(Context)                                                                         \
  template SignalEvidence signal_evidence(Context&, const BeatsInSignal<Context>&, const QualityOfLeads&, double, \
                                          const EvidenceOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_SIGNAL_EVIDENCE)

}  // namespace beatscan
