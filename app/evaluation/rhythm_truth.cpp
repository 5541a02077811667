#include "app/evaluation/rhythm_truth.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "app/common/small_csv.h"
#include "app/evaluation/truth.h"
#include "stages/common/counted.h"

namespace beatscan {
namespace {

// The start and the label of a rhythm.
struct RhythmChange {
  double sample;
  std::string label;
};

// The rhythms of a truth file.
struct RhythmMarks {
  std::vector<RhythmChange> changes;
  std::vector<LabelledStretch> flutter;
  double last = 0;  // sample of the last annotation
};

RhythmMarks marks_of_csv(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 2> kColumns = {"sample", "label"};
  RhythmMarks marks;
  for_each_row(path, kColumns, [&](std::span<const std::string_view> cells, std::int64_t line) {
    const auto sample = parse_int64(cells[0]);
    if (!sample || *sample < 0)
      fail_at_line(path, line, quoted(cells[0]) + " is not a sample number; give a whole number from 0");
    const bool has_bracket = cells[1].starts_with('(');
    marks.changes.push_back({static_cast<double>(*sample), std::string(cells[1].substr(has_bracket))});
  });
  std::ranges::stable_sort(marks.changes, {}, &RhythmChange::sample);
  if (!marks.changes.empty()) marks.last = marks.changes.back().sample;
  return marks;
}

RhythmMarks marks_of_annotations(const std::filesystem::path& path, const SignalClock& clock) {
  RhythmMarks marks;
  std::optional<double> flutter;
  for (const auto& [at, symbol, note] : read_annotations(path, clock)) {
    const auto sample = static_cast<double>(at);
    marks.last = std::max(marks.last, sample);
    if (symbol == '+' && note.starts_with('(')) marks.changes.push_back({sample, note.substr(1)});
    if (symbol == '[' && !flutter) flutter = sample;
    if (symbol == ']' && flutter) marks.flutter.push_back({*std::exchange(flutter, std::nullopt), sample, "VF"});
  }
  if (flutter) marks.flutter.push_back({*flutter, -1, "VF"});
  return marks;
}

// The rhythms of PhysioNet's databases, and the episodes of the program.
constexpr std::string_view kRhythms[] = {"AB",   "AFIB",  "AFL", "ASYS",  "B",   "BI",   "BII",   "GAP",
                                         "HGEA", "IVR",   "J",   "MISSB", "N",   "NOD",  "NOISE", "NSR",
                                         "P",    "PAUSE", "PM",  "PREX",  "PSE", "SBR",  "STACH", "SVT",
                                         "SVTA", "T",     "V2",  "VER",   "VF",  "VFIB", "VFL",   "VT"};

}  // namespace

std::vector<std::string> warnings_of(const std::vector<LabelledStretch>& rhythms, const std::filesystem::path& path) {
  std::map<std::string, int> unknown;
  for (const auto& rhythm : rhythms)
    if (std::ranges::find(kRhythms, rhythm.label) == std::end(kRhythms)) ++unknown[rhythm.label];
  std::vector<std::string> warnings;
  for (const auto& [label, count] : unknown)
    warnings.push_back(path.string() + ": " + quoted(std::string_view(label)) + " (" + counted(count, "rhythm") +
                       ") is not a known rhythm and is not compared; write it as WFDB does, such as AFIB, AFL, VT, "
                       "VFL, SVTA, B, T, SBR or N");
  return warnings;
}

bool is_fibrillation(std::string_view label) { return label == "VF" || label == "VFIB" || label == "VFL"; }

std::vector<LabelledStretch> read_rhythms(const std::filesystem::path& path, const SignalClock& clock,
                                          std::optional<double> samples) {
  auto [changes, stretches, last] = is_csv(path) ? marks_of_csv(path) : marks_of_annotations(path, clock);
  const double end = std::max(samples.value_or(last), last);
  for (auto& flutter : stretches)
    if (flutter.end < 0) flutter.end = end;
  for (std::size_t i = 0; i < changes.size(); ++i)
    stretches.push_back({changes[i].sample, i + 1 < changes.size() ? changes[i + 1].sample : end, changes[i].label});
  std::ranges::stable_sort(stretches, {}, &LabelledStretch::start);
  return stretches;
}

}  // namespace beatscan
