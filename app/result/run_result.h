// app/result/run_result.h — all that the files of a result say, on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/result/report_data.h"
#include "app/result/stage_time.h"
#include "kernels/runtime/pool.h"

namespace beatscan {

// What `--save-arrays` keeps, on the host.
struct SavedArrays {
  std::vector<float> signal;                                       // [N] gaps bridged
  std::variant<std::vector<float>, std::vector<double>> response;  // [N] what beats are peaks of
  std::vector<float> embeddings;                                   // [B][D]
};

// The R peak's sample.
inline std::int64_t nearest_sample(double r_peak) { return std::llround(r_peak); }

// What a recording is called: its file's name without folder and endings; "stdin" for standard input.
std::string record_name(const std::filesystem::path& input);

// All that the output files say, on the host.
struct RunResult {
  std::filesystem::path input;
  std::string name;  // of the recording, one of a kind among those of a batch
  std::int64_t input_bytes = 0;
  std::string input_sha256;
  std::string column;
  std::optional<double> sample_rate_hz;
  std::string sample_rate_source;           // see SampleRate
  std::vector<std::string> input_files;     // what bytes and hash are of
  std::vector<std::string> input_warnings;  // of the recording and its rate
  std::string format, unit;                 // see SignalInfo
  std::optional<double> own_rate_hz;        // what the recording says, whatever is used
  std::int64_t samples_per_frame = 1;

  std::int64_t samples = 0, missing = 0, gaps = 0;
  BadRows bad;
  ValueRange range{};

  BeatList beats;                    // [S] found; by the published method without quality and trust
  std::int64_t samples_to_peak = 0;  // from a beat's start
  std::vector<std::int64_t> kept;    // [B]
  std::int64_t row_points = 0;
  std::optional<SignalQuality> quality;  // these three: around R peaks
  std::optional<Rhythm> rhythm;          // [S]
  std::optional<Ranking> ranking;        // [B]

  std::optional<std::filesystem::path> model_source;  // a saved model; nothing: trained on this recording
  std::vector<NamedArray> parameters;
  VaeTraining training;
  RowScores row_scores;  // [B]
  BeatScores scores;     // [B] those of the ranking, if there is one
  ModelDiagnosis diagnosis;
  ReportData report;
  std::optional<SavedArrays> arrays;

  std::string command;      // line, quoted for a shell; empty: not by one
  std::string device_kind;  // "cpu" or "cuda"
  DeviceDescription device;
  std::optional<PoolStatistics> pool;
  std::vector<StageTime> stages;
  double wall_s = 0;
};

}  // namespace beatscan
