// stages/io/wfdb/wfdb_record.h — reads leads of a WFDB record: RECORD.hea and the signal files that it names.
// Source: WFDB Applications Guide, header(5) and signal(5).
//
// A value is (sample - baseline) / gain, computed in double and rounded to float32. A sample is missing in three cases:
//   - it has the value that its format uses for that
//   - its segment was not recorded (~)
//   - its segment lacks the lead
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "stages/io/recording/input_file.h"
#include "stages/io/recording/sample_source.h"
#include "stages/io/wfdb/wfdb_header.h"

namespace beatscan {

struct LeadChoice;

// A lead's share of consecutive samples: the first `recorded` are in a file, and the others are missing.
struct WfdbLeadPart {
  std::int64_t recorded = 0;        // 0 where all are missing; then the rest says nothing
  WfdbSignal signal = {};           // the signal's line of the header
  InputPart file = {};              // where the samples are
  std::int64_t frame_samples = 0;   // samples of a frame, of all signals in the file
  std::int64_t first_in_frame = 0;  // samples of a frame that come before this signal's
  std::int64_t channel = 0;         // the signal's place among those in the file
};

// Consecutive samples of all leads that are read.
struct WfdbPart {
  std::int64_t samples = 0;              // of each lead
  std::vector<WfdbLeadPart> leads = {};  // [L]; none if all samples are missing
};

struct WfdbRecord {
  SignalInfo signal;
  std::filesystem::path path;           // name of the header, for messages
  std::vector<InputPart> files;         // header, headers of segments, and signal files with the leads
  std::vector<WfdbPart> parts;          // the leads, in order of time
  std::int64_t samples = 0, bytes = 0;  // samples of each lead, and size of the files
};

// Reads the headers and the sizes of the files; decodes nothing, except a FLAC file that claims uncommonly
// many samples. The leads are chosen as by choose_leads. Leads that do not fit the first one are left out with a
// warning, or refused if they were requested: those with another number of samples, in a frame or in all, and those
// that no file holds. Of several leads, those that are nearly all missing are left out. Throws ErrorKind::unanalysable
// if that is so of all, and ErrorKind::input in these cases:
//   - a header is badly formed
//   - a file is missing, too short, or outside the header's folder
//   - a format is not known
WfdbRecord open_wfdb(const std::filesystem::path& header, const LeadChoice& choice);

// Returns the record's samples. Reading them throws ErrorKind::input if a file is damaged, or if its sum of samples is
// not the checksum in the header.
SampleSource source_of(std::shared_ptr<const WfdbRecord> record);

}  // namespace beatscan
