#include "app/report/paper/png.h"

#include <dlfcn.h>
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "app/common/numbers.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr int kMostSide = 32767;         // pixels of a side of a picture that cairo can hold
constexpr double kMostPixels = 1 << 28;  // 1 GB while it is drawn
constexpr int kRgb24 = 1, kSuccess = 0;  // CAIRO_FORMAT_RGB24, CAIRO_STATUS_SUCCESS
constexpr double kMillimetresInInch = 25.4;

// GError and RsvgRectangle, as the headers of GLib and librsvg have them.
struct SvgError {
  std::uint32_t domain;
  int code;
  char* message;
};
struct SvgViewport {
  double x, y, width, height;
};
struct FontSet {
  int count, room;
  void** fonts;
};

// The functions of librsvg 2.46 and later, of cairo and of fontconfig that are called. dlsym() finds those of the
// libraries that librsvg itself needs, too.
struct SvgFunctions {
  void* (*rsvg_handle_new_from_data)(const unsigned char*, std::size_t, SvgError**);
  int (*rsvg_handle_render_document)(void*, void*, const SvgViewport*, SvgError**);
  void (*g_object_unref)(void*);
  void (*g_error_free)(SvgError*);
  void* (*cairo_image_surface_create)(int, int, int);
  int (*cairo_surface_status)(void*);
  int (*cairo_surface_write_to_png_stream)(void*, int (*)(void*, const unsigned char*, unsigned), void*);
  void (*cairo_surface_destroy)(void*);
  void* (*cairo_create)(void*);
  void (*cairo_set_source_rgb)(void*, double, double, double);
  void (*cairo_paint)(void*);
  void (*cairo_destroy)(void*);
  FontSet* (*FcConfigGetFonts)(void*, int);
  int (*FcInit)();
};

[[noreturn]] void fail_missing(const std::string& out, const std::string& what, const char* package) {
  fail(ErrorKind::output, out,
       "PNG needs " + what + "; install it (Debian: apt install " + package +
           "), or give a name that ends in .svg, which needs nothing");
}

SvgFunctions svg_functions(const std::string& out, const char* library) {
  void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) fail_missing(out, std::string(library) + ", which is not on this machine", "librsvg2-2");
  SvgFunctions f{};
  const auto take = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function)
      fail_missing(out, std::string(library) + " of version 2.46 or later (it has no " + name + ")", "librsvg2-2");
  };
#define BEATSCAN_TAKE(name) take(f.name, #name)
  BEATSCAN_TAKE(rsvg_handle_new_from_data);
  BEATSCAN_TAKE(rsvg_handle_render_document);
  BEATSCAN_TAKE(g_object_unref);
  BEATSCAN_TAKE(g_error_free);
  BEATSCAN_TAKE(cairo_image_surface_create);
  BEATSCAN_TAKE(cairo_surface_status);
  BEATSCAN_TAKE(cairo_surface_write_to_png_stream);
  BEATSCAN_TAKE(cairo_surface_destroy);
  BEATSCAN_TAKE(cairo_create);
  BEATSCAN_TAKE(cairo_set_source_rgb);
  BEATSCAN_TAKE(cairo_paint);
  BEATSCAN_TAKE(cairo_destroy);
  BEATSCAN_TAKE(FcConfigGetFonts);
  BEATSCAN_TAKE(FcInit);
#undef BEATSCAN_TAKE
  return f;
}

// Without a font the picture would have no names, times and intervals, and nothing would say so.
void check_fonts(const SvgFunctions& f, const std::string& out) {
  const FontSet* const fonts = f.FcInit() ? f.FcConfigGetFonts(nullptr, 0) : nullptr;
  if (!fonts || fonts->count == 0) fail_missing(out, "a font, and this machine has none", "fonts-dejavu-core");
}

struct PictureSize {
  int width, height;
  double pixels_per_mm;
};

PictureSize picture_size(const Drawing& drawing, double dpi, const std::string& out) {
  const double per_mm = pixels_per_metre(dpi) / 1000.0;
  const double width = std::ceil(drawing.width_mm * per_mm), height = std::ceil(drawing.height_mm * per_mm);
  if (width > kMostSide || height > kMostSide || width * height > kMostPixels)
    fail(ErrorKind::usage, out,
         "the picture would have " + fixed(width, 0) + " x " + fixed(height, 0) +
             " pixels, more than can be drawn; give a smaller --dpi, a shorter stretch, or a name that ends in .svg");
  return {static_cast<int>(width), static_cast<int>(height), per_mm};
}

int append_bytes(void* text, const unsigned char* bytes, unsigned count) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), count);
  return kSuccess;
}

// Draws the SVG on white paper, and returns the file that cairo makes of it.
std::string drawn_picture(const SvgFunctions& f, const Drawing& drawing, const PictureSize& size,
                          const std::string& out) {
  SvgError* error = nullptr;
  const std::unique_ptr<void, void (*)(void*)> handle(
      f.rsvg_handle_new_from_data(reinterpret_cast<const unsigned char*>(drawing.svg.data()), drawing.svg.size(),
                                  &error),
      f.g_object_unref);
  const std::unique_ptr<void, void (*)(void*)> surface(f.cairo_image_surface_create(kRgb24, size.width, size.height),
                                                       f.cairo_surface_destroy);
  std::string bytes;
  bool drawn = handle && f.cairo_surface_status(surface.get()) == kSuccess;
  if (drawn) {
    const std::unique_ptr<void, void (*)(void*)> cairo(f.cairo_create(surface.get()), f.cairo_destroy);
    f.cairo_set_source_rgb(cairo.get(), 1, 1, 1);
    f.cairo_paint(cairo.get());
    const SvgViewport whole{0, 0, drawing.width_mm * size.pixels_per_mm, drawing.height_mm * size.pixels_per_mm};
    drawn = f.rsvg_handle_render_document(handle.get(), cairo.get(), &whole, &error) &&
            f.cairo_surface_write_to_png_stream(surface.get(), append_bytes, &bytes) == kSuccess;
  }
  const std::string what = error ? std::string(": ") + error->message : "";
  if (error) f.g_error_free(error);
  if (!drawn) fail(ErrorKind::output, out, "librsvg could not draw it" + what + "; give a name that ends in .svg");
  return bytes;
}

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(value >> shift);
  return bytes;
}

// Returns a chunk of a PNG file: length, type, data, and the CRC of type and data.
std::string chunk_of(const std::string& type_and_data) {
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(type_and_data.data()), static_cast<uInt>(type_and_data.size()));
  return big_endian(static_cast<std::uint32_t>(type_and_data.size() - 4)) + type_and_data +
         big_endian(static_cast<std::uint32_t>(crc));
}

}  // namespace

int pixels_per_metre(double dpi) { return static_cast<int>(std::lround(dpi * 1000 / kMillimetresInInch)); }

std::string png_of(const Drawing& drawing, double dpi, const std::string& out, const char* library) {
  const PictureSize size = picture_size(drawing, dpi, out);
  const SvgFunctions functions = svg_functions(out, library);
  check_fonts(functions, out);
  std::string png = drawn_picture(functions, drawing, size, out);
  // The resolution stands after the signature (8 bytes) and the header (25 bytes), in pixels per metre.
  const std::string resolution = big_endian(static_cast<std::uint32_t>(pixels_per_metre(dpi)));
  constexpr std::size_t kBehindHeader = 33;
  BEATSCAN_EXPECTS(png.size() > kBehindHeader, "png_of: no picture");
  return png.insert(kBehindHeader, chunk_of("pHYs" + resolution + resolution + '\1'));
}

}  // namespace beatscan
