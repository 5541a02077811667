// app/batch/recording_list.h — the inputs of a command line, with their patterns, lists and folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

// A recording as given on the command line or in a list.
struct ListedRecording {
  std::filesystem::path input;
  std::optional<double> sample_rate_hz = {};  // of this recording alone
  std::filesystem::path truth = {};           // reference annotations; empty: none
  std::string name = "";                      // of the result's folder; empty: derived from the input
  std::int64_t line = 0;                      // in the list, from 1; 0: given on the command line
};

// Returns whether a file has reference annotations, by its name: NAME.truth.csv.
bool is_reference(const std::filesystem::path& path);

// Returns the recordings that an input stands for, in the order of their names:
//   a pattern with *, ? or [   what it matches (glob(7)), unless a file has this very name
//   a folder                   the recordings right in it: WFDB headers, CSV, EDF, BDF and ISHNE files. Those of a
//                              PhysioNet database are listed in its file RECORDS, which is taken instead. Hidden files,
//                              reference annotations (NAME.truth.csv) and segments of another record are left out.
//   another path               itself; it is not looked at
// Throws ErrorKind::input where a pattern matches nothing or a folder has no recording.
std::vector<std::filesystem::path> expanded(const std::filesystem::path& input);

// Reads a list of recordings (--list).
//
// A list has one input a line, or it is CSV with a header of the columns input, rate, truth and name. Only input is
// required; order and case of the columns are free. The delimiter is detected as in recordings: tab, semicolon, bar or
// comma. Cells may be quoted as in RFC 4180, and so may inputs without a header. Lines that begin with #, empty lines
// and lines of empty cells are skipped. Paths are relative to the list's folder, and those of standard input to the
// current one.

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
