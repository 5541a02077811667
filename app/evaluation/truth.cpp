#include "app/evaluation/truth.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "app/files/small_csv.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr std::string_view kBeatSymbols = "NLRBejAaJSVEF/fQnr?";

ReferenceBeat beat_of(const std::filesystem::path& path, std::span<const std::string_view> cells, std::int64_t line) {
  const auto sample = parse_int64(cells[0]);
  if (!sample || *sample < 0)
    fail_at_line(path, line, quoted(cells[0]) + " is not a sample number; give a whole number from 0");
  if (cells[1].size() != 1 || !class_of(cells[1][0]))
    fail_at_line(
        path, line,
        quoted(cells[1]) + " is not a beat symbol; use one of " + std::string(kBeatSymbols) + " or remove the line");
  return {*sample, cells[1][0]};
}

std::vector<ReferenceBeat> read_csv(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 2> kColumns = {"sample", "symbol"};
  std::vector<ReferenceBeat> beats;
  for_each_row(path, kColumns, [&](std::span<const std::string_view> cells, std::int64_t line) {
    beats.push_back(beat_of(path, cells, line));
  });
  return beats;
}

// Reads beats whose symbols may be missing.
ListedBeats read_csv_of_beats(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 1> kColumns = {"sample"};
  constexpr std::array<std::string_view, 2> kOptional = {"symbol", "kind"};
  ListedBeats listed;
  for_each_row(
      path, kColumns,
      [&](std::span<const std::string_view> cells, std::int64_t line) {
        const std::string_view symbol = cells[1].empty() ? cells[2] : cells[1];
        const std::array<std::string_view, 2> with_symbol = {cells[0], symbol.empty() ? "N" : symbol};
        listed.beats.push_back(beat_of(path, with_symbol, line));
        listed.without_symbol += symbol.empty();
      },
      kOptional);
  return listed;
}

std::vector<ReferenceBeat> read_annotated_beats(const std::filesystem::path& path, const SignalClock& clock) {
  std::vector<ReferenceBeat> beats;
  for (const auto& annotation : read_annotations(path, clock))
    if (class_of(annotation.symbol)) beats.push_back({annotation.sample, annotation.symbol});
  return beats;
}

// Refuses what cannot be read twice. A truth is read before a run, and again after the training, when the clock of the
// recording is known.
void check_readable_twice(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_other(std::filesystem::status(path, unknown)))
    fail(ErrorKind::input, path.string(), "is a device or a pipe; give a file");
}

}  // namespace

bool is_csv(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".csv";
}

std::optional<BeatClass> class_of(char symbol) {
  const auto is_one_of = [symbol](std::string_view symbols) { return symbols.find(symbol) != symbols.npos; };
  if (!is_one_of(kBeatSymbols)) return std::nullopt;
  if (is_one_of("NLRej")) return BeatClass::N;
  if (is_one_of("AaJS")) return BeatClass::S;
  if (is_one_of("VE")) return BeatClass::V;
  if (is_one_of("F")) return BeatClass::F;
  return BeatClass::Q;
}

std::vector<ReferenceBeat> read_truth(const std::filesystem::path& path, const SignalClock& clock) {
  check_readable_twice(path);
  auto beats = is_csv(path) ? read_csv(path) : read_annotated_beats(path, clock);
  std::stable_sort(beats.begin(), beats.end(), [](const auto& a, const auto& b) { return a.sample < b.sample; });
  return beats;
}

ListedBeats read_beats(const std::filesystem::path& path, const SignalClock& clock) {
  if (!is_csv(path)) return {read_truth(path, clock)};
  check_readable_twice(path);
  ListedBeats listed = read_csv_of_beats(path);
  std::ranges::stable_sort(listed.beats, {}, &ReferenceBeat::sample);
  return listed;
}

std::vector<std::string> warnings_of(const std::vector<ReferenceBeat>& truth, std::int64_t samples,
                                     const std::filesystem::path& path) {
  const auto beyond = std::ranges::count_if(truth, [&](const auto& beat) { return beat.sample >= samples; });
  if (truth.empty()) return {path.string() + " has no beats"};
  if (beyond == 0) return {};
  return {path.string() + ": " + std::to_string(beyond) + " of " + std::to_string(truth.size()) +
          " beats lie behind the end of the recording"};
}

}  // namespace beatscan
