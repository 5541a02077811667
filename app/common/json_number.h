// app/common/json_number.h — optional numbers for JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace beatscan {

// Returns the number, or null if there is none.
inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace beatscan
