// app/text/json_number.h — numbers that may not exist, for JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace beatscan {

// Returns the number, or null where there is none.
inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace beatscan
