#include "app/evaluation/kind_quality.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "app/evaluation/quotient.h"
#include "app/text/json_number.h"

namespace beatscan {
namespace {

nlohmann::ordered_json json_of(const KindQuality& quality) {
  return {{"tp", quality.tp},
          {"fp", quality.fp},
          {"fn", quality.fn},
          {"sensitivity", or_null(quality.sensitivity)},
          {"ppv", or_null(quality.ppv)},
          {"f1", or_null(quality.f1)},
          {"false_positive_rate", or_null(quality.false_positive_rate)}};
}

}  // namespace

KindQuality quality_of_kind(const KindMatrix& matrix, char kind) {
  const std::string_view no_fault = kind == 'V' ? "FQ" : "Q";
  KindQuality quality{.tp = matrix.at(kind, kind)};
  for (const char reference : kKindRows) {
    const bool forgiven = no_fault.find(reference) != no_fault.npos;
    if (reference != kind && !forgiven) quality.fp += matrix.at(reference, kind);
    for (const char told : kKindLetters)
      if (reference != kind && told != kind) quality.tn += matrix.at(reference, told);
  }
  for (const char told : kKindRows)
    if (told != kind) quality.fn += matrix.at(kind, told);
  quality.sensitivity = quotient(quality.tp, quality.tp + quality.fn);
  quality.ppv = quotient(quality.tp, quality.tp + quality.fp);
  quality.f1 = quotient(2 * quality.tp, 2 * quality.tp + quality.fp + quality.fn);
  quality.false_positive_rate = quotient(quality.fp, quality.fp + quality.tn);
  return quality;
}

nlohmann::ordered_json to_json(const KindMatrix& matrix) {
  // Created as an object: in nlohmann, a null that its first key turns into an object crashes if memory runs out.
  auto json = nlohmann::ordered_json::object(), rows = json;
  for (const char kind : {'V', 'S'}) json[std::string(1, kind)] = json_of(quality_of_kind(matrix, kind));
  for (const char reference : kKindRows) {
    auto row = nlohmann::ordered_json::object();
    for (const char kind : kKindRows)
      if (reference != 'O' || kind != 'O') row[std::string(1, kind)] = matrix.at(reference, kind);
    rows[std::string(1, reference)] = std::move(row);
  }
  json["matrix"] = std::move(rows);
  return json;
}

}  // namespace beatscan
