// app/config/config.h — every option of a run in one struct, and its JSON form.
//
// The initialisers of the option structs are the only defaults. A configuration file and --set override them. An
// unknown key, a wrong type or a value out of range is an error (ErrorKind::usage) that names the key.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/common/json.h"
#include "kernels/runtime/pool_options.h"
#include "stages/detect/detect_options.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/methods/as_published.h"
#include "stages/model/vae_output.h"
#include "stages/quality/quality.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/rhythms.h"
#include "stages/score/scores.h"
#include "stages/waves/waves.h"
#include "stages/windows/row_options.h"

namespace beatscan {

enum class DeviceChoice { automatic, cpu, cuda };

// The method that finds, cuts and ranks beats.
//   r_peaks    morphology method around R peaks; uses the sections detect, quality, rows, rhythm and noise
//   published  reference pipeline as published; uses the sections filter, segment and embed
enum class Method { r_peaks, published };

// Outputs that differ from the default ones.
struct OutputOptions {
  bool waves = false;       // waves.csv and RECORD.waves; method r_peaks only
  bool features = false;    // features.npy and features.json; method r_peaks only
  bool nn = false;          // nn.csv; method r_peaks only
  std::string only;         // the classes whose beats beats.csv and abnormal.csv have; empty: all
  bool deidentify = false;  // leaves out what may name a person, see app/output/deidentify.h
};

// The parts of a recording that hrv.csv has, besides the whole of it (app/output/hrv_csv.h).
struct HrvPartOptions {
  double window_s = 0;                // length of a window; 0: none
  std::string sleep = "23:00-07:00";  // by the clock, or as 14-22 in hours from the start
};

// The classification of beats (stages/classify).
struct ClassifyOptions {
  std::string model;  // a file of scripts/train_classifier; empty: the built-in model
};

// The rhythm model (stages/rhythm).
struct RhythmModelOptions {
  RecordingSource source = RecordingSource::automatic;
  std::string model;  // a file of scripts/train_rhythm; empty: the built-in model
};

struct Config {
  std::uint64_t seed = 1;  // determines every random number of a run
  DeviceChoice device = DeviceChoice::automatic;
  // Numbers of the GPUs among those that CUDA_VISIBLE_DEVICES leaves; empty: all, of which a single recording uses the
  // first. JSON has them in `device`.
  std::vector<int> gpus;
  Method method = Method::r_peaks;
  PoolOptions pool;
  IngestOptions ingest;
  DetectOptions detect;
  QualityOptions quality;
  RowOptions rows;
  RhythmOptions rhythm;
  NoiseOptions noise;
  FilterOptions filter;
  SegmentOptions segment;
  EmbedOptions embed;
  VaeOptions vae;
  ScoreOptions score;
  ClassifyOptions classify;
  RhythmModelOptions rhythm_model;  // JSON has it in `rhythm`
  EpisodeOptions episodes;
  EvidenceOptions evidence;
  HrvPartOptions hrv;
  WaveOptions waves;
  OutputOptions output;
};

// Points of a row with the configured method.
inline std::int64_t row_points_of(const Config& config) {
  return config.method == Method::published ? config.embed.row_points : config.rows.points;
}

// Returns how an input is read; the method `published` reads only one lead.
IngestOptions ingest_options(const Config& config);

// Applies, in this order:
//   base          the built-in defaults
//   file_or_name  a path, or the name of a built-in configuration (default, seed); empty: none
//   settings      each "key.path=value", with the value as JSON or a bare word
Config load_config(const std::string& file_or_name, const std::vector<std::string>& settings, const Config& base = {});

// Returns the key of a setting "key.path=value". Throws ErrorKind::usage if the text is not a setting.
std::string key_of_setting(const std::string& setting);

// Applies a JSON object; `source` names it in errors.
void apply(Config& config, const Json& document, const std::string& source);

// Throws ErrorKind::usage if options contradict each other. Sizes in seconds are checked if the rate is known.
void check_config(const Config& config);

// The part of these checks for episodes.
void check_episodes(const EpisodeOptions& episodes);

// Throws ErrorKind::usage if a size in seconds is used and the rate is not known.
void check_rate_known(const Config& config);

// Returns all options with their values. Loading the result restores the same configuration.
Json to_json(const Config& config);

// Returns the JSON Schema (draft 2020-12) of a configuration file.
Json config_schema();

}  // namespace beatscan
