// app/report/drawing/small_multiples.h — draws many rows as small pictures on one scale.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace beatscan {

// Returns SVG with pictures from left to right, `columns` of them in a line. `width` and `height` are those of a
// picture in pixels.
std::string small_multiples(const std::vector<std::span<const float>>& rows, int columns, int width, int height,
                            const std::string& description);

}  // namespace beatscan
