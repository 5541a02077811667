// stages/input/wfdb/wfdb_header.h — the text of a WFDB header (RECORD.hea). Source: WFDB Applications Guide, header(5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// A signal line: FILE FORMAT[xSAMPLES][:SKEW][+OFFSET] [GAIN[(BASELINE)][/UNIT]] [RESOLUTION] [ZERO] [INITIAL]
// [CHECKSUM] [BLOCK] [DESCRIPTION]
struct WfdbSignal {
  std::string file;  // "~" where nothing was recorded
  int format = 0;
  std::int64_t samples_per_frame = 1;
  std::int64_t skew = 0;        // frames that this signal lies behind the others in the file
  std::int64_t offset = 0;      // of the first sample: bytes, of FLAC samples
  double gain = 200;            // units of the file per physical unit
  double baseline = 0;          // what 0 physical units are in the file; the ADC's zero where it is not given
  std::string unit = "mV";      // empty where there is no gain: then values are not calibrated
  std::int64_t initial = 0;     // before the first difference of format 8
  std::optional<int> checksum;  // of all samples, modulo 2^16; nothing where it is not given or 0
  std::string name;             // the description; "0", "1", … where there is none
};

struct WfdbSegment {
  std::string name;  // of a record; "~": nothing was recorded
  std::int64_t frames;
};

struct WfdbHeader {
  std::optional<double> frame_rate_hz;  // nothing where the header does not say it
  std::int64_t frames = 0;              // 0: not known
  std::vector<WfdbSignal> signals;      // of a record with segments none
  std::vector<WfdbSegment> segments;
};

// `path` names the header in errors: ErrorKind::input with its line. Allocates no more than the text is worth, whatever
// it claims.
WfdbHeader parse_wfdb_header(std::string_view text, const std::string& path);

}  // namespace beatscan
