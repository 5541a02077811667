// stages/input/input.h — what an INPUT stands for, and the way from there to samples.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "stages/input/csv/ingest.h"
#include "stages/recording/input_file.h"

namespace beatscan {

struct WfdbRecord;

// One file or, of a WFDB record, its header and the signal files of the lead.
struct Input {
  std::filesystem::path path;    // for messages
  std::vector<InputPart> parts;  // all that is read of it
  std::int64_t bytes = 0;        // of them together
  std::shared_ptr<const WfdbRecord> record = nullptr;
};

// The header of a WFDB record: RECORD.hea, or RECORD where there is no such file and a RECORD.hea.
std::optional<std::filesystem::path> wfdb_header_of(const std::filesystem::path& path);

// Opens the file, which for a pipe or "-" (standard input) is to read it, or the record (see open_wfdb). Throws
// ErrorKind::input.
Input resolve_input(const std::filesystem::path& path, const IngestOptions& options);

// What is there to read, by the header alone. A time column is found, but not the rate that it tells. Files of gzip and
// zstd are unpacked.
SignalInfo look_at(const Input& input, const IngestOptions& options);

// The same of what is cheap to look at; nothing for pipes and packed files. Throws ErrorKind::input.
std::optional<SignalInfo> first_look(const std::filesystem::path& path, const IngestOptions& options);

// The chosen signal to samples in the context's memory. What a file is, is told by
// what is in it. Throws as ingest(), source_of() and edf_source(), and ErrorKind::input where a file changed meanwhile.
template <class Context>
Recording<Context> read_recording(Context&, const Input& input, const IngestOptions& options,
                                  const BytesReport& on_bytes = {});

}  // namespace beatscan
