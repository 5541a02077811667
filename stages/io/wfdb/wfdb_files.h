// stages/io/wfdb/wfdb_files.h — opens the files of a WFDB record and checks that they hold what the headers specify.
//
// All functions throw ErrorKind::input naming the file that is wrong.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "stages/io/recording/input_file.h"
#include "stages/io/wfdb/wfdb_header.h"

namespace beatscan {

// Returns the path of a file that a header names. It must be in the header's folder or below, so that a header cannot
// make the program open anything else.
std::filesystem::path path_beside(const std::filesystem::path& header, const std::string& name);

// Opens a regular file; refuses pipes, folders and devices.
std::shared_ptr<const InputFile> open_regular(const std::filesystem::path& path);

// Reads and parses a header.
WfdbHeader read_wfdb_header(const InputFile& file);

// A signal's share of a file that holds several.
struct FileShare {
  std::int64_t frame_samples = 0;   // samples of a frame, of all signals in the file
  std::int64_t first_in_frame = 0;  // samples of a frame that come before this signal's
  std::int64_t channel = 0;         // the signal's place among those in the file
  std::int64_t channels = 0;        // number of signals in the file
};

// Returns the share of the signal at `position` in `header`. `path` names the header in messages.
FileShare share_of(const WfdbHeader& header, std::size_t position, const std::filesystem::path& path);

// Returns the number of frames in a signal file. `frames` is the number that the header specifies, and the file must
// hold them. 0: the header specifies none, and the file must end with a whole frame.
std::int64_t frames_in(const std::shared_ptr<const InputFile>& file, const WfdbSignal& signal, const FileShare& share,
                       std::int64_t frames);

// Returns the number of whole frames that a signal file holds, whatever the header specifies. The format must be known.
std::int64_t frames_held(const std::shared_ptr<const InputFile>& file, const WfdbSignal& signal,
                         const FileShare& share);

}  // namespace beatscan
