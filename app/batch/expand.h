// app/batch/expand.h — folders and patterns as inputs.
#pragma once

#include <filesystem>
#include <vector>

namespace beatscan {

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

}  // namespace beatscan
