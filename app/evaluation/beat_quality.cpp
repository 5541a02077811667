#include "app/evaluation/beat_quality.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <utility>

#include "app/common/json_text.h"
#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

// The quality of a partial matching: more pairs are better; with equally many pairs, less total distance is better.
struct Merit {
  std::int64_t pairs = 0, distance = 0;
  bool operator==(const Merit&) const = default;
  bool operator<(const Merit& other) const {
    return pairs != other.pairs ? pairs < other.pairs : distance > other.distance;
  }
};

// One reference beat's row of the dynamic programme: for j = first .. last, the merit of the best matching of the
// reference beats up to this one with the first j detected beats. The detected beats [first, last) are within this
// beat's tolerance.
struct MatchRow {
  std::size_t first = 0, last = 0;
  std::size_t offset = 0;  // index in the table of the merit for j = first
};

// The merits of all rows. Left of a row's band this beat cannot be matched, and right of it nothing more is gained. So
// the bands suffice; together they have as many entries as there are possible pairs.
class MatchTable {
 public:
  MatchTable(std::span<const std::int64_t> reference, std::span<const std::int64_t> detected, std::int64_t tolerance) {
    rows_.push_back({0, 0, 0});  // no reference beats: no matches
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

  // The merit of matching the first `row` reference beats with the first j detected beats. j is at least the row's
  // first.
  Merit at(std::size_t row, std::size_t j) const {
    const auto& [first, last, offset] = rows_[row];
    return merits_[offset + std::min(j, last) - first];
  }

  // The merit if reference beat `row` is matched to detected beat j, at this distance.
  Merit with_pair(std::size_t row, std::size_t j, std::int64_t distance) const {
    const Merit before = at(row - 1, j - 1);
    return {before.pairs + 1, before.distance + distance};
  }

  const MatchRow& row(std::size_t row) const { return rows_[row]; }

 private:
  std::vector<MatchRow> rows_;
  std::vector<Merit> merits_;
};

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
    // Finds the fewest detected beats that reach this row's merit: the last of them is the matched one.
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

namespace {

// Calls group(positives, negatives) with the numbers of beats of each distinct score, from the highest score down.
void for_each_score(std::span<const double> positives, std::span<const double> negatives,
                    const std::function<void(std::int64_t, std::int64_t)>& group) {
  std::vector<double> p(positives.begin(), positives.end()), n(negatives.begin(), negatives.end());
  std::sort(p.begin(), p.end(), std::greater<>());
  std::sort(n.begin(), n.end(), std::greater<>());
  for (auto ip = p.begin(), in = n.begin(); ip != p.end() || in != n.end();) {
    const double score = in == n.end() || (ip != p.end() && *ip > *in) ? *ip : *in;
    const auto is_other = [score](double value) { return value != score; };
    const auto p_end = std::find_if(ip, p.end(), is_other), n_end = std::find_if(in, n.end(), is_other);
    group(p_end - ip, n_end - in);
    ip = p_end;
    in = n_end;
  }
}

// Replaces each longest run of points that fit one line within the tolerance by its two ends. The admissible directions
// from the first point form an interval, which every further point narrows.
std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve, double tolerance) {
  std::vector<RocPoint> kept;
  double least = 0, greatest = 0;  // radians
  const auto start = [&](const RocPoint& point) {
    kept.push_back(point);
    least = -std::numbers::pi;
    greatest = std::numbers::pi;
  };
  const auto narrow = [&](const RocPoint& point) {
    const double x = point.false_positive_rate - kept.back().false_positive_rate;
    const double y = point.true_positive_rate - kept.back().true_positive_rate;
    // std::hypot would need glibc 2.35; the program also supports 2.34. No square overflows here.
    const double distance = std::sqrt(x * x + y * y), direction = std::atan2(y, x);
    if (distance <= tolerance) return true;
    if (direction < least || direction > greatest) return false;
    least = std::max(least, direction - std::asin(tolerance / distance));
    greatest = std::min(greatest, direction + std::asin(tolerance / distance));
    return true;
  };
  start(curve.front());
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (narrow(curve[i])) continue;
    start(curve[i - 1]);
    narrow(curve[i]);
  }
  kept.push_back(curve.back());
  return kept;
}

}  // namespace

std::optional<double> auroc(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty() || negatives.empty()) return std::nullopt;
  std::int64_t positives_above = 0, twice_won = 0;  // doubled, because a tie is half a win and integers are exact
  for_each_score(positives, negatives, [&](std::int64_t p, std::int64_t n) {
    twice_won += n * (2 * positives_above + p);
    positives_above += p;
  });
  return static_cast<double>(twice_won) / 2 / static_cast<double>(positives.size()) /
         static_cast<double>(negatives.size());
}

std::optional<double> average_precision(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty()) return std::nullopt;
  std::int64_t found = 0, chosen = 0;
  double sum = 0;
  for_each_score(positives, negatives, [&](std::int64_t p, std::int64_t n) {
    found += p;
    chosen += p + n;
    sum += static_cast<double>(p) * static_cast<double>(found) / static_cast<double>(chosen);
  });
  return sum / static_cast<double>(positives.size());
}

std::vector<RocPoint> roc_curve(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty() || negatives.empty()) return {};
  std::vector<RocPoint> curve = {{0, 0}};
  std::int64_t p_above = 0, n_above = 0;
  for_each_score(positives, negatives, [&](std::int64_t p, std::int64_t n) {
    p_above += p;
    n_above += n;
    curve.push_back({static_cast<double>(n_above) / static_cast<double>(negatives.size()),
                     static_cast<double>(p_above) / static_cast<double>(positives.size())});
  });
  return curve;
}

std::vector<RocPoint> thinned(const std::vector<RocPoint>& curve) {
  if (curve.size() < 3) return curve;
  for (double tolerance = 1e-4;; tolerance *= 2)
    if (auto few = thinned(curve, tolerance); few.size() <= kRocPoints) return few;
}

}  // namespace beatscan
