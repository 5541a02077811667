#include "stages/io/wfdb/wfdb_segments.h"

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/io/wfdb/wfdb_files.h"

namespace beatscan {
namespace {

constexpr int kMostRepeats = 100;
constexpr std::int64_t kMostFrames = 1'000'000'000'000;

}  // namespace

const OpenedSegment& WfdbSegments::open(const std::string& name, const FileOpened& opened) {
  if (const auto known = known_.find(name); known != known_.end()) {
    if (++known->second.uses > kMostRepeats)
      fail(ErrorKind::input, record_.string(),
           "has segment '" + name + "' more than " + std::to_string(kMostRepeats) + " times");
    return known->second;
  }
  const auto path = path_beside(record_, name + ".hea");
  const auto file = open_regular(path);
  opened(file);
  WfdbHeader header = read_wfdb_header(*file);
  if (!header.segments.empty())
    fail(ErrorKind::input, path.string(), "is a segment, so it cannot have segments itself");
  return known_.emplace(name, OpenedSegment{path, std::move(header)}).first->second;
}

void check_segment_frames(const WfdbHeader& master, const std::filesystem::path& record) {
  std::int64_t frames = 0;
  for (const auto& segment : master.segments)
    if (frames += segment.frames; segment.frames > kMostFrames || frames > kMostFrames)
      fail(ErrorKind::input, record.string(), "claims more than " + std::to_string(kMostFrames) + " samples");
  if (master.frames > 0 && frames != master.frames)
    fail(ErrorKind::input, record.string(),
         "has segments of " + counted(frames, "sample") + " together where the record line says " +
             std::to_string(master.frames));
}

void check_segment(const OpenedSegment& segment, const WfdbSignal& signal, const WfdbSignal& first,
                   const WfdbHeader& master, const std::filesystem::path& record, std::int64_t frames) {
  const auto& [path, header, uses] = segment;
  if (signal.samples_per_frame != first.samples_per_frame || signal.unit != first.unit || signal.name != first.name)
    fail(ErrorKind::input, path.string(),
         "its signal '" + signal.name + "' differs from '" + first.name +
             "' of the segments before in name, unit or samples per frame");
  if (header.frames > 0 && header.frames != frames)
    fail(ErrorKind::input, path.string(),
         "has " + counted(header.frames, "sample") + " where " + record.filename().string() + " says " +
             std::to_string(frames));
  if (header.frame_rate_hz && master.frame_rate_hz && *header.frame_rate_hz != *master.frame_rate_hz)
    fail(ErrorKind::input, path.string(), "has another sampling frequency than " + record.filename().string());
}

}  // namespace beatscan
