// app/result/run_result.h — all that the files of a result say, on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/result/advisory.h"
#include "app/result/report_data.h"
#include "app/result/stage_time.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/pool_options.h"
#include "kernels/signal/value_range.h"
#include "stages/beats/beat_list.h"
#include "stages/beats/lead_agreement.h"
#include "stages/episodes/episode.h"
#include "stages/episodes/rhythm_results.h"
#include "stages/features/beat_table.h"
#include "stages/findings/beat_findings.h"
#include "stages/methods/beats.h"
#include "stages/quality/signal_quality.h"
#include "stages/quality_index/quality_index.h"
#include "stages/recording/lead_units.h"
#include "stages/recording/signal_info.h"
#include "stages/rows/rhythm.h"
#include "stages/score/drift.h"
#include "stages/waves/wave_summary.h"
#include "stages/waves/waves.h"

namespace beatscan {

// The facts of a lead that was read.
struct LeadFacts {
  std::string name, unit;
  std::int64_t missing = 0, gaps = 0;
  ValueRange range{};
  double span = 0;  // usual span of a second or two, in the lead's unit
  LeadScale scale{};
};

// The recording: its files, what they say of the signal, and what was read of it.
struct InputFacts {
  std::filesystem::path path;      // the path that was given
  std::string name;                // unique among the recordings of a batch
  std::vector<std::string> files;  // that were read; bytes and hash are of all of them
  std::int64_t bytes = 0;
  std::string sha256;
  SignalInfo signal;
  std::optional<double> sample_rate_hz;  // that was used
  std::string sample_rate_source;        // see SampleRate
  std::int64_t samples = 0, missing = 0, gaps = 0;
  BadRows bad;
  ValueRange range{};                 // this and missing, gaps are of the first lead
  std::vector<LeadFacts> leads;       // [L]
  std::vector<std::string> warnings;  // about the recording, its rate and its reference annotations
};

// The beats that were found [S], and which of them became rows [B].
struct BeatFacts {
  BeatList found;                           // the published method gives no quality and trust
  std::int64_t samples_to_peak = 0;         // from a beat's start
  std::vector<std::int64_t> kept;           // [B] the beat of each row
  std::int64_t row_points = 0;              // D
  std::optional<SignalQuality> quality;     // around R peaks: in each block that of the best lead
  std::vector<SignalQuality> lead_quality;  // [L] around R peaks
  std::vector<std::int64_t> leads;          // the leads that rows were cut of, around R peaks
  Quality worst_trusted = Quality::good;    // the worst signal whose beats show what is normal
  std::optional<Rhythm> rhythm;             // [S] around R peaks
  std::optional<SignalEvidence> evidence;   // around R peaks
  LeadAgreement agreement;                  // around R peaks
};

struct ModelFacts {
  std::string why_none;                         // why there is no model; empty: there is one
  std::optional<std::filesystem::path> source;  // the file of a saved model; nothing: trained here
  std::vector<NamedArray> parameters;
  VaeTraining training;
  ModelDiagnosis diagnosis;
  bool in_scores = true;             // the scores depend on it
  double most_drift = 1;             // drift above which it does not fit a recording
  std::optional<UsualSpread> usual;  // of the recording that it was trained on; nothing: not known
};

// The arrays that `--save-arrays` keeps.
using SavedResponse = std::variant<std::vector<float>, std::vector<double>>;
struct SavedArrays {
  std::vector<float> signal;      // [L N] gaps bridged
  SavedResponse response;         // [N] the curve whose peaks are beats
  std::vector<float> embeddings;  // [leads that rows were cut of][B][D]
};

// The command, the device and the times of the run.
struct RunFacts {
  std::string command;      // the command line, quoted for a shell; empty: called without one
  std::string device_kind;  // "cpu" or "cuda"
  DeviceDescription device;
  std::optional<PoolStatistics> pool;
  std::vector<StageTime> stages;
  double wall_s = 0;
  std::vector<std::string> input_stamps;  // of the input's files when they were opened, see app/files/stamp.h
  std::string truth_sha256;               // of the reference annotations; empty: none were given
};

struct RunResult {
  InputFacts input;
  BeatFacts beats;
  ModelFacts model;
  ScoredBeats scored;                       // [B]
  std::optional<Findings> findings;         // [S] around R peaks
  std::optional<BeatWaves> waves;           // [S] around R peaks
  std::optional<WaveSummary> wave_summary;  // what summary_of_waves returned
  std::string wave_model_sha256;            // of their model
  std::string class_model_sha256;           // of the model of beat classes
  std::string rhythm_model_sha256;          // of the model of rhythms
  QualityIndex quality_index;               // around R peaks
  std::string quality_model_sha256;         // of its model
  std::optional<BeatFeatures> features;     // [S] around R peaks, if they are to be written
  std::optional<RhythmFindings> rhythm;     // around R peaks
  std::optional<Drift> drift;  // from what a saved model was trained on; nothing: trained here, or not known
  RunFacts run;
  ReportData report;
  std::optional<SavedArrays> arrays;
  // Keeps what ranks_in_good_signal returned when the scores were known, because it takes time. Empty before.
  std::vector<std::int64_t> ranks;
  // Keeps what advisories_of returned when all else was known. Nothing before.
  std::optional<std::vector<Advisory>> advisories;
};

// Returns the sample nearest to an R peak.
inline std::int64_t nearest_sample(double r_peak) { return std::llround(r_peak); }

// Returns the time of a sample in seconds. The sampling rate must be known.
inline double second_of(const RunResult& result, double sample) { return sample / *result.input.sample_rate_hz; }

// Returns what rules of rhythm look at, of a result with findings. It refers to the result.
RhythmBeats rhythm_beats(const RunResult& result);

// Summarises the waves of the beats in good signal, of a result with waves.
WaveSummary summary_of_waves(const RunResult& result);

}  // namespace beatscan
