#include "app/operators/analysis.h"

#include <cmath>

#include "app/operators/tensors.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"

namespace beatscan::operators {
namespace {

std::int64_t peak_offset(const Config& config) {
  return std::max<std::int64_t>(whole_samples(config.segment.window, config.ingest.sample_rate_hz), 1) / 2;
}

template <class Real, class Context>
Beats<Context> published_beats(Context& context, const Recording<Context>& recording, const Config& config) {
  const auto rate = config.ingest.sample_rate_hz;
  const auto response = ricker_response<Real>(context, recording.samples.span(), config.filter, rate);
  return find_beats(context, response.span(), config.segment, rate);
}

template <class Context>
FoundBeats<Context> find_published(Context& context, const Recording<Context>& recording, const Config& config) {
  const auto beats = config.filter.precision == Precision::float64 ? published_beats<double>(context, recording, config)
                                                                   : published_beats<float>(context, recording, config);
  FoundBeats<Context> found;
  for (const std::int64_t start : to_host(context, beats.starts))
    found.beats.r_peaks.push_back(static_cast<double>(start + beats.peak_offset));
  found.buffers.r_peaks = from_host(context, found.beats.r_peaks);
  return found;
}

template <class Context>
Rows<Context> embed_published(Context& context, const Recording<Context>& recording, const BeatList& beats,
                              const Config& config) {
  Beats<Context> published{.peak_offset = peak_offset(config)};
  std::vector<std::int64_t> starts;
  for (const double r_peak : beats.r_peaks) starts.push_back(std::llround(r_peak) - published.peak_offset);
  if (!starts.empty() && starts.front() < 0)
    throw Error(ErrorKind::usage, "r_peaks: the first beat begins before the signal does");
  published.starts = from_host(context, starts);
  return embed_beats(context, recording, published, config.embed, config.ingest.sample_rate_hz);
}

template <class Context>
FoundBeats<Context> listed(Context& context, const Recording<Context>& recording, Detection<Context> detection,
                           const Config& config) {
  const RowReach reach{config.rows.before_s, config.rows.after_s};
  FoundBeats<Context> found;
  found.buffers = list_beats(context, recording, detection, reach, *config.ingest.sample_rate_hz);
  found.beats = to_host(context, found.buffers);
  found.quality = std::move(detection.quality);
  return found;
}

// Kernels take it for granted that R peaks are in order and within the recording.
void check_r_peaks(const std::vector<double>& r_peaks, std::int64_t samples) {
  double last = -1;
  for (std::size_t i = 0; i < r_peaks.size(); last = r_peaks[i++])
    if (!(r_peaks[i] > last && r_peaks[i] >= 0 && r_peaks[i] <= static_cast<double>(samples - 1)))
      throw Error(ErrorKind::usage, "r_peaks: " + std::to_string(r_peaks[i]) + " (" + std::to_string(i) +
                                        ") is not above the one before it and within the signal");
}

}  // namespace

template <class Context>
Recording<Context> recording_of(Context& context, const at::Tensor& x) {
  const auto samples = span_of<float>(x, "x");
  const auto n = std::ssize(samples);
  if (n < 2) throw Error(ErrorKind::unanalysable, "x: too short: " + std::to_string(n) + " samples");
  Recording<Context> recording;
  Buffer<std::uint32_t, Context> missing(context, words_for(n));
  mark_missing(context, samples, missing);
  recording.missing = positions(context, missing, Pick::every).size();
  if (recording.missing == n) throw Error(ErrorKind::unanalysable, "x: no sample has a value");
  if (recording.missing == 0) {  // nobody writes there
    recording.samples = Buffer<float, Context>::borrowed({const_cast<float*>(samples.data()), samples.size()});
  } else {
    recording.samples = Buffer<float, Context>(context, n);
    copy(context, samples, recording.samples.span());
  }
  bridge_and_measure(context, recording, "x");
  if (!std::isfinite(recording.range.min) || !std::isfinite(recording.range.max))
    throw Error(ErrorKind::unanalysable, "x: holds infinite values");
  if (recording.range.min == recording.range.max)
    throw Error(ErrorKind::unanalysable, "x: flat: all samples are " + std::to_string(recording.range.min));
  return recording;
}

void check_analysis(const Config& config) {
  if (config.method == Method::r_peaks && !config.ingest.sample_rate_hz)
    throw Error(ErrorKind::usage, "rate_hz: the sampling rate is needed");
  check_config(config);
  check_rate_known(config);
}

template <class Context>
FoundBeats<Context> find_r_peaks(Context& context, const Recording<Context>& recording, const Config& config) {
  if (config.method == Method::published) return find_published(context, recording, config);
  return listed(context, recording,
                detect_r_peaks(context, recording.samples.span(), config.detect, config.quality,
                               *config.ingest.sample_rate_hz, {.gaps = {recording.gap_firsts, recording.gap_lasts}}),
                config);
}

template <class Context>
FoundBeats<Context> known_r_peaks(Context& context, const Recording<Context>& recording,
                                  std::span<const double> r_peaks, std::vector<Quality> blocks, const Config& config) {
  FoundBeats<Context> found;
  found.beats.r_peaks = to_host(context, r_peaks);
  check_r_peaks(found.beats.r_peaks, recording.samples.size());
  if (config.method == Method::published) return found;
  const std::int64_t block_samples = quality_block_samples(config.detect, *config.ingest.sample_rate_hz);
  return listed(context, recording,
                {.r_peaks = Buffer<double, Context>::borrowed({const_cast<double*>(r_peaks.data()), r_peaks.size()}),
                 .quality = {std::move(blocks), block_samples}},
                config);
}

template <class Context>
EmbeddedBeats<Context> embed(Context& context, const Recording<Context>& recording, const FoundBeats<Context>& found,
                             const Config& config) {
  EmbeddedBeats<Context> embedded;
  if (config.method == Method::published) {
    embedded.beats.rows = embed_published(context, recording, found.beats, config);
    return embedded;
  }
  embedded.rhythm = rhythm_of(context, found.buffers, config.rhythm);
  embedded.beats =
      embed_r_peaks(context, recording, found.buffers, embedded.rhythm, config.rows, *config.ingest.sample_rate_hz);
  return embedded;
}

template <class Context>
ScoredBeats score(Context& context, const EmbeddedBeats<Context>& embedded, const std::vector<NamedArray>& parameters,
                  const Config& config) {
  const auto& rows = embedded.beats.rows;
  VaeOptions options = config.vae;
  options.epochs = 0;
  options.generated_beats = 0;
  const auto trained = train_vae(context, rows, options, {config.seed, parameters});
  const auto row_scores = score_rows(context, trained.model, rows);
  ScoredBeats scored;
  if (config.method == Method::r_peaks) {
    scored.ranking = rank_beats(context, embedded.beats, embedded.rhythm, trained.model, row_scores, config.score);
    scored.rows = std::move(scored.ranking->rows);
  } else {
    scored.rows = to_host(context, row_scores);
  }
  scored.scores = scored.ranking ? scored.ranking->scores
                                 : score_beats(scored.rows, trained.training.split, options.kl_weight, config.score);
  return scored;
}

#define BEATSCAN_ANALYSIS_ON(Context)                                                                      \
  template Recording<Context> recording_of(Context&, const at::Tensor&);                                   \
  template FoundBeats<Context> find_r_peaks(Context&, const Recording<Context>&, const Config&);           \
  template FoundBeats<Context> known_r_peaks(Context&, const Recording<Context>&, std::span<const double>, \
                                             std::vector<Quality>, const Config&);                         \
  template EmbeddedBeats<Context> embed(Context&, const Recording<Context>&, const FoundBeats<Context>&,   \
                                        const Config&);                                                    \
  template ScoredBeats score(Context&, const EmbeddedBeats<Context>&, const std::vector<NamedArray>&, const Config&);
BEATSCAN_ANALYSIS_ON(Cpu)
#ifdef BEATSCAN_WITH_CUDA
BEATSCAN_ANALYSIS_ON(Cuda)
#endif

}  // namespace beatscan::operators
