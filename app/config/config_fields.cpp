#include "app/config/config_fields.h"

#include "app/config/field_makers.h"
#include "kernels/rows/neighbourhood.h"

namespace beatscan {

using namespace fields;

std::vector<ConfigField> fields_of(Config& c) {
  std::vector<ConfigField> fields;
  fields.push_back(integer("seed", "of every random number in a run", c.seed, {0, 9007199254740992.0}));
  fields.push_back(device("device", "where to work; auto: a GPU if there is one; cuda:N: the GPU number N, from 0",
                          c.device, c.cuda_device));
  fields.push_back(choice<Method>(
      "method",
      "of finding beats: around R peaks (detect, quality, rows, rhythm), or as published (filter, segment, embed)",
      c.method, {{Method::r_peaks, "r_peaks"}, {Method::published, "published"}}));
  fields.push_back(choice<PoolKind>(
      "pool.kind", "of device memory; managed: pages move between device and host, so that more fits than there is",
      c.pool.kind, {{PoolKind::device, "device"}, {PoolKind::managed, "managed"}}));
  fields.push_back(integer("pool.limit_bytes",
                           "of device memory for buffers (kind device); what does not fit is worked on in windows, or "
                           "lies in the host's memory; 0: all there is",
                           c.pool.limit_bytes, {0, 1e15}));
  fields.push_back(
      column("ingest.column",
             "column or lead to read, by name or position from 0; empty: the first that is no time, or an ECG lead",
             c.ingest.column));
  fields.push_back(column("ingest.time_column",
                          "column of the rows' times, by name or position; empty: found by its name; \"-\": none",
                          c.ingest.time_column));
  fields.push_back(delimiter("ingest.delimiter", "between columns, one character; empty: found from the first line",
                             c.ingest.delimiter));
  fields.push_back(optional_number("ingest.sample_rate_hz", "sampling rate, Hz; null: what the recording says",
                                   c.ingest.sample_rate_hz, {1, 100000}));
  fields.push_back(integer("ingest.chunk_bytes", "text read, copied and parsed at a time, bytes", c.ingest.chunk_bytes,
                           {1024, 1 << 30}));
  fields.push_back(choice<OnBad>(
      "ingest.on_bad",
      "a row of CSV that is no good (text for a number, too few cells …): error; nan: its sample is missing; skip: it "
      "is left out, and samples count the rows that are kept",
      c.ingest.on_bad, {{OnBad::error, "error"}, {OnBad::nan, "nan"}, {OnBad::skip, "skip"}}));
  add_r_peak_fields(fields, c);
  add_duration(fields, "filter.width", "width of the Ricker wavelet", c.filter.width);
  fields.push_back(
      boolean("filter.centred", "wavelet centred, so that the response peaks at the R peak", c.filter.centred));
  fields.push_back(choice<Precision>("filter.precision", "of the convolution", c.filter.precision,
                                     {{Precision::float32, "float32"}, {Precision::float64, "float64"}}));
  add_duration(fields, "segment.window", "window whose largest value is a beat's peak", c.segment.window);
  add_duration(fields, "embed.min_length", "shortest beat (start to next start) that is kept", c.embed.min_length,
               true);
  add_duration(fields, "embed.max_length", "longest beat that is kept", c.embed.max_length);
  add_duration(fields, "embed.row_span", "what a row covers from a beat's start on", c.embed.row_span);
  fields.push_back(integer("embed.row_points", "points of a row", c.embed.row_points, {2, 1 << 16}));
  fields.push_back(
      integers("vae.channels", "of the encoder's convolutions, each twice the one before", c.vae.channels, {2, 1024}));
  fields.push_back(integer("vae.latents", "dimensions of the latent space", c.vae.latents, {1, 64}));
  fields.push_back(number("vae.kl_weight", "weight of the KL divergence in the loss", c.vae.kl_weight, {0, 1000}));
  fields.push_back(number("vae.learning_rate", "of Adam in the first step", c.vae.learning_rate, {1e-9, 10}));
  fields.push_back(number("vae.last_learning_rate", "of Adam in the last step, reached exponentially",
                          c.vae.last_learning_rate, {1e-9, 10}));
  fields.push_back(integer("vae.batch_beats", "beats a training step", c.vae.batch_beats, {1, 1 << 20}));
  fields.push_back(integer("vae.least_steps",
                           "smaller batches, of 32 beats at least, where the epochs have fewer steps than this",
                           c.vae.least_steps, {0, 1 << 20}));
  fields.push_back(integer("vae.epochs", "passes over the training beats", c.vae.epochs, {1, 100000}));
  fields.push_back(number("vae.train_fraction", "share of the beats fit to learn from to train on; the rest tests",
                          c.vae.train_fraction, {0.01, 1}));
  fields.push_back(
      integer("vae.generated_beats", "beats decoded from random latents", c.vae.generated_beats, {0, 100000}));
  fields.push_back(choice<VaeEngine>(
      "vae.engine", "of training and scoring; auto: fused where it covers channels, latents and row_points",
      c.vae.engine, {{VaeEngine::automatic, "auto"}, {VaeEngine::fused, "fused"}, {VaeEngine::autograd, "autograd"}}));
  fields.push_back(number("score.threshold_deviations",
                          "a beat with a higher score is anomalous; robust standard deviations",
                          c.score.threshold_deviations, {-1000, 1000}));
  fields.push_back(
      optional_number("score.threshold_fraction",
                      "instead: share of the beats in good signal (published: of the training beats) above it",
                      c.score.threshold_fraction, {0, 1}));
  const Range weight{0, 100};
  fields.push_back(
      number("score.median_weight", "of the distance from the median beat", c.score.median_weight, weight));
  fields.push_back(
      number("score.nearest_weight", "of that from the nearest reference beats", c.score.nearest_weight, weight));
  fields.push_back(number("score.model_weight", "of that from what the model decodes from the usual beats around",
                          c.score.model_weight, weight));
  fields.push_back(number("score.nearest_share", "share of the reference beats that are the nearest",
                          c.score.nearest_share, {0, 1}));
  fields.push_back(
      integer("score.model_beats", "so many usual beats around a beat", c.score.model_beats, {1, kMostNeighbours}));
  fields.push_back(number("score.typical_spread", "of the distances' logarithms; half of what they are measured by",
                          c.score.typical_spread, {0.01, 100}));
  return fields;
}

}  // namespace beatscan
