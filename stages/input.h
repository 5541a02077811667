// stages/input.h — what an INPUT stands for, and the way from there to samples.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "stages/ingest.h"
#include "stages/input_file.h"

namespace beatscan {

// A file of an input: open, or to be opened when it is read (a record may have thousands).
struct InputPart {
  std::filesystem::path path;
  std::shared_ptr<const InputFile> opened = nullptr;
  std::shared_ptr<const InputFile> open() const { return opened ? opened : std::make_shared<const InputFile>(path); }
};

struct Input {
  std::filesystem::path path;    // for messages
  std::vector<InputPart> parts;  // all that is read of it
  std::int64_t bytes = 0;        // of them together
};

// Opens the file, which for a pipe or "-" (standard input) is to read it. Throws Status::input.
Input resolve_input(const std::filesystem::path& path, const IngestOptions& options);

// What is there to read, by the header alone. A time column is found, but not the rate that it tells. Files of gzip and
// zstd are unpacked.
SignalInfo look_at(const Input& input, const IngestOptions& options);

// The same of what is cheap to look at; nothing for pipes and packed files. Throws Status::input.
std::optional<SignalInfo> first_look(const std::filesystem::path& path, const IngestOptions& options);

// The chosen signal to samples in the context's memory. Throws as ingest().
template <class Context>
Recording<Context> read_recording(Context&, const Input& input, const IngestOptions& options,
                                  const BytesReport& on_bytes = {});

}  // namespace beatscan
