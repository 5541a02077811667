// stages/recording/recording.h — a recording in the context's memory, and what its file says about it. Every reader
// of a file format fills a Recording.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/gaps.h"
#include "stages/recording/leads.h"
#include "stages/recording/start_time.h"

namespace beatscan {

// Two sampling rates agree if they differ by at most this share: a clock that drifts does not contradict a rate.
inline constexpr double kSameRate = 1e-3;

// Tells who gave the sampling rate.
enum class RateOrigin {
  none,
  header,
  metadata,  // a line before the table of a CSV file, or a variable of a MATLAB file
  time_column
};

inline const char* name_of(RateOrigin origin) {
  return origin == RateOrigin::header        ? "header"
         : origin == RateOrigin::metadata    ? "metadata"
         : origin == RateOrigin::time_column ? "time column"
                                             : "";
}

// The layout of a CSV file.
struct CsvStyle {
  char delimiter;
  bool has_header;
  char decimal = '.';                           // what stands before a number's decimals
  std::int64_t skipped_lines = 0;               // lines before the table
  std::optional<std::string> time_column = {};  // name of the column with the times; nothing where there is none
};

// The leads that are read, as their file describes them.
struct SignalInfo {
  std::string format = "CSV";
  std::vector<std::string> names = {};  // all columns or leads of the file
  std::vector<Lead> leads = {};         // those that are read; a unit is empty where it is not known
  std::string name = {};                // name and unit of the first of them
  std::string unit = {};
  std::optional<double> sample_rate_hz = {};    // nothing where the file does not tell it
  RateOrigin rate_origin = RateOrigin::none;    // who tells sample_rate_hz
  std::int64_t samples_per_frame = 1;           // the annotations of a WFDB record count frames
  std::optional<StartTime> start = {};          // nothing where the file does not tell it
  std::string no_rate_because = {};             // why the file tells no rate, in words for the user
  std::optional<CsvStyle> csv = {};             // CSV files only
  std::optional<std::string> time_column = {};  // column with the times, of another file that has columns
  std::vector<std::string> metadata = {};  // what was taken from lines or variables beside the samples, for the user
  std::vector<std::string> warnings = {};  // what the user should know about the file, one line each
};

// Puts the leads that are read into `signal`; at least one.
inline void set_leads(SignalInfo& signal, std::vector<Lead> leads) {
  signal.leads = std::move(leads);
  signal.name = signal.leads.front().name;
  signal.unit = signal.leads.front().unit;
}

// The treatment of a bad row of a CSV file: text in place of a number or a time, too few cells, a quote left open.
enum class OnBad {
  error,  // the file is refused
  nan,    // what is bad in the row is missing: its sample, or its time
  skip    // the row is left out, and samples count the other rows
};

inline constexpr int kNamedBadRows = 8;  // more are counted only

struct BadRow {
  std::int64_t line, byte;  // the file's first line is 1, and its first byte 0
  std::string what;
};
struct BadRows {
  std::int64_t count = 0;
  std::vector<BadRow> first;  // the first kNamedBadRows in the file's order
};

// One lead, with the gaps that it alone has.
template <class Context>
struct RecordedLead {
  std::string name, unit;                               // the unit is empty where it is not known
  Buffer<float, Context> samples;                       // [N] finite: straight lines bridge the gaps (gaps.h)
  Buffer<std::int64_t, Context> gap_firsts, gap_lasts;  // [G] first and last missing sample of each gap
  std::int64_t missing = 0;                             // samples without a value
  ValueRange range{};                                   // smallest and largest sample, in the input's unit
};

template <class Context>
struct Recording {
  std::vector<RecordedLead<Context>> leads;  // [L] at least one; all have N samples
  BadRows bad;                               // CSV only
  SignalInfo signal;
  std::int64_t bytes = 0;  // size of the files that were read

  std::int64_t samples() const { return leads.empty() ? 0 : leads.front().samples.size(); }  // N of each lead
};

template <class Context>
std::int64_t bytes_of_samples(const Recording<Context>& recording) {
  return std::ssize(recording.leads) * recording.samples() * static_cast<std::int64_t>(sizeof(float));
}

// Makes a recording of one lead.
template <class Context>
Recording<Context> with_one_lead(RecordedLead<Context> lead) {
  Recording<Context> recording;
  recording.leads.push_back(std::move(lead));
  return recording;
}

// Makes a recording of the leads that `signal` names, without samples yet.
template <class Context>
Recording<Context> without_samples(const SignalInfo& signal, std::int64_t bytes) {
  Recording<Context> recording;
  for (const auto& lead : signal.leads) recording.leads.push_back({.name = lead.name, .unit = lead.unit});
  recording.signal = signal;
  recording.bytes = bytes;
  return recording;
}

// Returns how many missing samples a file with `recorded` recorded ones may claim. This bounds the memory for a file by
// what is in it.
constexpr std::int64_t most_missing(std::int64_t recorded) { return 99 * recorded; }

// Describes bad rows for the user: "3 bad rows: line 4, byte 12: 'x' is not a number; …".
std::string describe(const BadRows& bad);

// Called now and then while a file is read, with the bytes that are done. It may throw to stop the reading.
using BytesReport = std::function<void(std::int64_t done, std::int64_t total)>;

// Finishes a recording; every reader calls it last. Before, missing samples are NaN and each lead's `missing` is their
// number. Afterwards each lead's gaps are listed, straight lines bridge them, and its range is known. Of several leads,
// those without any value and those that are flat are left out, with a warning each, if any other is left. Throws
// ErrorKind::unanalysable naming `path` and the leads where no sample of any has a value.
template <class Context>
void bridge_and_measure(Context&, Recording<Context>& recording, const std::string& path);

}  // namespace beatscan
