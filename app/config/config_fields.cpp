#include "app/config/config_fields.h"

#include "app/config/field_makers.h"
#include "kernels/lists/local_quantiles.h"
#include "kernels/windows/distances.h"
#include "stages/io/recording/leads.h"
#include "stages/model/vae.h"

namespace beatscan {

using namespace fields;

namespace {

void add_general_fields(std::vector<ConfigField>& fields, Config& c) {
  fields.push_back(integer("seed", "seed of all random numbers in a run", c.seed, {0, 9007199254740992.0}));
  fields.push_back(device("device",
                          "compute device; auto: the GPUs if there are any; cuda:N,...: those GPUs, counted from 0",
                          c.device, c.gpus));
  fields.push_back(
      choice<Method>("method",
                     "method for beats; r_peaks: morphology around R peaks, with the sections detect, quality, rows, "
                     "rhythm and noise; published: the published pipeline, with the sections filter, segment and embed",
                     c.method, {{Method::r_peaks, "r_peaks"}, {Method::published, "published"}}));
  fields.push_back(choice<PoolKind>(
      "pool.kind",
      "kind of GPU memory; managed: pages move between GPU and host, which allows more than the GPU's memory",
      c.pool.kind, {{PoolKind::device, "device"}, {PoolKind::managed, "managed"}}));
  fields.push_back(integer("pool.limit_bytes",
                           "bytes of GPU memory for buffers, with kind device; the rest is processed in windows, or "
                           "kept in host memory; 0: no limit",
                           c.pool.limit_bytes, {0, 1e15}));
}

void add_ingest_fields(std::vector<ConfigField>& fields, IngestOptions& ingest) {
  fields.push_back(column(
      "ingest.column", "the only column or lead to read, by name or by position from 0; empty: those of ingest.leads",
      ingest.column));
  fields.push_back(columns("ingest.leads",
                           "columns or leads to read, by names or by positions from 0, as [\"II\", \"V5\"]; auto: all "
                           "that are ECG by their names; else all numbered ones, such as CH1; else the first column "
                           "that is not the time, the first voltage, or the first lead",
                           ingest.leads, kMostLeads));
  fields.push_back(column(
      "ingest.time_column",
      "column with the times of the rows, by name or by position from 0; empty: detected by its name; \"-\": none",
      ingest.time_column));
  fields.push_back(delimiter("ingest.delimiter", "character between columns; empty: detected from the first line",
                             ingest.delimiter));
  fields.push_back(optional_number("ingest.sample_rate_hz", "sampling rate, Hz; null: that of the recording",
                                   ingest.sample_rate_hz, {1, 100000}));
  fields.push_back(integer("ingest.chunk_bytes", "bytes of text that are read, copied and parsed at a time",
                           ingest.chunk_bytes, {1024, 1 << 30}));
  fields.push_back(choice<OnBad>(
      "ingest.on_bad",
      "handling of a bad CSV row, such as text instead of a number or too few cells; error: the run fails; nan: the "
      "sample is missing, or the time is unknown; skip: the row is dropped and not counted as a sample",
      ingest.on_bad, {{OnBad::error, "error"}, {OnBad::nan, "nan"}, {OnBad::skip, "skip"}}));
  fields.push_back(decimal_mark("ingest.decimal", "decimal mark of numbers in CSV, a point or a comma; empty: detected",
                                ingest.decimal));
  fields.push_back(optional_integer(
      "ingest.skip_lines",
      "number of lines to skip before the table of a CSV file; null: comments and metadata are detected",
      ingest.skip_lines, {0, 1000}));
  fields.push_back(missing_code("ingest.missing",
                                "value that stands for a missing sample; empty: detected, if it is repeated far "
                                "outside of all others; \"-\": none",
                                ingest.missing));
  fields.push_back(
      text("ingest.variable", "name of the array to read from a MATLAB file; empty: detected", ingest.variable, 63));
}

void add_published_fields(std::vector<ConfigField>& fields, Config& c) {
  add_duration(fields, "filter.width", "width of the Ricker wavelet", c.filter.width);
  fields.push_back(boolean("filter.centred", "whether the wavelet is centred, so that the response peaks at the R peak",
                           c.filter.centred));
  fields.push_back(choice<Precision>("filter.precision", "precision of the convolution", c.filter.precision,
                                     {{Precision::float32, "float32"}, {Precision::float64, "float64"}}));
  add_duration(fields, "segment.window", "window in which the largest value is the peak of a beat", c.segment.window);
  add_duration(fields, "embed.min_length", "minimum length of an accepted beat, from its start to the next start",
               c.embed.min_length, true);
  add_duration(fields, "embed.max_length", "maximum length of an accepted beat, from its start to the next start",
               c.embed.max_length);
  add_duration(fields, "embed.row_span", "length of a row, from the start of a beat", c.embed.row_span);
  fields.push_back(integer("embed.row_points", "number of points in a row", c.embed.row_points, {2, 1 << 16}));
}

void add_vae_fields(std::vector<ConfigField>& fields, VaeOptions& vae) {
  fields.push_back(integers("vae.channels",
                            "channels of the encoder's convolutions; each number is twice the previous one",
                            vae.channels, {2, 1024}));
  fields.push_back(integer("vae.latents", "number of dimensions of the latent space", vae.latents, {1, 64}));
  fields.push_back(number("vae.kl_weight", "weight of the KL divergence in the loss", vae.kl_weight, {0, 1000}));
  fields.push_back(
      number("vae.learning_rate", "learning rate of Adam in the first step", vae.learning_rate, {1e-9, 10}));
  fields.push_back(number("vae.last_learning_rate", "learning rate of Adam in the last step; it falls exponentially",
                          vae.last_learning_rate, {1e-9, 10}));
  fields.push_back(integer("vae.batch_beats", "number of beats in a training step", vae.batch_beats, {1, 1 << 20}));
  fields.push_back(integer("vae.least_steps",
                           "minimum number of training steps; a short recording uses smaller batches, of at least " +
                               std::to_string(kSmallestBatch) + " beats, to reach it",
                           vae.least_steps, {0, 1 << 20}));
  fields.push_back(integer("vae.most_steps",
                           "maximum number of training steps if vae.epochs is null: long recordings and those of many "
                           "leads get fewer epochs, or one of a part of the beats; 0: no limit",
                           vae.most_steps, {0, 1 << 20}));
  fields.push_back(optional_integer(
      "vae.epochs",
      "number of passes over the training beats; 0: no model; null: " + std::to_string(kUsualEpochs) + ", or up to " +
          std::to_string(kMostEpochs) + " to reach vae.least_steps, or fewer for vae.most_steps",
      vae.epochs, {0, 100000}));
  fields.push_back(integer("vae.least_beats", "minimum number of usable beats to train a model on, with method r_peaks",
                           vae.least_beats, {2, 1 << 20}));
  fields.push_back(number("vae.train_fraction",
                          "share of the trainable beats used for training; the rest are test beats", vae.train_fraction,
                          {0.01, 1}));
  fields.push_back(integer("vae.generated_beats", "number of beats that are decoded from random latents",
                           vae.generated_beats, {0, 100000}));
  fields.push_back(choice<VaeEngine>(
      "vae.engine",
      "engine for training and scoring; auto: fused kernels if they support the channels, latents and points of a row",
      vae.engine, {{VaeEngine::automatic, "auto"}, {VaeEngine::fused, "fused"}, {VaeEngine::autograd, "autograd"}}));
}

void add_score_fields(std::vector<ConfigField>& fields, ScoreOptions& score) {
  fields.push_back(number("score.threshold_deviations",
                          "score above which a beat is abnormal, in robust standard deviations",
                          score.threshold_deviations, {-1000, 1000}));
  fields.push_back(optional_number("score.threshold_fraction",
                                   "share of the beats in good signal to classify as abnormal; with method published, "
                                   "share of the training beats; null: score.threshold_deviations decides",
                                   score.threshold_fraction, {0, 1}));
  const Range weight{0, 100};
  fields.push_back(
      number("score.median_weight", "weight of the distance from the median beat", score.median_weight, weight));
  fields.push_back(number("score.nearest_weight", "weight of the distance from the nearest reference beats",
                          score.nearest_weight, weight));
  fields.push_back(number("score.model_weight",
                          "weight of the distance from the beat that the model decodes from the normal beats around",
                          score.model_weight, weight));
  fields.push_back(number("score.learned_weight",
                          "weight of the log odds of classes S and V in the score; 0: an unsupervised score",
                          score.learned_weight, {0, 100}));
  fields.push_back(number("score.most_drift",
                          "with a saved model: drift of the normal beats from its training beats above which the model "
                          "does not fit and a warning is issued; 1: no warning",
                          score.most_drift, {0, 1}));
}

void add_rhythm_model_fields(std::vector<ConfigField>& fields, RhythmModelOptions& options) {
  fields.push_back(choice<RecordingSource>("rhythm.source",
                                           "source of the recording, which sets the prior probabilities of rhythms; "
                                           "auto: a strip up to 120 s, else a Holter recording",
                                           options.source,
                                           {{RecordingSource::automatic, "auto"},
                                            {RecordingSource::strip, "strip"},
                                            {RecordingSource::holter, "holter"},
                                            {RecordingSource::monitor, "monitor"}}));
  fields.push_back(text("rhythm.model", "rhythm model, a file of scripts/train_rhythm; empty: the built-in one",
                        options.model, 4096));
}

void add_wave_fields(std::vector<ConfigField>& fields, WaveOptions& waves, ClassifyOptions& classify) {
  fields.push_back(text("classify.model",
                        "beat class model, a file of scripts/train_classifier; empty: the built-in one", classify.model,
                        4096));
  fields.push_back(text("waves.model",
                        "model for P, QRS and T waves, a file of scripts/train_waves; empty: the built-in one",
                        waves.model, 4096));
  fields.push_back(choice<QtCorrection>("waves.qtc", "correction of the QT interval for the heart rate", waves.qtc,
                                        {{QtCorrection::bazett, "bazett"},
                                         {QtCorrection::fridericia, "fridericia"},
                                         {QtCorrection::framingham, "framingham"},
                                         {QtCorrection::hodges, "hodges"}}));
  fields.push_back(number("waves.st_after_j_s", "time after the J point at which the ST level is measured, seconds",
                          waves.st_after_j_s, {0, 0.2}));
}

}  // namespace

std::string key_without_unit(const std::string& key) {
  for (const std::string suffix : {"_samples", "_s"})
    if (key.ends_with(suffix)) return key.substr(0, key.size() - suffix.size());
  return key;
}

std::vector<ConfigField> fields_of(Config& c) {
  std::vector<ConfigField> fields;
  add_general_fields(fields, c);
  add_ingest_fields(fields, c.ingest);
  add_r_peak_fields(fields, c);
  add_published_fields(fields, c);
  add_vae_fields(fields, c.vae);
  add_score_fields(fields, c.score);
  add_episode_fields(fields, c.episodes, c.evidence);
  add_wave_fields(fields, c.waves, c.classify);
  add_rhythm_model_fields(fields, c.rhythm_model);
  add_output_fields(fields, c);
  return fields;
}

// The options for episodes: limits that differ between guidelines and users.

using namespace fields;

void add_episode_fields(std::vector<ConfigField>& fields, EpisodeOptions& episodes, EvidenceOptions& evidence) {
  const Range seconds{0, 3600}, rate{1, 1000};
  PrefixedFields to(fields, "episodes.");
  to.add("longest_rr_s", "longest RR interval within a rhythm, seconds", episodes.intervals.longest_s, {0.1, 100});
  BeatRunOptions& runs = episodes.runs;
  to.count("run_beats", "minimum number of consecutive beats of class V or S in a run", runs.least_beats, {2, 1000});
  to.add("vt_rate_bpm", "rate above which a run of V is ventricular tachycardia, beats a minute", runs.vt_rate_bpm,
         rate);
  to.add("svt_rate_bpm", "rate above which a run of S is supraventricular tachycardia, beats a minute",
         runs.svt_rate_bpm, rate);
  to.count("cycles", "minimum number of V beats in bigeminy or trigeminy", runs.least_cycles, {2, 1000});
  to.add("pause_s", "an RR interval longer than this is a pause, seconds", episodes.pauses.pause_s, seconds);
  to.add("asystole_s", "an RR interval longer than this is asystole, seconds", episodes.pauses.asystole_s, seconds);
  to.add("slow_bpm", "sinus rhythm below this rate is bradycardia, beats a minute", episodes.rates.slow_bpm, rate);
  to.add("fast_bpm", "sinus rhythm above this rate is tachycardia, beats a minute", episodes.rates.fast_bpm, rate);
  to.add("noise_least_s", "minimum duration of a noise episode, seconds", evidence.noise_least_s, seconds);
}

// The options for finding and ranking beats with method r_peaks. Jointly fitted constants, such as the detection
// thresholds, are not options: they are in detect_options.h and similar headers.

namespace {

using namespace fields;

void add_detect_fields(PrefixedFields to, DetectOptions& d) {
  to.add("band_hz", "centre of the QRS band, Hz", d.band_hz, {1, 30});
  to.add("smooth_s", "sigma of the Gaussian that smooths the envelope, seconds", d.smooth_s, {0.001, 0.2});
  to.add("distance_s", "a beat candidate is the maximum of the envelope within this time on either side, seconds",
         d.distance_s, {0.01, 1});
  to.add("keep", "minimum height of a beat, in local levels", d.keep, {0, 10});
}

void add_quality_fields(PrefixedFields to, QualityOptions& q) {
  to.add("bridge_s", "longest gap that is interpolated without dropping beats, seconds", q.bridge_s, {0, 0.2});
}

void add_row_fields(PrefixedFields to, RowOptions& rows) {
  to.add("before_s", "length of a row before the R peak, seconds", rows.before_s, {0.01, 1});
  to.add("after_s", "length of a row after the R peak, seconds", rows.after_s, {0.01, 2});
  to.add("low_hz", "lower end of the band of a row, Hz", rows.low_hz, {0.1, 5});
  to.add("high_hz", "upper end of the band of a row, Hz", rows.high_hz, {5, 1000});
  to.count("points", "number of points in a row, a multiple of 64", rows.points, {64, 4096});
  to.count("reference_beats", "number of regular beats that define the normal beat of the recording",
           rows.reference_beats, {2, kMostReferences});
}

void add_rhythm_fields(PrefixedFields to, RhythmOptions& r) {
  to.count("reference_beats", "number of intervals on either side for the reference RR", r.reference_beats,
           {1, kMostReach});
  to.add("prev_weight", "weight of the term for prematurity", r.prev_weight, {0, 100});
  to.add("next_weight", "weight of the term for the compensatory pause", r.next_weight, {0, 100});
  to.add("pause_s", "minimum RR interval of a pause, seconds", r.pause_s, {0, 3600});
}

}  // namespace

void add_r_peak_fields(std::vector<ConfigField>& fields, Config& c) {
  add_detect_fields({fields, "detect."}, c.detect);
  add_quality_fields({fields, "quality."}, c.quality);
  fields.push_back(text("quality.model",
                        "model of the signal-quality index, a file of scripts/train_quality; empty: the built-in one",
                        c.quality.model, 4096));
  add_row_fields({fields, "rows."}, c.rows);
  add_rhythm_fields({fields, "rhythm."}, c.rhythm);
  fields.push_back(number("noise.most",
                          "maximum factor by which noise around the beat reduces a distance; 1: noise is ignored",
                          c.noise.most, {1, 1000}));
}

}  // namespace beatscan
