// stages/io/wfdb/wfdb_segments.h — the segments of a WFDB record that has several.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "stages/io/wfdb/wfdb_header.h"

namespace beatscan {

class InputFile;

struct OpenedSegment {
  std::filesystem::path path;  // of its header
  WfdbHeader header;
  int uses = 1;  // how often it was requested
};

// Called with each file that is opened.
using FileOpened = std::function<void(const std::shared_ptr<const InputFile>&)>;

// Opens the headers of a record's segments, each once: a record may have a segment several times.
class WfdbSegments {
 public:
  explicit WfdbSegments(std::filesystem::path record) : record_(std::move(record)) {}

  // Throws ErrorKind::input if the header cannot be read or has segments itself, or if the segment was requested more
  // than 100 times: a few bytes must not stand for a recording of any length.
  const OpenedSegment& open(const std::string& name, const FileOpened& opened);

 private:
  std::filesystem::path record_;
  std::map<std::string, OpenedSegment> known_;
};

// Throws ErrorKind::input if the record's segments have more than 1e12 frames together, or another number than its
// record line says.
void check_segment_frames(const WfdbHeader& master, const std::filesystem::path& record);

// Throws ErrorKind::input if a segment does not fit its record.
//   signal  of the segment
//   first   the same lead in the segment by which leads were chosen
//   frames  that the record says the segment has
void check_segment(const OpenedSegment& segment, const WfdbSignal& signal, const WfdbSignal& first,
                   const WfdbHeader& master, const std::filesystem::path& record, std::int64_t frames);

}  // namespace beatscan
