#include "app/common/hidden_name.h"

#include "app/common/partial_name.h"

namespace beatscan {

std::filesystem::path hidden_path(const std::filesystem::path& result, std::string_view ending) {
  return parent_of(result) / ("." + result.filename().string() + std::string(ending));
}

std::string name_of_hidden(const std::string& file_name, std::string_view ending) {
  const bool is_hidden = file_name.starts_with('.') && file_name.ends_with(ending);
  return is_hidden && file_name.size() > 1 + ending.size() ? file_name.substr(1, file_name.size() - 1 - ending.size())
                                                           : "";
}

}  // namespace beatscan
