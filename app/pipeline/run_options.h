// app/pipeline/run_options.h — selects the recordings that get a report.html.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/output/tables/table.h"

namespace beatscan {

struct RunResult;

enum class Pages { all, abnormal, none };

// Returns whether a recording gets a page. `abnormal` gives it one if the recording has
//   - an abnormal beat in good signal, or
//   - an episode other than NOISE and GAP.
bool wants_page(Pages pages, const RunResult& result);

// Options that several commands share. Empty or absent: not given on the command line.
struct CommonOptions {
  std::string config;
  std::vector<std::string> settings;
  std::string device;
  std::string lead;
  std::string source;  // of the recording: auto, strip, holter, monitor
  std::optional<double> sample_rate_hz;
  std::optional<std::uint64_t> seed;
  std::optional<double> threshold;  // score above which a beat is abnormal
  bool without_model = false;       // trains none
  int threads = 0;                  // CPU threads; 0: as many as the process may use
  bool waves = false;               // also write waves.csv and RECORD.waves
  bool features = false;            // also write features.npy and features.json
  std::string hrv_window;           // of hrv.csv, such as 5min
  bool nn = false;                  // also write nn.csv
  std::string only;                 // the classes whose beats are written
  bool deidentify = false;          // leave out what may name a person
  bool force = false, dry_run = false, quiet = false, verbose = false;
  std::string log_format = "text";
  std::string command;  // the whole line, quoted for a shell
};

// What becomes of a reader's corrections in a result that --force replaces. `refuse`: it is not replaced.
enum class OldCorrections { refuse, keep, drop };

// Options of the commands `run` and `score`.
struct RunOptions {
  std::vector<std::filesystem::path> inputs;  // files, folders and patterns
  std::filesystem::path list;                 // of more inputs; "-" is standard input; empty: none
  std::string shard;                          // "I/N" or "auto"; empty: all recordings
  std::filesystem::path out;
  std::filesystem::path truth;   // of the one recording, or a folder with one for each
  std::filesystem::path events;  // the diary of the one recording; empty: none
  bool save_arrays = false;
  Pages report = Pages::all;  // which recordings get a report.html
  TableForm beats = TableForm::csv;
  std::filesystem::path model;  // a saved one; empty: train
  std::filesystem::path pool_log;
  OldCorrections corrections = OldCorrections::refuse;
  bool resume = false;    // continue what was interrupted
  bool embedded = false;  // within another program, which owns stdout and the environment
  int in_flight = 0;      // recordings that a device processes at a time; 0: chosen by the program
};

// Applies the command line to `base`. Its choice of leads replaces an earlier choice of one lead or several. Throws
// ErrorKind::usage if one source makes both choices.
Config resolve_config(const CommonOptions& common, const Config& base);
Config resolve_config(const CommonOptions& common);  // on the defaults

// Returns the configuration keys set on the command line, by --set or by options of their own.
std::set<std::string> keys_on_command_line(const CommonOptions& common);

// Returns the source of a resolved configuration's rate: "command line" or "configuration".
std::string rate_source(const CommonOptions& common);

}  // namespace beatscan
