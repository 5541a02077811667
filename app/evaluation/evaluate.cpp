#include "app/evaluation/evaluate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/common/json_text.h"
#include "app/common/numbers.h"
#include "app/evaluation/beat_quality.h"
#include "app/evaluation/truth.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"

namespace beatscan {

namespace {

DetectionQuality detection_quality(std::int64_t tp, std::int64_t reference, std::int64_t detected,
                                   double tolerance_ms) {
  DetectionQuality quality{tolerance_ms, tp, detected - tp, reference - tp, {}, {}, {}};
  quality.sensitivity = quotient(tp, reference);
  quality.ppv = quotient(tp, detected);
  quality.f1 = quotient(2 * tp, reference + detected);
  return quality;
}

RankingQuality ranking_quality(std::span<const double> positives, std::span<const double> negatives) {
  return {auroc(positives, negatives), average_precision(positives, negatives), std::ssize(positives),
          std::ssize(negatives), thinned(roc_curve(positives, negatives))};
}

// Ranks all reference beats by the score of the detected beat matched to each.
Evaluation::Anomaly anomaly_quality(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                                    const std::vector<std::optional<std::size_t>>& match,
                                    std::optional<double> DetectedBeat::*score_of) {
  std::vector<double> n, v, svf;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto found = match[i] ? detected[*match[i]].*score_of : std::nullopt;
    const double score = found.value_or(-std::numeric_limits<double>::infinity());
    const auto beat_class = class_of(reference[i].symbol);
    if (beat_class == BeatClass::normal) n.push_back(score);
    if (beat_class == BeatClass::ventricular) v.push_back(score);
    if (beat_class == BeatClass::supraventricular || beat_class == BeatClass::ventricular ||
        beat_class == BeatClass::fusion)
      svf.push_back(score);
  }
  return {ranking_quality(v, n), ranking_quality(svf, n)};
}

std::map<char, SymbolCounts> count_symbols(std::span<const ReferenceBeat> reference,
                                           std::span<const DetectedBeat> detected,
                                           const std::vector<std::optional<std::size_t>>& match) {
  std::map<char, SymbolCounts> symbols;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    SymbolCounts& counts = symbols[reference[i].symbol];
    ++counts.beats;
    counts.found += match[i].has_value();
    counts.anomalous += match[i] && detected[*match[i]].anomalous;
  }
  return symbols;
}

// Counts pairs of a reference class and a detected class. Unmatched detections within flutter are omitted.
ClassMatrix class_matrix(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                         const std::vector<std::optional<std::size_t>>& match,
                         std::span<const LabelledStretch> rhythms) {
  ClassMatrix matrix;
  std::vector<bool> matched(detected.size());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const char row = letter_of(*class_of(reference[i].symbol));
    ++matrix.at(row, match[i] ? detected[*match[i]].beat_class.value_or('Q') : 'O');
    if (match[i]) matched[*match[i]] = true;
  }
  const auto in_flutter = [&](std::int64_t sample) {
    return std::ranges::any_of(rhythms, [at = static_cast<double>(sample)](const auto& rhythm) {
      return is_fibrillation(rhythm.label) && rhythm.start <= at && at <= rhythm.end;
    });
  };
  for (std::size_t i = 0; i < detected.size(); ++i)
    if (!matched[i] && !in_flutter(detected[i].sample)) ++matrix.at('O', detected[i].beat_class.value_or('Q'));
  return matrix;
}

}  // namespace

Evaluation evaluate(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                    double sample_rate_hz, double tolerance_ms, std::span<const LabelledStretch> rhythms) {
  BEATSCAN_EXPECTS(sample_rate_hz > 0 && tolerance_ms >= 0, "evaluate: bad rate or tolerance");
  std::vector<std::int64_t> reference_samples, detected_samples;
  for (const auto& beat : reference) reference_samples.push_back(beat.sample);
  for (const auto& beat : detected) detected_samples.push_back(beat.sample);
  // 1e-9 makes a tolerance of a whole number of samples robust against rounding.
  const auto tolerance_samples = static_cast<std::int64_t>(std::floor(tolerance_ms * sample_rate_hz / 1000 + 1e-9));
  const auto match = match_beats(reference_samples, detected_samples, tolerance_samples);

  const auto tp = std::ranges::count_if(match, [](const auto& found) { return found.has_value(); });
  Evaluation evaluation{detection_quality(tp, std::ssize(reference), std::ssize(detected), tolerance_ms),
                        anomaly_quality(reference, detected, match, &DetectedBeat::score),
                        {},
                        count_symbols(reference, detected, match)};
  if (std::ranges::any_of(detected, [](const auto& beat) { return beat.baseline.has_value(); }))
    evaluation.baseline = anomaly_quality(reference, detected, match, &DetectedBeat::baseline);
  if (std::ranges::any_of(detected, [](const auto& beat) { return beat.beat_class.has_value(); }))
    evaluation.beat_classes = class_matrix(reference, detected, match, rhythms);
  return evaluation;
}

Evaluation compared(const ComparedResult& result) {
  Evaluation evaluation =
      evaluate(result.reference, result.detected, result.sample_rate_hz, result.tolerance_ms, result.rhythms);
  if (result.episodes && !result.rhythms.empty())
    evaluation.episodes = compare_episodes(result.rhythms, *result.episodes, result.sample_rate_hz);
  const auto warn = [&](std::vector<std::string> warnings) {
    std::ranges::move(warnings, std::back_inserter(evaluation.warnings));
  };
  if (const auto count = beats_out_of_order(result.truth); count > 0)
    warn({result.truth.string() + ": " + std::to_string(count) + " of " +
          counted(std::ssize(result.reference), "beat") +
          by_count(count, " follows a beat that comes", " follow beats that come") +
          " later: they are sorted; check the file, whose times may be damaged"});
  if (result.samples) warn(warnings_of(result.reference, *result.samples, result.truth));
  warn(warnings_of(result.rhythms, result.rhythm_file));
  warn(fit_warnings(result.reference, result.detected, evaluation.detection, result.sample_rate_hz, result.truth));
  return evaluation;
}

namespace {

// Rounds to six decimals, which is finer than the tolerance of a thinned curve.
nlohmann::ordered_json json_of(const std::vector<RocPoint>& curve) {
  if (curve.empty()) return nullptr;
  const auto rounded = [](double rate) { return std::round(rate * 1e6) / 1e6; };
  auto points = nlohmann::ordered_json::array();
  for (const auto& [false_positive_rate, true_positive_rate] : curve)
    points.push_back({rounded(false_positive_rate), rounded(true_positive_rate)});
  return points;
}

nlohmann::ordered_json json_of(const RankingQuality& quality) {
  return {{"auroc", or_null(quality.auroc)},
          {"average_precision", or_null(quality.average_precision)},
          {"positives", quality.positives},
          {"negatives", quality.negatives},
          {"roc", json_of(quality.roc)}};
}

nlohmann::ordered_json json_of(const Evaluation::Anomaly& anomaly) {
  return {{"V", json_of(anomaly.v)}, {"SVF", json_of(anomaly.svf)}};
}

}  // namespace

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
  if (evaluation.only_episodes) return {{"episodes", to_json(*evaluation.episodes)}};
  const auto& detection = evaluation.detection;
  auto symbols = nlohmann::ordered_json::object();
  for (const auto& [symbol, counts] : evaluation.symbols)
    symbols[std::string(1, symbol)] = {
        {"beats", counts.beats}, {"found", counts.found}, {"anomalous", counts.anomalous}};
  nlohmann::ordered_json json = {{"detection",
                                  {{"tolerance_ms", detection.tolerance_ms},
                                   {"tp", detection.tp},
                                   {"fp", detection.fp},
                                   {"fn", detection.fn},
                                   {"sensitivity", or_null(detection.sensitivity)},
                                   {"ppv", or_null(detection.ppv)},
                                   {"f1", or_null(detection.f1)}}},
                                 {"false_beats", detection.fp},
                                 {"symbols", symbols},
                                 {"anomaly", json_of(evaluation.anomaly)}};
  if (evaluation.baseline) json["baseline"] = json_of(*evaluation.baseline);
  if (evaluation.beat_classes) json["kinds"] = to_json(*evaluation.beat_classes);
  if (evaluation.episodes) json["episodes"] = to_json(*evaluation.episodes);
  if (evaluation.waves) json["waves"] = to_json(*evaluation.waves);
  return json;
}

namespace {

constexpr std::int64_t kFewest = 10;  // beats needed for a conclusion about the whole
constexpr double kOutside = 0.1;      // share of the detected beats
constexpr double kLowF1 = 0.5, kMostMatch = 0.8;
constexpr double kLongest_s = 1, kBin_s = 0.01;
// In a tenth of cases, beats of another recording come this close to each other by chance.
constexpr double kSame_s = 0.05;

// Counts the beats that no reference beat can match, because they lie outside of the annotated part.
std::optional<std::string> warning_of_part(std::span<const ReferenceBeat> reference,
                                           std::span<const DetectedBeat> detected, const DetectionQuality& quality,
                                           double rate_hz) {
  const double first = static_cast<double>(reference.front().sample),
               last = static_cast<double>(reference.back().sample);
  const double reach = quality.tolerance_ms * rate_hz / 1000;
  const auto outside = std::ranges::count_if(detected, [&](const DetectedBeat& beat) {
    const auto sample = static_cast<double>(beat.sample);
    return sample < first - reach || sample > last + reach;
  });
  if (outside < kFewest || static_cast<double>(outside) < kOutside * static_cast<double>(std::ssize(detected)))
    return std::nullopt;
  return "its beats range from " + fixed(first / rate_hz, 1) + " to " + fixed(last / rate_hz, 1) + " s, and " +
         std::to_string(outside) + " of " + counted(std::ssize(detected), "beat") +
         " detected before or after these count as false";
}

// Returns the most frequent delay, in samples, of a detected beat after a reference beat.
std::int64_t modal_delay(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                         double rate_hz) {
  const auto longest = static_cast<std::int64_t>(kLongest_s * rate_hz);
  const auto bin = std::max<std::int64_t>(std::llround(kBin_s * rate_hz), 1), bins = 2 * longest / bin + 1;
  std::vector<std::int64_t> counts(static_cast<std::size_t>(bins + 2));  // with an empty one on either side
  std::size_t begin = 0;
  for (const ReferenceBeat& beat : reference) {
    while (begin < detected.size() && detected[begin].sample < beat.sample - longest) ++begin;
    for (auto i = begin; i < detected.size() && detected[i].sample <= beat.sample + longest; ++i)
      ++counts[static_cast<std::size_t>((detected[i].sample - beat.sample + longest) / bin + 1)];
  }
  std::int64_t first = 1, last = 1, most = -1;  // where most delays lie; the middle of equal bins
  for (std::int64_t i = 1; i <= bins; ++i) {
    const auto at = counts.begin() + i;
    const std::int64_t near = at[-1] + at[0] + at[1];
    if (near > most) most = near, first = last = i;
    if (near == most && i - first <= 2) last = i;
  }
  return (first + last - 2) * bin / 2 + bin / 2 - longest;
}

std::optional<std::string> warning_of_match(std::span<const ReferenceBeat> reference,
                                            std::span<const DetectedBeat> detected, const DetectionQuality& quality,
                                            double rate_hz) {
  if (quality.f1.value_or(1) >= kLowF1 || std::ssize(reference) < kFewest) return std::nullopt;
  const std::int64_t delay = modal_delay(reference, detected, rate_hz);
  std::vector<std::int64_t> shifted, found;
  for (const ReferenceBeat& beat : reference) shifted.push_back(beat.sample + delay);
  for (const DetectedBeat& beat : detected) found.push_back(beat.sample);
  const auto same = static_cast<std::int64_t>(kSame_s * rate_hz);
  const auto matched =
      std::ranges::count_if(match_beats(shifted, found, same), [](const auto& beat) { return !!beat; });
  const double share = static_cast<double>(matched) / static_cast<double>(std::ssize(reference));
  const std::string few =
      "only " + std::to_string(quality.tp) + " of " + counted(std::ssize(reference), "beat") + " match";
  if (share < kMostMatch || matched <= quality.tp) {
    if (2 * quality.tp >= std::ssize(reference)) return std::nullopt;
    return few + ": it may be that of another recording, or noise hides the beats";
  }
  const double delay_s = static_cast<double>(delay) / rate_hz;
  return few + ", and " + std::to_string(matched) + " would if all came " + fixed(std::abs(delay_s), 2) + " s " +
         (delay_s > 0 ? "later" : "earlier") + ": its times may count from another start";
}

}  // namespace

std::vector<std::string> fit_warnings(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                                      const DetectionQuality& quality, double sample_rate_hz,
                                      const std::filesystem::path& path) {
  std::vector<std::string> warnings;
  if (reference.empty() || detected.empty()) return warnings;
  for (const auto& warning : {warning_of_part(reference, detected, quality, sample_rate_hz),
                              warning_of_match(reference, detected, quality, sample_rate_hz)})
    if (warning) warnings.push_back(path.string() + ": " + *warning);
  return warnings;
}

}  // namespace beatscan
