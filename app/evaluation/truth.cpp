#include "app/evaluation/truth.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "app/common/small_csv.h"
#include "app/evaluation/truth_table.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/letters.h"

namespace beatscan {
namespace {

constexpr std::string_view kBeatSymbols = "NLRBejAaJSVEF/fQnr?";

ReferenceBeat beat_of(const std::filesystem::path& path, const TruthRow& row, std::string_view symbol) {
  if (symbol.size() != 1 || !class_of(symbol[0]))
    fail_at_line(
        path, row.line,
        quoted(symbol) + " is not a beat symbol; use one of " + std::string(kBeatSymbols) + " or remove the line");
  return {row.sample, symbol[0]};
}

std::vector<ReferenceBeat> read_table(const std::filesystem::path& path, const SignalClock& clock) {
  std::vector<ReferenceBeat> beats;
  for_each_truth_row(path, clock, true, [&](const TruthRow& row) { beats.push_back(beat_of(path, row, row.symbol)); });
  return beats;
}

// Derives a sampling rate from the first and the last row that have both sample and time.
class StatedRate {
 public:
  void add(const TruthRow& row) {
    if (!std::isfinite(row.time_s)) return;
    const Place place{static_cast<double>(row.sample), row.time_s};
    if (!first_) first_ = place;
    last_ = place;
  }
  // Returns nullopt if the rate is implausible: times without a unit may be milliseconds, or rows out of order.
  std::optional<double> hz() const {
    constexpr double kLowest_hz = 20, kHighest_hz = 100'000;
    if (!first_) return std::nullopt;
    const double hz = (last_.sample - first_->sample) / (last_.time_s - first_->time_s);
    return hz >= kLowest_hz && hz <= kHighest_hz ? std::optional(hz) : std::nullopt;
  }

 private:
  struct Place {
    double sample = 0, time_s = 0;
  };
  std::optional<Place> first_;
  Place last_;
};

// Reads beats whose symbols may be missing.
ListedBeats read_table_of_beats(const std::filesystem::path& path, const SignalClock& clock) {
  ListedBeats listed;
  StatedRate stated;
  for_each_truth_row(path, clock, false, [&](const TruthRow& row) {
    stated.add(row);
    const std::string_view symbol = row.symbol.empty() ? row.beat_class : row.symbol;
    listed.beats.push_back(beat_of(path, row, symbol.empty() ? "N" : symbol));
    listed.without_symbol += symbol.empty();
  });
  std::int64_t latest = 0;
  for (const ReferenceBeat& beat : listed.beats) {
    listed.out_of_order += beat.sample < latest;
    latest = std::max(latest, beat.sample);
  }
  listed.rate_hz = stated.hz();
  return listed;
}

std::vector<ReferenceBeat> read_annotated_beats(const std::filesystem::path& path, const SignalClock& clock) {
  std::vector<ReferenceBeat> beats;
  for (const auto& annotation : read_annotations(path, clock))
    if (class_of(annotation.symbol)) beats.push_back({annotation.sample, annotation.symbol});
  return beats;
}

// Refuses what cannot be read twice. The truth is read before a run, and again after the training, when the clock of
// the recording is known.
void check_readable_twice(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_other(std::filesystem::status(path, unknown)))
    fail(ErrorKind::input, path.string(), "is a device or a pipe; give a file");
}

}  // namespace

bool is_csv(const std::filesystem::path& path) {
  const std::string extension = in_small_letters(path.extension().string());
  return extension == ".csv" || extension == ".tsv" || extension == ".txt";
}

std::optional<BeatClass> class_of(char symbol) {
  const auto is_one_of = [symbol](std::string_view symbols) { return symbols.find(symbol) != symbols.npos; };
  if (!is_one_of(kBeatSymbols)) return std::nullopt;
  if (is_one_of("NLRej")) return BeatClass::normal;
  if (is_one_of("AaJS")) return BeatClass::supraventricular;
  if (is_one_of("VE")) return BeatClass::ventricular;
  if (is_one_of("F")) return BeatClass::fusion;
  return BeatClass::unknown;
}

std::vector<ReferenceBeat> read_truth(const std::filesystem::path& path, const SignalClock& clock) {
  check_readable_twice(path);
  auto beats = is_csv(path) ? read_table(path, clock) : read_annotated_beats(path, clock);
  std::stable_sort(beats.begin(), beats.end(), [](const auto& a, const auto& b) { return a.sample < b.sample; });
  return beats;
}

ListedBeats read_beats(const std::filesystem::path& path, const SignalClock& clock) {
  if (!is_csv(path)) return {read_truth(path, clock)};
  check_readable_twice(path);
  ListedBeats listed = read_table_of_beats(path, clock);
  std::ranges::stable_sort(listed.beats, {}, &ReferenceBeat::sample);
  return listed;
}

std::vector<std::string> warnings_of(std::span<const ReferenceBeat> truth, std::int64_t samples,
                                     const std::filesystem::path& path) {
  const auto beyond = std::ranges::count_if(truth, [&](const auto& beat) { return beat.sample >= samples; });
  if (truth.empty()) return {path.string() + " has no beats"};
  if (beyond == 0) return {};
  return {path.string() + ": " + std::to_string(beyond) + " of " + counted(std::ssize(truth), "beat") +
          by_count(beyond, " lies", " lie") + " beyond the end of the recording"};
}

}  // namespace beatscan
