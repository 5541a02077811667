// stages/recording/recording.h — a recording in the context's memory, and what its file says of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/gaps.h"

namespace beatscan {

inline constexpr double kSameRate = 1e-3;  // relative: a clock that drifts does not contradict a rate

// Who tells the sampling rate.
enum class RateOrigin { none, header, time_column };

inline const char* name_of(RateOrigin origin) {
  return origin == RateOrigin::header ? "header" : origin == RateOrigin::time_column ? "time column" : "";
}

// How a CSV file is written.
struct CsvStyle {
  char delimiter;
  bool has_header;
};

// A file's own words about the signal that is read of it.
struct SignalInfo {
  std::string format = "CSV";
  std::vector<std::string> names;        // of all columns or leads
  std::string name;                      // of the one that is read
  std::string unit;                      // of its values; empty: not known
  std::optional<double> sample_rate_hz;  // where the file tells it
  RateOrigin rate_origin = RateOrigin::none;
  std::int64_t samples_per_frame = 1;  // annotations of a WFDB record count frames
  std::string no_rate_because;         // more about a rate that is not told, for people
  std::optional<CsvStyle> csv = {};    // of a CSV file
  std::vector<std::string> warnings;   // of what was read, one line each
};

// What becomes of a row of a CSV file that is no good: text for a number, too few cells, a quote left open.
enum class OnBad {
  error,  // the file is refused
  nan,    // its sample is missing
  skip    // it is left out: samples count the rows that are kept
};

inline constexpr int kNamedBadRows = 8;
struct BadRow {
  std::int64_t line, byte;  // the file's first line is 1, its first byte 0
  std::string what;
};
struct BadRows {
  std::int64_t count = 0;
  std::vector<BadRow> first;  // kNamedBadRows at most, in the file's order
};

template <class Context>
struct Recording {
  Buffer<float, Context> samples;                       // [N] finite: gaps are bridged by straight lines (gaps.h)
  Buffer<std::int64_t, Context> gap_firsts, gap_lasts;  // [G] first and last missing sample of each gap
  std::int64_t missing = 0;                             // samples without a value
  BadRows bad;                                          // of CSV; those of OnBad::nan are missing, too
  ValueRange range{};                                   // of the samples, in the input's unit
  SignalInfo signal;
  std::int64_t bytes = 0;  // of the files that it was read from
};

// Of samples that nothing was recorded of, a file may claim this many: memory is bounded by what there is.
constexpr std::int64_t most_missing(std::int64_t recorded) { return 99 * recorded; }

// "3 bad rows: line 4, byte 12: 'x' is not a number; …", for people.
std::string words_of(const BadRows& bad);

using BytesReport = std::function<void(std::int64_t done, std::int64_t total)>;

// The rest of every way to make a recording: samples may be NaN (missing, counted) before, and are bridged behind.
// ErrorKind::unanalysable where no sample has a value; `path` and the signal's name are for that message.
template <class Context>
void bridge_and_measure(Context&, Recording<Context>& recording, const std::string& path);

}  // namespace beatscan
