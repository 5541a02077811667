// app/cohort/recording_list.h — reads a list of recordings (--list).
//
// A list has one input a line, or it is CSV with a header of the columns input, rate, truth and name, of which input
// alone is required, in any order, and in upper or lower case. The delimiter is found as in recordings: tab, semicolon,
// bar or comma. Cells may be quoted as in RFC 4180, and so may inputs without a header. Lines that begin with #, empty
// lines and those of empty cells are passed over. Paths are relative to the list's folder, and those of standard input
// to the current one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/cohort/listed_recording.h"

namespace beatscan {

// Reads a list; "-" is standard input. No file that it names is touched. Throws ErrorKind::input, with the line, where
// the list cannot be read, names nothing, or holds a cell that is no rate or no name.
std::vector<ListedRecording> read_recording_list(const std::filesystem::path& path);

// Does the same with the text of a list. `shown` names it in errors.
std::vector<ListedRecording> parse_recording_list(std::string_view text, const std::filesystem::path& folder,
                                                  const std::filesystem::path& shown);

// Tells whether a file begins as a list in CSV: with a header of `input`, other columns of a list, and no
// more. A pipe is none.
bool looks_like_list(const std::filesystem::path& path);

// Says why a name cannot be that of a result's folder, as a part of a message; empty: it can.
std::string why_no_name(std::string_view name);

// Tells whether a batch writes a file of this name beside its results.
bool is_file_of_batch(std::string_view name);

}  // namespace beatscan
