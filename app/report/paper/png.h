// app/report/paper/png.h — turns a drawing in SVG into a PNG picture. librsvg and cairo do it. They are loaded when
// they are needed, so that the program runs on machines without them.
#pragma once

#include <string>

namespace beatscan {

// A drawing in SVG, and its size on paper.
struct Drawing {
  std::string svg;
  double width_mm = 0, height_mm = 0;
};

// The resolution of a picture: pixels an inch. Journals ask for 300 at least.
inline constexpr double kPictureDpi = 300, kLeastDpi = 25, kMostDpi = 2400;

inline constexpr const char* kSvgLibrary = "librsvg-2.so.2";

// Returns the whole pixels a metre that come nearest to a resolution. A PNG file states its resolution as this number,
// and the drawing is scaled by it, so that a millimetre of the drawing is a millimetre in the file.
int pixels_per_metre(double dpi);

// Returns the bytes of the PNG file. Errors name the file `out`:
//   - ErrorKind::output where the library or a font is missing on this machine, with what to install
//   - ErrorKind::usage where the picture would have more pixels than cairo can hold
std::string png_of(const Drawing& drawing, double dpi, const std::string& out, const char* library = kSvgLibrary);

}  // namespace beatscan
