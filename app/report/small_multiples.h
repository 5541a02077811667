// app/report/small_multiples.h — many rows as small pictures on one scale.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace beatscan {

// Pictures from left to right, `columns` of them beside each other.
std::string small_multiples(const std::vector<std::span<const float>>& rows, int columns, int width, int height,
                            const std::string& description);

}  // namespace beatscan
