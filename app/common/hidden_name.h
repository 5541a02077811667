// app/common/hidden_name.h — names of the hidden files that a run keeps beside the result NAME: `.NAME` and an
// extension, such as `.NAME.claim`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace beatscan {

std::filesystem::path hidden_path(const std::filesystem::path& result, std::string_view ending);

// Returns NAME of a file's name with this extension; empty if the name does not have this form.
std::string name_of_hidden(const std::string& file_name, std::string_view ending);

}  // namespace beatscan
