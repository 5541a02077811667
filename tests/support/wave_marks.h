// tests/support/wave_marks.h — WFDB annotation files of waves, from a short text.
#pragma once

#include <sstream>
#include <string>

#include "app/output/annotation_file.h"

namespace beatscan {

// Returns the bytes of a file with the annotations of a text such as "(90 p100 )110 (120 N125 )130", in this order: a
// symbol and its sample.
inline std::string wave_marks(const std::string& text) {
  using enum AnnotationCode;
  AnnotationWriter writer({});
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto code = [&] {
      switch (word[0]) {
        case '(':
          return wave_onset;
        case ')':
          return wave_end;
        case 'p':
          return p_wave;
        case 't':
          return t_wave;
        case 'u':
          return static_cast<AnnotationCode>(29);
        case 'V':
          return pvc;
        case '"':
          return note;
        default:
          return normal;
      }
    }();
    writer.add(std::stoll(word.substr(1)), code);
  }
  return writer.take();
}

}  // namespace beatscan
