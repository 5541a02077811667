#include "app/evaluation/evaluate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "app/files/small_csv.h"
#include "app/files/whole_file.h"
#include "app/text/json_text.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// How good a partial matching is: more pairs first, then less distance.
struct Merit {
  std::int64_t pairs = 0, distance = 0;
  bool operator==(const Merit&) const = default;
  bool operator<(const Merit& other) const {
    return pairs != other.pairs ? pairs < other.pairs : distance > other.distance;
  }
};

// One reference beat's row of the dynamic programme: merits of matching the reference beats up to this one with the
// first j detected beats, for j = first .. last, where detected beats [first, last) are within its tolerance.
struct MatchRow {
  std::size_t first = 0, last = 0;
  std::size_t offset = 0;  // of j = first in the table
};

// The merits of all rows. Left of a row's band this beat cannot be matched, right of it nothing more is gained, so the
// bands, which is as many entries as there are possible pairs, are enough.
class MatchTable {
 public:
  MatchTable(std::span<const std::int64_t> reference, std::span<const std::int64_t> detected, std::int64_t tolerance) {
    rows_.push_back({0, 0, 0});  // no reference beats: nothing matched
    merits_.push_back({});
    std::size_t first = 0, last = 0;
    for (const auto sample : reference) {
      while (first < detected.size() && detected[first] < sample - tolerance) ++first;
      while (last < detected.size() && detected[last] <= sample + tolerance) ++last;
      rows_.push_back({first, last, merits_.size()});
      const std::size_t row = rows_.size() - 1;
      merits_.push_back(at(row - 1, first));
      for (std::size_t j = first + 1; j <= last; ++j) {
        const Merit pair = with_pair(row, j, std::abs(detected[j - 1] - sample));
        merits_.push_back(std::max({at(row - 1, j), merits_.back(), pair}));
      }
    }
  }

  // Of the first `row` reference beats with the first j detected beats, j at least the row's first.
  Merit at(std::size_t row, std::size_t j) const {
    const auto& [first, last, offset] = rows_[row];
    return merits_[offset + std::min(j, last) - first];
  }

  Merit with_pair(std::size_t row, std::size_t j, std::int64_t distance) const {
    const Merit before = at(row - 1, j - 1);
    return {before.pairs + 1, before.distance + distance};
  }

  const MatchRow& row(std::size_t row) const { return rows_[row]; }

 private:
  std::vector<MatchRow> rows_;
  std::vector<Merit> merits_;
};

std::optional<double> ratio(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

DetectionQuality detection_quality(std::int64_t tp, std::int64_t reference, std::int64_t detected,
                                   double tolerance_ms) {
  DetectionQuality quality{tolerance_ms, tp, detected - tp, reference - tp, {}, {}, {}};
  quality.sensitivity = ratio(tp, reference);
  quality.ppv = ratio(tp, detected);
  quality.f1 = ratio(2 * tp, reference + detected);
  return quality;
}

RankingQuality ranking_quality(std::span<const double> positives, std::span<const double> negatives) {
  return {auroc(positives, negatives), average_precision(positives, negatives), std::ssize(positives),
          std::ssize(negatives), thinned(roc_curve(positives, negatives))};
}

nlohmann::json summary_of(const std::filesystem::path& path) {
  try {
    return parse_json<nlohmann::json>(read_whole_file(path));
  } catch (const std::invalid_argument& error) {
    throw Error(ErrorKind::input, path.string() + ": " + error.what() + "; give the output folder of a finished run");
  }
}

double rate_in(const nlohmann::json& summary, const std::filesystem::path& path) {
  const nlohmann::json::json_pointer key("/sample_rate/hz");
  if (!summary.contains(key))
    throw Error(ErrorKind::input,
                path.string() + ": has no sample_rate.hz; give the output folder of a run, or --rate");
  if (summary[key].is_null())
    throw Error(ErrorKind::usage, path.string() + ": sample_rate.hz is null, the run did not know the sampling rate; " +
                                      "give it with --rate");
  if (!summary[key].is_number())
    throw Error(ErrorKind::input, path.string() + ": sample_rate.hz is not a number; give the rate with --rate");
  return summary[key].get<double>();
}

// A result's rate and length, and what annotations of its recording count by. What `given` says of the rate comes
// first.
struct Clocks {
  double rate_hz;
  SignalClock of_recording;
  std::optional<double> samples = {};  // of the recording
};
Clocks clocks_of(const std::filesystem::path& folder, std::optional<double> given) {
  const auto path = folder / "summary.json";
  if (given && !std::filesystem::exists(path)) return {*given, {given}};
  const auto summary = summary_of(path);
  const double rate = given ? *given : rate_in(summary, path);
  Clocks clocks{rate, {rate}};
  const auto number_at = [&](const char* key) -> std::optional<double> {
    const nlohmann::json::json_pointer pointer(key);
    return summary.contains(pointer) && summary[pointer].is_number() ? std::optional(summary[pointer].get<double>())
                                                                     : std::nullopt;
  };
  if (const auto own = number_at("/input/sample_rate_hz")) clocks.of_recording.sample_rate_hz = own;
  if (const auto samples = number_at("/input/samples_per_frame"); samples && *samples >= 1 && *samples <= 1 << 20)
    clocks.of_recording.samples_per_frame = static_cast<std::int64_t>(*samples);
  clocks.samples = number_at("/input/samples");
  return clocks;
}

std::optional<double> score_in(const std::filesystem::path& path, std::int64_t line, std::string_view cell) {
  const auto score = parse_double(cell);
  if (!score && !cell.empty())
    fail_at_line(path, line, quoted(cell) + " is not a finite score; give the file as run wrote it");
  return score;
}

std::vector<DetectedBeat> read_beats(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 2> kColumns = {"sample", "score"};
  constexpr std::array<std::string_view, 2> kOptionalColumns = {"baseline_score", "anomalous"};
  std::vector<DetectedBeat> beats;
  const auto add = [&](std::span<const std::string_view> cells, std::int64_t line) {
    const auto sample = parse_int64(cells[0]);
    if (!sample) fail_at_line(path, line, quoted(cells[0]) + " is not a sample number; give the file as run wrote it");
    beats.push_back({*sample, score_in(path, line, cells[1]), score_in(path, line, cells[2]), cells[3] == "1"});
  };
  for_each_row(path, kColumns, add, kOptionalColumns);
  std::ranges::stable_sort(beats, {}, &DetectedBeat::sample);
  return beats;
}

// Of all reference beats, by the score of the beat that each was matched to.
Evaluation::Anomaly anomaly_quality(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                                    const std::vector<std::optional<std::size_t>>& match,
                                    std::optional<double> DetectedBeat::*score_of) {
  std::vector<double> n, v, svf;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto found = match[i] ? detected[*match[i]].*score_of : std::nullopt;
    const double score = found.value_or(-std::numeric_limits<double>::infinity());
    const auto beat_class = class_of(reference[i].symbol);
    if (beat_class == BeatClass::N) n.push_back(score);
    if (beat_class == BeatClass::V) v.push_back(score);
    if (beat_class == BeatClass::S || beat_class == BeatClass::V || beat_class == BeatClass::F) svf.push_back(score);
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

nlohmann::ordered_json number_or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// To six decimals: finer than a thinned curve is.
nlohmann::ordered_json json_of(const std::vector<RocPoint>& curve) {
  if (curve.empty()) return nullptr;
  const auto rounded = [](double rate) { return std::round(rate * 1e6) / 1e6; };
  auto points = nlohmann::ordered_json::array();
  for (const auto& [false_positive_rate, true_positive_rate] : curve)
    points.push_back({rounded(false_positive_rate), rounded(true_positive_rate)});
  return points;
}

nlohmann::ordered_json json_of(const RankingQuality& quality) {
  return {{"auroc", number_or_null(quality.auroc)},
          {"average_precision", number_or_null(quality.average_precision)},
          {"positives", quality.positives},
          {"negatives", quality.negatives},
          {"roc", json_of(quality.roc)}};
}

nlohmann::ordered_json json_of(const Evaluation::Anomaly& anomaly) {
  return {{"V", json_of(anomaly.v)}, {"SVF", json_of(anomaly.svf)}};
}

}  // namespace

std::vector<std::optional<std::size_t>> match_beats(std::span<const std::int64_t> reference,
                                                    std::span<const std::int64_t> detected,
                                                    std::int64_t tolerance_samples) {
  BEATSCAN_EXPECTS(tolerance_samples >= 0, "match_beats: negative tolerance");
  BEATSCAN_EXPECTS(
      std::is_sorted(reference.begin(), reference.end()) && std::is_sorted(detected.begin(), detected.end()),
      "match_beats: beats are not in time order");
  const MatchTable table(reference, detected, tolerance_samples);
  std::vector<std::optional<std::size_t>> match(reference.size());
  std::size_t j = detected.size();
  for (std::size_t row = reference.size(); row > 0; --row) {
    const auto [first, last, offset] = table.row(row);
    // The fewest detected beats that reach this row's merit: where its gain came from.
    std::size_t reach = std::min(j, last);
    while (reach > first && table.at(row, reach) == table.at(row, reach - 1)) --reach;
    if (reach > first && table.at(row, reach) != table.at(row - 1, reach)) {
      match[row - 1] = reach - 1;
      --reach;
    }
    j = reach;
  }
  return match;
}

Evaluation evaluate(std::span<const ReferenceBeat> reference, std::span<const DetectedBeat> detected,
                    double sample_rate_hz, double tolerance_ms) {
  BEATSCAN_EXPECTS(sample_rate_hz > 0 && tolerance_ms >= 0, "evaluate: bad rate or tolerance");
  std::vector<std::int64_t> reference_samples, detected_samples;
  for (const auto& beat : reference) reference_samples.push_back(beat.sample);
  for (const auto& beat : detected) detected_samples.push_back(beat.sample);
  // 1e-9: a tolerance that is a whole number of samples stays one after rounding.
  const auto tolerance_samples = static_cast<std::int64_t>(std::floor(tolerance_ms * sample_rate_hz / 1000 + 1e-9));
  const auto match = match_beats(reference_samples, detected_samples, tolerance_samples);

  const auto tp = std::ranges::count_if(match, [](const auto& found) { return found.has_value(); });
  Evaluation evaluation{detection_quality(tp, std::ssize(reference), std::ssize(detected), tolerance_ms),
                        anomaly_quality(reference, detected, match, &DetectedBeat::score),
                        {},
                        count_symbols(reference, detected, match)};
  if (std::ranges::any_of(detected, [](const auto& beat) { return beat.baseline.has_value(); }))
    evaluation.baseline = anomaly_quality(reference, detected, match, &DetectedBeat::baseline);
  return evaluation;
}

Evaluation evaluate_folder(const std::filesystem::path& folder, const std::filesystem::path& truth, double tolerance_ms,
                           std::optional<double> sample_rate_hz) {
  // Above a second a beat would be matched to its neighbours.
  if (!(tolerance_ms >= 0 && tolerance_ms <= 1000))
    throw Error(ErrorKind::usage, "the tolerance must be from 0 to 1000 ms; 150 is usual");
  if (std::error_code unknown; !std::filesystem::is_directory(folder, unknown))
    throw Error(ErrorKind::input, folder.string() + ": is no folder" + (unknown ? " (" + unknown.message() + ")" : "") +
                                      "; give the folder of a result");
  const auto [rate, clock, samples] = clocks_of(folder, sample_rate_hz);
  if (!(rate > 0 && std::isfinite(rate)))
    throw Error(ErrorKind::usage, "the sampling rate must be a positive number of Hz; give it with --rate");
  const auto reference = read_truth(truth, clock);
  Evaluation evaluation = evaluate(reference, read_beats(folder / "beats.csv"), rate, tolerance_ms);
  if (samples && *samples >= 0 && *samples < 0x1p53)
    evaluation.warnings = warnings_of(reference, static_cast<std::int64_t>(*samples), truth);
  return evaluation;
}

nlohmann::ordered_json to_json(const Evaluation& evaluation) {
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
                                   {"sensitivity", number_or_null(detection.sensitivity)},
                                   {"ppv", number_or_null(detection.ppv)},
                                   {"f1", number_or_null(detection.f1)}}},
                                 {"false_beats", detection.fp},
                                 {"symbols", symbols},
                                 {"anomaly", json_of(evaluation.anomaly)}};
  if (evaluation.baseline) json["baseline"] = json_of(*evaluation.baseline);
  return json;
}

}  // namespace beatscan
