// stages/common/from_chars.h — std::from_chars for whole and for decimal numbers. libc++ has the latter from version 20
// on.
#pragma once

#include <charconv>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <string>
#include <string_view>
#endif

namespace beatscan {

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 200000
template <std::integral Number>
std::from_chars_result from_chars(const char* first, const char* last, Number& value) {
  return std::from_chars(first, last, value);
}

// Reads what strtod does, but no blanks, plus or hexadecimal number.
template <std::floating_point Number>
std::from_chars_result from_chars(const char* first, const char* last, Number& value) {
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  constexpr std::string_view kMostCharacters = "0123456789+-.eEinfatyINFATY";
  const std::string text(
      first, std::find_if(first, last, [&](char c) { return kMostCharacters.find(c) == kMostCharacters.npos; }));
  if (text.starts_with('+')) return {first, std::errc::invalid_argument};
  char* end = nullptr;
  errno = 0;
  Number read;
  if constexpr (std::same_as<Number, float>)
    read = strtof_l(text.c_str(), &end, plain);
  else
    read = strtod_l(text.c_str(), &end, plain);
  if (end == text.c_str()) return {first, std::errc::invalid_argument};
  const char* const stop = first + (end - text.c_str());
  if (errno == ERANGE && (read == 0 || std::isinf(read))) return {stop, std::errc::result_out_of_range};
  value = read;
  return {stop, std::errc()};
}
#else
using std::from_chars;
#endif

}  // namespace beatscan
