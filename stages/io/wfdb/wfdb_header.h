// stages/io/wfdb/wfdb_header.h — parses the text of a WFDB header (RECORD.hea). Source: WFDB Applications Guide,
// header(5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stages/io/recording/start_time.h"

namespace beatscan {

// A signal line: FILE FORMAT[xSAMPLES][:SKEW][+OFFSET] [GAIN[(BASELINE)][/UNIT]] [RESOLUTION] [ZERO] [INITIAL]
// [CHECKSUM] [BLOCK] [DESCRIPTION]
struct WfdbSignal {
  std::string file;  // "~" where nothing was recorded
  int format = 0;
  std::int64_t samples_per_frame = 1;
  std::int64_t skew = 0;        // frames by which this signal comes later in the file than the others
  std::int64_t offset = 0;      // place of the first sample in the file: in bytes, for FLAC in samples
  double gain = 200;            // stored units per physical unit
  double baseline = 0;          // stored value of 0 physical units; the ADC's zero where the line has no baseline
  std::string unit = "mV";      // physical unit; empty without a gain, as values are not calibrated then
  std::int64_t initial = 0;     // format 8: the value before the first difference
  std::optional<int> checksum;  // sum of all samples modulo 2^16; nothing if the line has none, or 0
  std::string name;             // the description; "0", "1", … if there is none
};

// Returns whether files of this format are FLAC files.
constexpr bool is_flac(int format) { return format == 508 || format == 516 || format == 524; }

struct WfdbSegment {
  std::string name;  // the record that is the segment; "~" where nothing was recorded
  std::int64_t frames;
};

struct WfdbHeader {
  std::optional<double> frame_rate_hz;  // nothing if the header does not specify it
  std::optional<StartTime> start;       // nothing if it has no base time, or one that is not H:M:S
  std::int64_t frames = 0;              // 0 if the header does not specify it
  std::vector<WfdbSignal> signals;      // none if the record has segments
  std::vector<WfdbSegment> segments;
};

// Parses a header. Throws ErrorKind::input naming `path` and the line. Whatever the header claims, the memory taken is
// bounded by the length of its text.
WfdbHeader parse_wfdb_header(std::string_view text, const std::string& path);

}  // namespace beatscan
