#include "app/evaluation/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/evaluation/match_beats.h"
#include "app/evaluation/quotient.h"
#include "app/evaluation/truth.h"
#include "kernels/runtime/error.h"

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

}  // namespace beatscan
