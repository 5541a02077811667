// stages/io/input.h — reads the samples of an INPUT of the command line: a file or a WFDB record. A file is
// CSV, EDF, BDF, ISHNE, NumPy, MATLAB, Parquet or Arrow, recognised by its contents.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "stages/io/recording/input_file.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

struct IngestOptions;
struct WfdbRecord;

// An INPUT that has been found.
struct Input {
  std::filesystem::path path;                          // for messages
  std::vector<InputPart> parts;                        // one file, or a record's header and the leads' signal files
  std::int64_t bytes = 0;                              // size of the parts together
  std::shared_ptr<const WfdbRecord> record = nullptr;  // null unless it is a WFDB record
};

// Returns the header of a WFDB record, or nothing if `path` is not one. RECORD.hea is a header; so is RECORD if there
// is no such file but a RECORD.hea. RECORD.mat stands for the header next to it if that names the file.
std::optional<std::filesystem::path> wfdb_header_of(const std::filesystem::path& path);

// Opens a file, or a WFDB record by open_wfdb. "-" is standard input; it and pipes are read to their end. Throws
// ErrorKind::input.
Input resolve_input(const std::filesystem::path& path, const IngestOptions& options);

// Returns what the input's header specifies; no samples are read. Of a CSV file it names the time column, but not the
// rate by the times. Unpacks packed files. Throws ErrorKind::input.
SignalInfo look_at(const Input& input, const IngestOptions& options);

// Returns look_at of an input that is cheap to look at, and nothing for pipes and packed files. Throws
// ErrorKind::input.
std::optional<SignalInfo> first_look(const std::filesystem::path& path, const IngestOptions& options);

// Reads the chosen signals into the context's memory. Throws what ingest and the readers of the other formats
// throw, and ErrorKind::input if a file was changed meanwhile.
template <class Context>
Recording<Context> read_recording(Context&, const Input& input, const IngestOptions& options,
                                  const BytesReport& on_bytes = {});

}  // namespace beatscan
