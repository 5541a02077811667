#include "app/operators/analysis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/operators/tensors.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "stages/methods/as_published.h"

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
  return {std::move(found.beats), std::move(list), std::move(found.quality)};
}

// Throws unless R peaks are in order and within the recording, which kernels take for granted.
void check_r_peaks(const std::vector<double>& r_peaks, std::int64_t samples) {
  double last = -1;
  for (std::size_t i = 0; i < r_peaks.size(); last = r_peaks[i++])
    if (!(r_peaks[i] > last && r_peaks[i] >= 0 && r_peaks[i] <= static_cast<double>(samples - 1)))
      fail(ErrorKind::usage, "r_peaks",
           std::to_string(r_peaks[i]) + " (" + std::to_string(i) +
               ") is not above the one before it and within the signal");
}

// Makes a lead of a row in the tensor's memory; of a copy where samples are missing.
template <class Context>
RecordedLead<Context> lead_of(Context& context, std::string name, std::span<const float> row) {
  RecordedLead<Context> lead{.name = std::move(name)};
  const auto n = std::ssize(row);
  Buffer<std::uint32_t, Context> missing(context, words_for(n));
  mark_missing(context, row, missing);
  lead.missing = positions(context, missing, Pick::every).size();
  if (lead.missing == 0) {  // then nothing is bridged, and nobody writes into the tensor
    lead.samples = Buffer<float, Context>::borrowed({const_cast<float*>(row.data()), row.size()});
  } else {
    lead.samples = Buffer<float, Context>(context, n);
    copy(context, row, lead.samples.span());
  }
  return lead;
}

}  // namespace

template <class Context>
Recording<Context> recording_of(Context& context, const at::Tensor& x) {
  const auto rows = rows_of<float>(x, "x");
  const auto leads = rows.size(), most = kMostLeads;
  if (leads == 0 || leads > most)
    fail(ErrorKind::usage, "x", "has " + std::to_string(leads) + " leads; give 1 to " + std::to_string(most));
  const auto n = std::ssize(rows.front());
  if (n < 2) fail(ErrorKind::unanalysable, "x", "too short: " + std::to_string(n) + " samples");
  Recording<Context> recording;
  for (std::size_t i = 0; i < leads; ++i)
    recording.leads.push_back(lead_of(context, leads == 1 ? "x" : std::to_string(i), rows[i]));
  if (std::ranges::all_of(recording.leads, [&](const auto& lead) { return lead.missing == n; }))
    fail(ErrorKind::unanalysable, "x", "no sample has a value");
  bridge_and_measure(context, recording, "x");
  for (const auto& lead : recording.leads) {
    if (!std::isfinite(lead.range.min) || !std::isfinite(lead.range.max))
      fail(ErrorKind::unanalysable, "x", "holds infinite values");
    if (lead.range.min == lead.range.max)
      fail(ErrorKind::unanalysable, "x", "flat: all samples are " + std::to_string(lead.range.min));
  }
  return recording;
}

void check_analysis(const Config& config) {
  if (config.method == Method::r_peaks && !config.ingest.sample_rate_hz)
    fail(ErrorKind::usage, "rate_hz", "the sampling rate is needed");
  check_config(config);
  check_rate_known(config);
}

template <class Context>
KnownBeats<Context> find_r_peaks(Context& context, const Recording<Context>& recording, const Config& config) {
  if (config.method == Method::published) return find_published(context, recording, config);
  return with_list(context, find_around_r_peaks(context, recording, config.detect, config.quality, config.rows,
                                                *config.ingest.sample_rate_hz));
}

template <class Context>
KnownBeats<Context> known_r_peaks(Context& context, const Recording<Context>& recording,
                                  std::span<const double> r_peaks, std::vector<Quality> blocks, const Config& config) {
  KnownBeats<Context> known;
  known.list.r_peaks = to_host(context, r_peaks);
  check_r_peaks(known.list.r_peaks, recording.samples());
  if (config.method == Method::published) return known;
  const double rate = *config.ingest.sample_rate_hz;
  Detection<Context> detection{
      .r_peaks = Buffer<double, Context>::borrowed({const_cast<double*>(r_peaks.data()), r_peaks.size()}),
      .quality = {{std::move(blocks), quality_block_samples(config.detect, rate)}}};
  return with_list(context, list_beats(context, recording, std::move(detection), reach_of(config.rows),
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
ScoredBeats score(Context& context, const EmbeddedBeats<Context>& embedded, const std::vector<NamedArray>& parameters,
                  const Config& config) {
  const auto& rows = embedded.rows;
  VaeOptions options = config.vae;
  options.epochs = 0;
  options.generated_beats = 0;
  const auto [model, training] = train_vae(context, rows, options, {config.seed, parameters});
  if (config.method == Method::r_peaks) return score_around_r_peaks(context, embedded, model, config.score);
  return score_as_published(to_host(context, score_rows(context, model, rows)), training, options.kl_weight,
                            config.score);
}

#define BEATSCAN_ANALYSIS_ON(Context)                                                                      \
  template Recording<Context> recording_of(Context&, const at::Tensor&);                                   \
  template KnownBeats<Context> find_r_peaks(Context&, const Recording<Context>&, const Config&);           \
  template KnownBeats<Context> known_r_peaks(Context&, const Recording<Context>&, std::span<const double>, \
                                             std::vector<Quality>, const Config&);                         \
  template EmbeddedBeats<Context> embed(Context&, const Recording<Context>&, const KnownBeats<Context>&,   \
                                        const Config&);                                                    \
  template ScoredBeats score(Context&, const EmbeddedBeats<Context>&, const std::vector<NamedArray>&, const Config&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_ANALYSIS_ON)

}  // namespace beatscan::operators
