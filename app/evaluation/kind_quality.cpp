#include "app/evaluation/kind_quality.h"

#include <nlohmann/json.hpp>
#include <string>

namespace beatscan {
namespace {

constexpr std::string_view kKinds = "NSVFQ";

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

nlohmann::ordered_json json_of_share(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const KindQuality& quality) {
  return {{"tp", quality.tp},
          {"fp", quality.fp},
          {"fn", quality.fn},
          {"sensitivity", json_of_share(quality.sensitivity)},
          {"ppv", json_of_share(quality.ppv)},
          {"f1", json_of_share(quality.f1)},
          {"false_positive_rate", json_of_share(quality.false_positive_rate)}};
}

}  // namespace

KindQuality quality_of_kind(const KindMatrix& matrix, char kind) {
  const std::string_view no_fault = kind == 'V' ? "FQ" : "Q";
  KindQuality quality{.tp = matrix.at(kind, kind)};
  for (const char reference : kKindRows) {
    const bool forgiven = no_fault.find(reference) != no_fault.npos;
    if (reference != kind && !forgiven) quality.fp += matrix.at(reference, kind);
    for (const char told : kKinds)
      if (reference != kind && told != kind) quality.tn += matrix.at(reference, told);
  }
  for (const char told : kKindRows)
    if (told != kind) quality.fn += matrix.at(kind, told);
  quality.sensitivity = share(quality.tp, quality.tp + quality.fn);
  quality.ppv = share(quality.tp, quality.tp + quality.fp);
  quality.f1 = share(2 * quality.tp, 2 * quality.tp + quality.fp + quality.fn);
  quality.false_positive_rate = share(quality.fp, quality.fp + quality.tn);
  return quality;
}

nlohmann::ordered_json to_json(const KindMatrix& matrix) {
  nlohmann::ordered_json json;
  for (const char kind : {'V', 'S'}) json[std::string(1, kind)] = json_of(quality_of_kind(matrix, kind));
  for (const char reference : kKindRows)
    for (const char kind : kKindRows)
      if (reference != 'O' || kind != 'O')
        json["matrix"][std::string(1, reference)][std::string(1, kind)] = matrix.at(reference, kind);
  return json;
}

}  // namespace beatscan
