// app/output/tables/stored_beats.h — the stored beats of a result, in either format.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Returns the path of a result's beats.csv, or of beats.parquet if only that exists. The file need not exist.
std::filesystem::path beats_file(const std::filesystem::path& folder);

bool has_beats(const std::filesystem::path& folder);

// Returns the beats as CSV text, converted from beats.parquet if only that exists. Throws ErrorKind::input.
std::string beats_text(const std::filesystem::path& folder);

}  // namespace beatscan
