// stages/common/letters.h — a uniform spelling of names, whatever the locale of the program in which the analysis is
// embedded.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "kernels/csv/decimal.h"

namespace beatscan {

// Returns a text with small letters in place of capitals from A to Z.
inline std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), decimal::lower);
  return small;
}

// Returns a text with "u" for the micro sign and for the Greek letter mu.
inline std::string with_u_for_micro(std::string text) {
  for (const std::string_view micro : {"\xc2\xb5", "\xce\xbc"})  // µ, μ
    for (auto at = text.find(micro); at != text.npos; at = text.find(micro, at)) text.replace(at, micro.size(), "u");
  return text;
}

}  // namespace beatscan
