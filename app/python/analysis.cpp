#include "app/python/analysis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "app/pipeline/models.h"
#include "kernels/detect/detect.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/window.h"
#include "stages/common/counted.h"
#include "stages/common/number_text.h"
#include "stages/detect/detect.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/methods/as_published.h"
#include "stages/methods/classification.h"
#include "stages/model/vae.h"
#include "stages/quality/quality.h"
#include "stages/rhythm/rhythm_findings.h"
#include "stages/score/score.h"

namespace beatscan::operators {
namespace {

std::int64_t peak_offset(const Config& config) {
  return std::max<std::int64_t>(whole_samples(config.segment.window, config.ingest.sample_rate_hz), 1) / 2;
}

template <class Context>
KnownBeats<Context> find_published(Context& context, const Recording<Context>& recording, const Config& config) {
  const auto rate = config.ingest.sample_rate_hz;
  KnownBeats<Context> known;
  known.list.r_peaks = peaks_of(context, find_as_published(context, recording, config.filter, config.segment, rate));
  known.buffers.r_peaks = from_host(context, known.list.r_peaks);
  return known;
}

template <class Context>
EmbeddedBeats<Context> embed_published(Context& context, const Recording<Context>& recording, const BeatList& list,
                                       const Config& config) {
  Beats<Context> beats{.peak_offset = peak_offset(config)};
  std::vector<std::int64_t> starts;
  for (const double r_peak : list.r_peaks) starts.push_back(std::llround(r_peak) - beats.peak_offset);
  if (!starts.empty() && starts.front() < 0)
    fail(ErrorKind::usage, "r_peaks", "the first beat begins before the signal does");
  beats.starts = from_host(context, starts);
  return embed_as_published(context, recording, beats, config.embed, config.ingest.sample_rate_hz);
}

template <class Context>
KnownBeats<Context> with_list(Context& context, FoundBeats<Context> found) {
  BeatList list = to_host(context, found.beats);
  return {std::move(found.beats), std::move(list), std::move(found.leads)};
}

// Throws unless R peaks are ascending and within the recording, as the kernels require.
void check_r_peaks(const std::vector<double>& r_peaks, std::int64_t samples) {
  double last = -1;
  for (std::size_t i = 0; i < r_peaks.size(); last = r_peaks[i++])
    if (!(r_peaks[i] > last && r_peaks[i] >= 0 && r_peaks[i] <= static_cast<double>(samples - 1)))
      fail(ErrorKind::usage, "r_peaks",
           std::to_string(r_peaks[i]) + " (" + std::to_string(i) +
               ") is not above the one before it and within the signal");
}

// Throws unless the number of blocks is that of find_beats for the signal: with other options, blocks cover other
// times.
void check_blocks(const std::vector<std::vector<Quality>>& blocks, std::int64_t samples, const DetectOptions& options,
                  double rate_hz) {
  const std::int64_t expected = level_blocks(samples, quality_block_samples(options, rate_hz));
  for (const auto& lead : blocks)
    if (std::ssize(lead) != expected)
      fail(ErrorKind::usage, "blocks",
           "has " + counted(std::ssize(lead), "block") + "; find_beats makes " + std::to_string(expected) +
               " of this signal (are detect_block_s and rate_hz the same?)");
}

// Makes the quality of a lead from its blocks. The blocks have no baseline, so only long flat segments count as
// lead-off.
SignalQuality quality_of_blocks(std::vector<Quality> blocks, std::int64_t samples, const Config& config, double rate) {
  SignalQuality quality{std::move(blocks), quality_block_samples(config.detect, rate)};
  for (const auto& stretch : poor_stretches(quality, samples))
    if (stretch.kind == Quality::flat &&
        static_cast<double>(stretch.last - stretch.first) > config.quality.pause_s * rate)
      quality.off.push_back({stretch.first, stretch.last});
  return quality;
}

// The results of a run for the beats that are ranked.
struct FoundByClass {
  ScoredBeats scored;
  BeatWaves waves;
};

template <class Context>
FoundByClass classify(Context& context, const Recording<Context>& recording, const BeatList& beats,
                      const EmbeddedBeats<Context>& embedded, const VaeModel& model, const Config& config) {
  FoundByClass found{score_around_r_peaks(context, embedded, model, config.score), {}};
  const auto kept = to_host(context, embedded.rows.kept);
  const Models models = read_models(config);
  const double rate_hz = *config.ingest.sample_rate_hz;
  const auto quality = quality_index(context, recording, models.quality, rate_hz);
  const RankedBeats<Context> ranked{recording, embedded, beats, kept, *found.scored.ranking, quality, rate_hz};
  const auto known = shapes_and_intervals(context, ranked, config.rows);
  found.waves = delineated_beats(context, ranked, known, models.waves, config.waves);
  const auto table = table_of_beats(context, ranked, known, found.waves);
  score_by_classes(classified_beats(context, ranked, known, table, models.classes), beats, kept, config.score,
                   found.scored);
  return found;
}

// Delineates beats. With too few regular beats there are no rows, and any lead may be used.
template <class Context>
BeatWaves waves_of(Context& context, const Recording<Context>& recording, const KnownBeats<Context>& beats,
                   const Config& config) {
  try {
    const auto embedded = embed(context, recording, beats, config);
    return classify(context, recording, beats.list, embedded, VaeModel(), config).waves;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unanalysable) throw;
    std::vector<std::int64_t> leads(recording.leads.size());
    std::iota(leads.begin(), leads.end(), 0);
    const std::vector<std::int32_t> none(beats.list.r_peaks.size(), -1);
    return delineate(context, recording, leads, {beats.list.r_peaks, none, beats.list.broken},
                     wave_model(config.waves.model), config.waves, *config.ingest.sample_rate_hz);
  }
}

}  // namespace

void check_analysis(const Config& config, const Array& x) {
  if (config.method == Method::published && x.dim() == 2 && x.sizes[0] > 1)
    fail(ErrorKind::usage, "x",
         "has " + std::to_string(x.sizes[0]) + " leads, and the published method reads one; give one row, x[0]");
  if (config.method == Method::r_peaks && !config.ingest.sample_rate_hz)
    fail(ErrorKind::usage, "rate_hz", "the sampling rate is needed");
  check_config(config);
  check_rate_known(config);
}

void check_delineation(const Config& config) {
  if (config.method == Method::published)
    fail(ErrorKind::usage, "method", "the published method finds no waves; leave it out, or the configuration with it");
  const double rate_hz = *config.ingest.sample_rate_hz;  // the smallest one belongs to R peaks
  if (rate_hz > waves::kMostRateHz)
    fail(ErrorKind::usage, "rate_hz",
         number_text(rate_hz, 6) + " Hz: waves are found at up to " + number_text(waves::kMostRateHz, 6) +
             " Hz; resample the recording");
}

template <class Context>
KnownBeats<Context> find_r_peaks(Context& context, const Recording<Context>& recording, const Config& config) {
  if (config.method == Method::published) return find_published(context, recording, config);
  const double rate_hz = *config.ingest.sample_rate_hz;
  const auto index = quality_index(context, recording, quality_model(config.quality.model), rate_hz);
  return with_list(context,
                   find_around_r_peaks(context, recording, index, config.detect, config.quality, config.rows, rate_hz));
}

template <class Context>
KnownBeats<Context> known_r_peaks(Context& context, const Recording<Context>& recording,
                                  std::span<const double> r_peaks, std::vector<std::vector<Quality>> blocks,
                                  const Config& config) {
  KnownBeats<Context> known;
  known.list.r_peaks = to_host(context, r_peaks);
  check_r_peaks(known.list.r_peaks, recording.samples());
  if (config.method == Method::published) return known;
  const double rate = *config.ingest.sample_rate_hz;
  check_blocks(blocks, recording.samples(), config.detect, rate);
  blocks.resize(recording.leads.size());
  Detection<Context> detection{
      .r_peaks = Buffer<double, Context>::borrowed({const_cast<double*>(r_peaks.data()), r_peaks.size()})};
  for (auto& lead : blocks)
    detection.quality.push_back(quality_of_blocks(std::move(lead), recording.samples(), config, rate));
  return with_list(context, list_beats(context, recording, std::move(detection), {}, reach_of(config.rows),
                                       config.quality.bridge_s, rate));
}

template <class Context>
EmbeddedBeats<Context> embed(Context& context, const Recording<Context>& recording, const KnownBeats<Context>& beats,
                             const Config& config) {
  if (config.method == Method::published) return embed_published(context, recording, beats.list, config);
  return embed_leads(context, recording, beats.buffers, {config.rows, config.rhythm, config.noise},
                     *config.ingest.sample_rate_hz);
}

template <class Context>
ScoredBeats score(Context& context, const Recording<Context>& recording, const BeatList& beats,
                  const EmbeddedBeats<Context>& embedded, const std::vector<NamedArray>& parameters,
                  const Config& config) {
  const auto& rows = embedded.rows;
  VaeOptions options = config.vae;
  options.epochs = 0;
  options.generated_beats = 0;
  const auto [model, training] = train_vae(context, rows, options, {config.seed, parameters});
  if (config.method == Method::r_peaks) return classify(context, recording, beats, embedded, model, config).scored;
  return score_as_published(to_host(context, score_rows(context, model, rows)), training, options.kl_weight,
                            config.score);
}

template <class Context>
BeatWaves delineated(Context& context, const Recording<Context>& recording, const KnownBeats<Context>& beats,
                     const Config& config) {
  const BeatList& list = beats.list;
  auto found = waves_of(context, recording, beats, config);
  take_waves_off(found, beats_without_waves(
                            {.r_peaks = list.r_peaks, .beat_classes = {}, .quality = list.quality, .broken = {}}, {}));
  return found;
}

#define BEATSCAN_ANALYSIS_ON(Context)                                                                             \
  template KnownBeats<Context> find_r_peaks(Context&, const Recording<Context>&, const Config&);                  \
  template KnownBeats<Context> known_r_peaks(Context&, const Recording<Context>&, std::span<const double>,        \
                                             std::vector<std::vector<Quality>>, const Config&);                   \
  template EmbeddedBeats<Context> embed(Context&, const Recording<Context>&, const KnownBeats<Context>&,          \
                                        const Config&);                                                           \
  template ScoredBeats score(Context&, const Recording<Context>&, const BeatList&, const EmbeddedBeats<Context>&, \
                             const std::vector<NamedArray>&, const Config&);                                      \
  template BeatWaves delineated(Context&, const Recording<Context>&, const KnownBeats<Context>&, const Config&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ANALYSIS_ON)

}  // namespace beatscan::operators
