#include "app/evaluation/class_quality.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/common/json_text.h"
#include "app/evaluation/quotient.h"

namespace beatscan {
namespace {

nlohmann::ordered_json json_of(const ClassQuality& quality) {
  return {{"tp", quality.tp},
          {"fp", quality.fp},
          {"fn", quality.fn},
          {"sensitivity", or_null(quality.sensitivity)},
          {"ppv", or_null(quality.ppv)},
          {"f1", or_null(quality.f1)},
          {"false_positive_rate", or_null(quality.false_positive_rate)}};
}

}  // namespace

ClassQuality quality_of_class(const ClassMatrix& matrix, char beat_class) {
  const std::string_view no_fault = beat_class == 'V' ? "FQ" : "Q";
  ClassQuality quality{.tp = matrix.at(beat_class, beat_class)};
  for (const char reference : kClassRows) {
    const bool forgiven = no_fault.find(reference) != no_fault.npos;
    if (reference != beat_class && !forgiven) quality.fp += matrix.at(reference, beat_class);
    for (const char detected : kClassLetters)
      if (reference != beat_class && detected != beat_class) quality.tn += matrix.at(reference, detected);
  }
  for (const char detected : kClassRows)
    if (detected != beat_class) quality.fn += matrix.at(beat_class, detected);
  quality.sensitivity = quotient(quality.tp, quality.tp + quality.fn);
  quality.ppv = quotient(quality.tp, quality.tp + quality.fp);
  quality.f1 = quotient(2 * quality.tp, 2 * quality.tp + quality.fp + quality.fn);
  quality.false_positive_rate = quotient(quality.fp, quality.fp + quality.tn);
  return quality;
}

nlohmann::ordered_json to_json(const ClassMatrix& matrix) {
  // Created as an object: in nlohmann, a null that its first key turns into an object crashes if memory runs out.
  auto json = nlohmann::ordered_json::object(), rows = json;
  for (const char beat_class : {'V', 'S'})
    json[std::string(1, beat_class)] = json_of(quality_of_class(matrix, beat_class));
  for (const char reference : kClassRows) {
    auto row = nlohmann::ordered_json::object();
    for (const char beat_class : kClassRows)
      if (reference != 'O' || beat_class != 'O') row[std::string(1, beat_class)] = matrix.at(reference, beat_class);
    rows[std::string(1, reference)] = std::move(row);
  }
  json["matrix"] = std::move(rows);
  return json;
}

}  // namespace beatscan
