// app/pipeline/diary.h — reads the diary of a recording: events with their times.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "stages/io/recording/signal_info.h"

namespace beatscan {

// Reads a CSV file with the columns time and text. A time is in seconds from the recording's start, a time of day such
// as 13:05, or a date with one. A time of day that is before the one above it is on the next day. The text is the rest
// of the line; it may be quoted. Throws ErrorKind::input with the line.
std::vector<FileEvent> read_diary(const std::filesystem::path& path, const std::optional<StartTime>& start);

}  // namespace beatscan
