// app/tables/stored_beats.h — the beats of a result on disk, in either of their forms.
#pragma once

#include <filesystem>
#include <string>

namespace beatscan {

// Returns beats.csv of a result; or beats.parquet, if the result has that alone. The file need not exist.
std::filesystem::path beats_file(const std::filesystem::path& folder);

bool has_beats(const std::filesystem::path& folder);

// Returns the beats as CSV text, which is made of beats.parquet where that alone is there. Throws ErrorKind::input.
std::string beats_text(const std::filesystem::path& folder);

}  // namespace beatscan
