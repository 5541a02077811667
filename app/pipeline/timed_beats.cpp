// The stages up to the beat windows.
#include <algorithm>
#include <span>
#include <utility>

#include "app/config/config.h"
#include "app/pipeline/progress.h"
#include "app/pipeline/timed_stages.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/methods/as_published.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_index.h"
#include "stages/rhythm/signal_evidence.h"

namespace beatscan {
namespace {

template <class Context>
std::int64_t bytes_of_response(const FilterResponse<Context>& response) {
  return std::visit([](const auto& values) { return bytes_of(values); }, response);
}

template <class Context>
struct Segmented {
  Beats<Context> beats;
  SavedResponse response;
};

// Filters and segments. The response, the largest array, is freed on return.
template <class Context>
Segmented<Context> filter_and_segment(Context& context, const Recording<Context>& recording, const Config& config,
                                      std::optional<double> rate, bool save_response, StageTimer& timer) {
  const auto response = timer.timed(
      context, "filter",
      [&] { return filter_as_published(context, recording.leads.front().samples.span(), config.filter, rate); },
      [&](const auto& r) { return bytes_of(recording.leads.front().samples) + bytes_of_response<Context>(r); });
  SavedResponse saved;
  if (save_response) std::visit([&](const auto& values) { saved = to_host(context, values.span()); }, response);
  auto beats = timer.timed(
      context, "segment", [&] { return segment_as_published(context, response, config.segment, rate); },
      [&](const auto& b) { return bytes_of_response<Context>(response) + bytes_of(b.starts); });
  return {std::move(beats), std::move(saved)};
}

BeatList listed_as_published(std::vector<double> peaks, std::vector<Outcome> outcomes) {
  BeatList list{.r_peaks = std::move(peaks), .outcomes = std::move(outcomes)};
  for (const Outcome outcome : list.outcomes) list.broken.push_back(outcome == Outcome::in_gap);
  list.broken.pop_back();  // the last beat has no following interval; there are at least two beats
  return list;
}

template <class Context>
TimedBeats<Context> beats_as_published(Context& context, const Recording<Context>& recording, const Config& config,
                                       std::optional<double> rate, bool save_response, StageTimer& timer) {
  auto segmented = filter_and_segment(context, recording, config, rate, save_response, timer);
  const Beats<Context>& beats = segmented.beats;
  auto embedded = timer.timed(
      context, "embed", [&] { return embed_as_published(context, recording, beats, config.embed, rate); },
      [](const auto& e) { return 2 * bytes_of(e.rows.values); });
  BeatFacts facts{.found = listed_as_published(peaks_of(context, beats), to_host(context, embedded.rows.outcomes)),
                  .samples_to_peak = beats.peak_offset};
  return {std::move(facts), std::move(embedded), std::move(segmented.response)};
}

// The beats of the list, and further properties of the signal.
template <class Context>
struct ListedBeats {
  FoundBeats<Context> found;
  BeatList list;  // found.beats on the host
  SignalEvidence evidence;
  LeadAgreement agreement;
};

// Makes the list of beats from a detection, and marks the long intervals that are true pauses.
template <class Context>
ListedBeats<Context> list_detection(Context& context, const Recording<Context>& recording, Detection<Context> detection,
                                    const QualityIndex& index, const Config& config, double rate) {
  EvidenceOptions options = config.evidence;
  const PauseOptions& pauses = config.episodes.pauses;
  options.silent_least_s = std::min({options.silent_least_s, pauses.pause_s, pauses.asystole_s, config.rhythm.pause_s});
  const auto profile = std::move(detection.profile);
  ListedBeats<Context> listed{.found = list_beats(context, recording, std::move(detection), index,
                                                  reach_of(config.rows), config.quality.bridge_s, rate),
                              .list = {},
                              .evidence = {},
                              .agreement = {}};
  auto& [found, list, evidence, agreement] = listed;
  list = to_host(context, found.beats);
  if (list.r_peaks.size() < 2) return listed;  // nothing can be analysed, and the next stage reports it
  const BeatsInSignal<Context> signal{recording, profile, list, rate};
  evidence = signal_evidence(context, signal, {found.quality, found.leads, index}, config.quality.bridge_s, options);
  renew_quality(context, found.quality, found.beats, list);
  agreement = lead_agreement<Context>(context, profile, likely_places(found.leads), rate);
  std::vector<std::uint8_t> certain(evidence.silent.size());
  for (std::size_t i = 0; i < certain.size(); ++i)
    certain[i] = evidence.silent[i] && evidence.certain[i] >= kCertainPause;
  found.beats.pauses = from_host(context, certain);
  return listed;
}

// Embeds the beats. Copies to the host what the result needs.
template <class Context>
TimedBeats<Context> embed_listed(Context& context, const Recording<Context>& recording, ListedBeats<Context> listed,
                                 const Config& config, double rate) {
  auto& found = listed.found;
  auto embedded = embed_leads(context, recording, found.beats, {config.rows, config.rhythm, config.noise}, rate);
  BeatFacts facts{.found = std::move(listed.list),
                  .samples_to_peak = nearest_sample(config.rows.before_s * rate),
                  .quality = std::move(found.quality),
                  .lead_quality = std::move(found.leads),
                  .worst_trusted = found.worst_trusted,
                  .rhythm = to_host(context, embedded.rhythm),
                  .evidence = std::move(listed.evidence),
                  .agreement = listed.agreement};
  for (const auto& lead : embedded.leads) facts.leads.push_back(lead.lead);
  return {std::move(facts), std::move(embedded), {}};
}

template <class Context>
TimedBeats<Context> beats_around_r_peaks(Context& context, const Recording<Context>& recording,
                                         const QualityIndex& index, const Config& config, double rate,
                                         bool save_response, StageTimer& timer) {
  auto detection = timer.timed(
      context, "detect",
      [&] {
        return detect_beats(context, recording, config.detect, config.quality, rate, {.keep_envelope = save_response});
      },
      [&](const auto& d) { return bytes_of_samples(recording) + bytes_of(d.r_peaks); });
  SavedResponse response;
  if (save_response) response = to_host(context, detection.envelope);
  detection.envelope = {};
  auto listed = timer.timed(
      context, "evidence",
      [&] { return list_detection(context, recording, std::move(detection), index, config, rate); },
      [&](const auto&) { return bytes_of_samples(recording); });
  auto beats = timer.timed(
      context, "embed", [&] { return embed_listed(context, recording, std::move(listed), config, rate); },
      [](const auto& b) { return 2 * bytes_of(b.embedded.rows.values); });
  beats.response = std::move(response);
  return beats;
}

}  // namespace

template <class Context>
TimedBeats<Context> timed_beats(Context& context, const Recording<Context>& recording, const QualityIndex& index,
                                const Config& config, std::optional<double> sample_rate_hz, bool save_response,
                                StageTimer& timer) {
  auto beats = config.method == Method::published
                   ? beats_as_published(context, recording, config, sample_rate_hz, save_response, timer)
                   : beats_around_r_peaks(context, recording, index, config, *sample_rate_hz, save_response, timer);
  const auto& rows = beats.embedded.rows;
  beats.facts.kept = to_host(context, rows.kept);
  beats.facts.row_points = rows.points;
  return beats;
}

#define BEATSCAN_TIMED_BEATS(Context)                                                                               \
  template TimedBeats<Context> timed_beats(Context&, const Recording<Context>&, const QualityIndex&, const Config&, \
                                           std::optional<double>, bool, StageTimer&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_TIMED_BEATS)

}  // namespace beatscan
