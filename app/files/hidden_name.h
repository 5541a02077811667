// app/files/hidden_name.h — names of the files that a run keeps beside the place of a result, NAME: `.NAME` and an
// ending, such as `.NAME.claim`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace beatscan {

std::filesystem::path hidden_path(const std::filesystem::path& result, std::string_view ending);

// Returns NAME of a file's name with this ending; empty if the file's name is not of this form.
std::string name_of_hidden(const std::string& file_name, std::string_view ending);

}  // namespace beatscan
