// app/batch/recording_list.h — reads a list of recordings (--list).
//
// A list has one input a line, or it is CSV with a header of the columns input, rate, truth and name. Only input is
// required; order and case of the columns are free. The delimiter is detected as in recordings: tab, semicolon, bar or
// comma. Cells may be quoted as in RFC 4180, and so may inputs without a header. Lines that begin with #, empty lines
// and lines of empty cells are skipped. Paths are relative to the list's folder, and those of standard input to the
// current one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/batch/listed_recording.h"

namespace beatscan {

// Reads a list; "-" is standard input. Does not access the files that it names. Throws ErrorKind::input, with the line,
// if the list cannot be read, is empty, or has an invalid rate or name.
std::vector<ListedRecording> read_recording_list(const std::filesystem::path& path);

// The same for the text of a list. `shown` names it in errors.
std::vector<ListedRecording> parse_recording_list(std::string_view text, const std::filesystem::path& folder,
                                                  const std::filesystem::path& shown);

// Returns whether a file begins as a list in CSV: with a header of `input` and other columns of a list only. False for
// a pipe.
bool looks_like_list(const std::filesystem::path& path);

// Returns why a name cannot be that of a result's folder, as a part of a message; empty: it can.
std::string why_no_name(std::string_view name);

// Returns whether a batch writes a file of this name beside its results.
bool is_file_of_batch(std::string_view name);

}  // namespace beatscan
