#include "app/evaluation/ec57/beat_by_beat.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "app/evaluation/beat_quality.h"

namespace beatscan::ec57 {
namespace {

constexpr char kNotCounted = '*';

// Walks through beats. Beyond the last one, the time is kNever.
class BeatCursor {
 public:
  // Begins with beat number `at`, which may be the one before the first.
  BeatCursor(std::span<const LabelledBeat> beats, std::ptrdiff_t at) : beats_(beats), at_(at) {}
  LabelledBeat now() const { return beat(at_); }
  std::int64_t time() const { return now().sample; }
  std::int64_t next_time() const { return beat(at_ + 1).sample; }
  void advance() { ++at_; }

 private:
  LabelledBeat beat(std::ptrdiff_t at) const {
    if (at < 0) return {0, kNotCounted};
    return at < std::ssize(beats_) ? beats_[static_cast<std::size_t>(at)] : LabelledBeat{kNever, kNotCounted};
  }
  std::span<const LabelledBeat> beats_;
  std::ptrdiff_t at_;
};

std::int64_t distance(std::int64_t a, std::int64_t b) { return std::abs(a - b); }

// Stretches, for searches by time.
class StretchSet {
 public:
  explicit StretchSet(std::vector<Stretch> stretches) {
    std::ranges::sort(stretches, {}, &Stretch::start);
    for (const Stretch& stretch : stretches)
      if (!merged_.empty() && stretch.start <= merged_.back().end)
        merged_.back().end = std::max(merged_.back().end, stretch.end);
      else
        merged_.push_back(stretch);
  }
  bool has(std::int64_t sample) const {
    const auto next = std::ranges::upper_bound(merged_, sample, {}, &Stretch::start);
    return next != merged_.begin() && sample <= next[-1].end;
  }

 private:
  std::vector<Stretch> merged_;
};

class Comparer {
 public:
  Comparer(const MarkedBeats& reference, const MarkedBeats& test, const Period& period)
      : period_(period),
        reference_fibrillation_(reference.fibrillation),
        reference_shutdown_(reference.shutdown),
        test_shutdown_(test.shutdown),
        reference_(reference.beats, first_in_period(reference.beats)),
        test_(test.beats, first_in_period(test.beats) - 1) {}

  BeatComparison compare() {
    begin();
    while (reference_.time() <= period_.end || test_.time() <= period_.end) step();
    return comparison_;
  }

 private:
  std::ptrdiff_t first_in_period(const std::vector<LabelledBeat>& beats) const {
    return std::ranges::lower_bound(beats, period_.start, {}, &LabelledBeat::sample) - beats.begin();
  }

  // The last test beat of the learning period may match the first reference beat. If it does not, a first test beat
  // within a match window of the start is not counted where the next one is closer to the first reference beat.
  void begin() {
    const std::int64_t first = reference_.time(), gap = first - test_.time();
    if (gap < distance(first, test_.next_time()) && gap <= period_.match_window) return pair_both();
    test_.advance();
    if (test_.time() - period_.start <= period_.match_window &&
        distance(first, test_.next_time()) < distance(first, test_.time()))
      test_.advance();
  }

  void step() {
    if (test_.time() < reference_.time()) {
      if (is_pair(test_, reference_)) return pair_both();
      const std::int64_t time = test_.time();
      const char label = reference_fibrillation_.has(time) ? kNotCounted : reference_shutdown_.has(time) ? 'X' : 'O';
      count(label, test_.now().label);
      test_.advance();
    } else {
      if (is_pair(reference_, test_)) return pair_both();
      count(reference_.now().label, test_shutdown_.has(reference_.time()) ? 'X' : 'O');
      reference_.advance();
    }
  }

  // Returns whether the earlier beat and the later one are a pair: no other beat of the earlier one's annotator is
  // closer to the later one, or that other beat has a closer partner itself.
  bool is_pair(const BeatCursor& earlier, const BeatCursor& later) const {
    const std::int64_t gap = later.time() - earlier.time(), other = distance(later.time(), earlier.next_time());
    return gap <= period_.match_window && (gap < other || distance(later.next_time(), earlier.next_time()) < other);
  }

  void pair_both() {
    count(reference_.now().label, test_.now().label);
    reference_.advance();
    test_.advance();
  }

  void count(char reference, char test) {
    const std::int64_t reference_rr = reference_.now().rr, test_rr = test_.now().rr;
    if (reference_rr > 0 && test_rr > 0) {
      const double error_ms = 1000 * static_cast<double>(reference_rr - test_rr) / period_.sample_rate_hz;
      comparison_.rr_error_sum_ms2 += error_ms * error_ms;
      ++comparison_.rr_errors;
    }
    if (reference != kNotCounted && test != kNotCounted)
      ++comparison_.pairs[kPairLabels.find(reference)][kPairLabels.find(test)];
  }

  const Period& period_;
  const StretchSet reference_fibrillation_, reference_shutdown_, test_shutdown_;
  BeatCursor reference_, test_;
  BeatComparison comparison_;
};

// Sums of pairs whose labels are among these.
std::int64_t sum_of(const BeatComparison& comparison, std::string_view reference, std::string_view test) {
  std::int64_t sum = 0;
  for (const char r : reference)
    for (const char t : test) sum += comparison.at(r, t);
  return sum;
}

struct LabelCounts {
  std::int64_t tp, fn, fp, tn;
};

// Counts those of V or S. A beat of one of the labels `forgiven` may have the label.
LabelCounts counts_of(const BeatComparison& comparison, char label, std::string_view forgiven) {
  std::string others = "NSVFQOX", not_label = "NSVFQ", counted;
  std::erase(others, label);
  std::erase(not_label, label);
  for (const char other : others)
    if (forgiven.find(other) == forgiven.npos) counted += other;
  const std::string_view own(&label, 1);
  return {comparison.at(label, label), sum_of(comparison, own, others), sum_of(comparison, counted, own),
          sum_of(comparison, others, not_label)};
}

}  // namespace

BeatComparison& BeatComparison::operator+=(const BeatComparison& other) {
  for (std::size_t i = 0; i < pairs.size(); ++i)
    for (std::size_t j = 0; j < pairs.size(); ++j) pairs[i][j] += other.pairs[i][j];
  rr_errors += other.rr_errors;
  rr_error_sum_ms2 += other.rr_error_sum_ms2;
  shutdown_s += other.shutdown_s;
  return *this;
}

BeatComparison compare_beats(const MarkedBeats& reference, const MarkedBeats& test, const Period& period) {
  BeatComparison comparison = Comparer(reference, test, period).compare();
  for (const auto& [start, end] : test.shutdown)
    comparison.shutdown_s +=
        static_cast<double>(std::min(end, std::max(period.end, start)) - start) / period.sample_rate_hz;
  return comparison;
}

Row beat_row(const BeatComparison& comparison) {
  Row row;
  constexpr std::string_view kTest[] = {"NFQ", "S", "V"}, kReference[] = {"N", "S", "V", "FQ", "OX"};
  for (const auto test : kTest)
    for (const auto reference : kReference) {
      const bool merged = test.size() > 1 || reference.size() > 1;
      const std::string heading = {reference[0], static_cast<char>(test[0] - 'A' + 'a')};
      row.counts.push_back({heading + (merged ? "'" : ""), sum_of(comparison, reference, test)});
    }
  for (const auto reference : {"N", "S", "V", "FQ"})
    row.counts.push_back({std::string(1, reference[0]) + "o'", sum_of(comparison, reference, "OX")});
  const std::int64_t tp = sum_of(comparison, "NSVFQ", "NSVFQ"), fn = sum_of(comparison, "NSVFQ", "OX"),
                     fp = sum_of(comparison, "OX", "NSVFQ");
  row.figures = {{"Q Se", "qrs_sensitivity", quotient(tp, tp + fn)}, {"Q +P", "qrs_ppv", quotient(tp, tp + fp)}};
  const auto add = [&](char label, std::string_view forgiven) {
    const auto [tp, fn, fp, tn] = counts_of(comparison, label, forgiven);
    const std::string name(1, label), key = label == 'V' ? "v" : "s";
    row.figures.push_back({name + " Se", key + "_sensitivity", quotient(tp, tp + fn)});
    row.figures.push_back({name + " +P", key + "_ppv", quotient(tp, tp + fp)});
    row.figures.push_back({name + " FPR", key + "_false_positive_rate", quotient(fp, fp + tn), 3});
  };
  add('V', "FQ");
  add('S', "Q");
  const auto mean = quotient(comparison.rr_error_sum_ms2, static_cast<double>(comparison.rr_errors));
  row.figures.push_back({"RR err", "rr_error_ms", mean ? std::optional(std::sqrt(*mean)) : std::nullopt, 2, false});
  return row;
}

Row shutdown_row(const BeatComparison& comparison) {
  Row row;
  for (const char label : {'N', 'S', 'V', 'F', 'Q'})
    row.counts.push_back({std::string(1, label) + "x", comparison.at(label, 'X')});
  const auto missed = [&](std::string_view labels) {
    return quotient(sum_of(comparison, labels, "X"), sum_of(comparison, labels, "NSVFQOX"));
  };
  row.figures = {{"beats", "beats_missed", missed("NSVFQ")},
                 {"N", "n_missed", missed("N")},
                 {"S", "s_missed", missed("S")},
                 {"V", "v_missed", missed("V")},
                 {"F", "f_missed", missed("F")},
                 {"seconds", "duration_s", comparison.shutdown_s, 0, false}};
  return row;
}

nlohmann::ordered_json matrix_json(const BeatComparison& comparison) {
  auto json = nlohmann::ordered_json::object();
  for (const char reference : kPairLabels) {
    auto row = nlohmann::ordered_json::object();
    for (const char test : kPairLabels)
      if (kPairLabels.find(reference) < 5 || kPairLabels.find(test) < 5)
        row[std::string(1, test)] = comparison.at(reference, test);
    json[std::string(1, reference)] = std::move(row);
  }
  return json;
}

}  // namespace beatscan::ec57
