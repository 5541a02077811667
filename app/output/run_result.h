// app/output/run_result.h — the result of one recording, put together from the outputs of its stages.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/output/report_data.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/pool_options.h"
#include "kernels/signal/signal_part.h"
#include "stages/classify/beat_findings.h"
#include "stages/classify/beat_table.h"
#include "stages/detect/beat_list.h"
#include "stages/detect/lead_agreement.h"
#include "stages/io/recording/lead_units.h"
#include "stages/io/recording/signal_info.h"
#include "stages/methods/beats.h"
#include "stages/quality/quality_index.h"
#include "stages/quality/signal_quality.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/rhythms.h"
#include "stages/score/drift.h"
#include "stages/waves/wave_summary.h"
#include "stages/waves/waves.h"
#include "stages/windows/rhythm.h"

namespace beatscan {

enum class Severity { info, caution, serious };

struct Advisory {
  std::string id;  // "BS130"
  Severity severity = Severity::info;
  std::string message;                   // one line
  std::optional<double> time_s = {};     // from the recording's start
  std::optional<std::size_t> lead = {};  // index in the recording
};

struct StageTime {
  std::string name;
  double start_s = 0;  // since the program started
  double seconds = 0;
  std::int64_t bytes = 0;  // each input read once, each output written once
};

// Returns a recording's name: its file name without folder and extensions; "stdin" for standard input.
std::string record_name(const std::filesystem::path& input);

// The properties of a lead that was read.
struct LeadFacts {
  std::string name, unit;
  std::int64_t missing = 0, gaps = 0;
  ValueRange range{};
  double span = 0;  // typical span of a second or two, in the lead's unit
  LeadScale scale{};
};

// The recording: its files, their signal and what was read.
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
  ValueRange range{};                 // this, missing and gaps are of the first lead
  std::vector<LeadFacts> leads;       // [L]
  std::vector<std::string> warnings;  // about the recording, its rate and its reference annotations
};

// The detected beats [S], and those with beat windows [B].
struct BeatFacts {
  BeatList found;                           // the method published has neither quality nor trust
  std::int64_t samples_to_peak = 0;         // from the start of the beat window
  std::vector<std::int64_t> kept;           // [B] the beat of each row
  std::int64_t row_points = 0;              // D
  std::optional<SignalQuality> quality;     // method r_peaks: in each block that of the best lead
  std::vector<SignalQuality> lead_quality;  // [L] method r_peaks
  std::vector<std::int64_t> leads;          // the leads with beat windows, method r_peaks
  Quality worst_trusted = Quality::good;    // the lowest quality whose beats define what is normal
  std::optional<Rhythm> rhythm;             // [S] method r_peaks
  std::optional<SignalEvidence> evidence;   // method r_peaks
  LeadAgreement agreement;                  // method r_peaks
};

struct ModelFacts {
  std::string why_none;                         // why there is no model; empty: there is one
  std::optional<std::filesystem::path> source;  // the file of a saved model; nullopt: trained in this run
  std::vector<NamedArray> parameters;
  VaeTraining training;
  ModelDiagnosis diagnosis;
  bool in_scores = true;                          // the scores depend on it
  double most_drift = 1;                          // drift above which the model does not fit a recording
  std::optional<TrainingSpread> training_spread;  // of the recording that it was trained on; nullopt: unknown
  std::optional<Drift> drift;  // from the training beats of a saved model; nullopt: trained in this run, or unknown
};

// The arrays that `--save-arrays` keeps.
using SavedResponse = std::variant<std::vector<float>, std::vector<double>>;
struct SavedArrays {
  std::vector<float> signal;      // [L N] after bridging gaps
  SavedResponse response;         // [N] the curve whose peaks are beats
  std::vector<float> embeddings;  // [leads with beat windows][B][D]
};

// The command, the device and the times of the run.
struct RunFacts {
  std::string command;      // the command line, quoted for a shell; empty: not run from one
  std::string device_kind;  // "cpu" or "cuda"
  DeviceDescription device;
  std::optional<PoolStatistics> pool;
  std::vector<StageTime> stages;
  double wall_s = 0;
  std::vector<std::string> input_stamps;  // of the input's files when they were opened, see app/common/whole_file.h
  std::string truth_sha256;               // of the reference annotations; empty: none were given
};

// The signal-quality index, of method r_peaks. Each model_sha256 below is that of the stage's model.
struct QualityFacts {
  QualityIndex index;
  std::string model_sha256;
};

// The classes of the beats, and the table that they were read from.
struct ClassFacts {
  std::optional<Findings> findings;   // [S]
  std::optional<BeatFeatures> table;  // [S] if it is to be written
  std::string model_sha256;
};

// P, QRS and T waves.
struct WaveFacts {
  std::optional<BeatWaves> beats;      // [S]
  std::optional<WaveSummary> summary;  // result of summary_of_waves
  std::string model_sha256;
};

struct RhythmFacts {
  std::optional<RhythmFindings> findings;
  Rhythms recognised;  // by the model
  std::string model_sha256;
};

// What follows from the detected beats, without the model unless its errors are part of the score. Method published
// gives no more than the scores.
struct BeatAnalysis {
  ScoredBeats scored;  // [B]
  ClassFacts classes;
  WaveFacts waves;
  RhythmFacts rhythm;
  std::vector<std::int64_t> ranks;  // [B] see ranks_in_good_signal
  TemplateShapes templates;
};

// The output of each stage. Its files, its pages and its messages are made from it.
struct RunResult {
  InputFacts input;
  QualityFacts quality;
  BeatFacts beats;
  ScoredBeats scored;  // this and the next four are those of BeatAnalysis
  ClassFacts classes;
  WaveFacts waves;
  RhythmFacts rhythm;
  std::vector<std::int64_t> ranks;
  ModelFacts model;
  RunFacts run;
  ReportData report;
  std::optional<SavedArrays> arrays;
  // Cached result of advisories_of. nullopt until everything else is known.
  std::optional<std::vector<Advisory>> advisories;
};

// Returns the sample nearest to an R peak.
inline std::int64_t nearest_sample(double r_peak) { return std::llround(r_peak); }

// Returns the time of a sample in seconds. The sampling rate must be known.
inline double second_of(const RunResult& result, double sample) { return sample / *result.input.sample_rate_hz; }

// Returns the input of the rhythm rules: K beats and their classes, to which it refers.
RhythmBeats rhythm_beats(const BeatList& found, const Findings& findings, double sample_rate_hz);
RhythmBeats rhythm_beats(const RunResult& result);  // of a result with findings

// Summarises the waves of the normal beats in good signal.
WaveSummary summary_of_waves(const BeatWaves& waves, const BeatList& found, const Findings& findings,
                             double sample_rate_hz, std::int64_t samples);

}  // namespace beatscan
