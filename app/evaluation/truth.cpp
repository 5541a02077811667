#include "app/evaluation/truth.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "app/files/small_csv.h"
#include "app/files/whole_file.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr std::string_view kBeatSymbols = "NLRBejAaJSVEF/fQnr?";

std::vector<ReferenceBeat> read_csv(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 2> kColumns = {"sample", "symbol"};
  std::vector<ReferenceBeat> beats;
  for_each_row(path, kColumns, [&](std::span<const std::string_view> cells, std::int64_t line) {
    const auto sample = parse_int64(cells[0]);
    if (!sample || *sample < 0)
      fail_at_line(path, line, quoted(cells[0]) + " is not a sample number; give a whole number from 0");
    if (cells[1].size() != 1 || !class_of(cells[1][0]))
      fail_at_line(
          path, line,
          quoted(cells[1]) + " is not a beat symbol; use one of " + std::string(kBeatSymbols) + " or remove the line");
    beats.push_back({*sample, cells[1][0]});
  });
  return beats;
}

// The MIT annotation format is a row of little-endian 16-bit words. A word has a code in the upper 6 bits and a number
// in the lower 10. For an annotation the number is the time since the one before; for some codes it is something else.
// Source: WFDB Programmer's Guide, annot(5) and ecgcodes.h.
enum Code : unsigned { kSkip = 59, kNum = 60, kSub = 61, kChn = 62, kAux = 63 };

// The symbol of every code up to 41 that stands for a beat. The other codes have a blank.
constexpr std::string_view kBeatOfCode = " NLRaVFJASEj/Q           B    ?   en  f  r";
static_assert(kBeatOfCode.size() == 42);

class AnnotationBytes {
 public:
  AnnotationBytes(const std::filesystem::path& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  std::uint32_t word() {
    require(2);
    const std::uint32_t value = byte(at_) | byte(at_ + 1) << 8;
    at_ += 2;
    return value;
  }

  // Reads 32 bits in the order of a PDP-11: the upper word comes first.
  std::int32_t long_word() {
    const std::uint32_t upper = word();
    return static_cast<std::int32_t>(upper << 16 | word());
  }

  std::string_view take(std::size_t count) {
    require(count);
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorKind::input, path_.string() + ": byte " + std::to_string(at_), what);
  }

 private:
  std::uint32_t byte(std::size_t i) const { return static_cast<unsigned char>(bytes_[i]); }

  void require(std::size_t count) const {
    if (bytes_.size() - at_ < count)
      refuse("the file ends before its end mark; give a whole WFDB annotation file, or CSV in a file named *.csv");
  }

  const std::filesystem::path& path_;
  std::string_view bytes_;
  std::size_t at_ = 0;
};

// The clock that a note gives; nothing if it is another note.
std::optional<double> clock_of(std::string_view note) {
  constexpr std::string_view kNote = "## time resolution: ";
  double hz = 0;
  if (!note.starts_with(kNote)) return std::nullopt;
  note.remove_prefix(kNote.size());
  std::from_chars(note.data(), note.data() + note.size(), hz);
  return hz > 0 && hz <= 1e9 ? std::optional(hz) : std::nullopt;
}

// Samples of the signal for one tick of the annotation file.
double samples_per_tick(const SignalClock& clock, std::optional<double> ticks_hz) {
  if (ticks_hz && clock.sample_rate_hz) return *clock.sample_rate_hz / *ticks_hz;
  return static_cast<double>(clock.samples_per_frame);
}

std::vector<ReferenceBeat> read_annotations(const std::filesystem::path& path, const SignalClock& clock) {
  const std::string contents = read_whole_file(path);
  AnnotationBytes bytes(path, contents);
  std::vector<ReferenceBeat> beats;
  std::optional<double> ticks_hz;
  std::int64_t sample = 0;
  for (std::uint32_t word; (word = bytes.word()) != 0;) {
    const std::uint32_t code = word >> 10, number = word & 0x3ff;
    if (code == kSkip) {
      sample += bytes.long_word();
    } else if (code == kAux) {
      const auto note = bytes.take(number + number % 2);  // notes fill whole words
      if (sample == 0 && !ticks_hz) ticks_hz = clock_of(note);
    } else if (code != kNum && code != kSub && code != kChn) {
      sample += number;
      const char symbol = code < kBeatOfCode.size() ? kBeatOfCode[code] : ' ';
      if (symbol == ' ') continue;
      if (sample < 0) bytes.refuse("a beat before the start of the recording; the annotation file is damaged");
      beats.push_back({sample, symbol});
    }
  }
  if (const double scale = samples_per_tick(clock, ticks_hz); scale != 1)
    for (auto& beat : beats) {
      const double sample = static_cast<double>(beat.sample) * scale;
      if (!(sample < 0x1p53)) bytes.refuse("a beat behind the end of any recording; its clock or the file is damaged");
      beat.sample = std::llround(sample);
    }
  return beats;
}

// Refuses what cannot be read twice. A truth is read before a run, and again after the training, when the clock of the
// recording is known.
void check_readable_twice(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_other(std::filesystem::status(path, unknown)))
    fail(ErrorKind::input, path.string(), "is a device or a pipe; give a file");
}

bool is_csv(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".csv";
}

}  // namespace

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
  auto beats = is_csv(path) ? read_csv(path) : read_annotations(path, clock);
  std::stable_sort(beats.begin(), beats.end(), [](const auto& a, const auto& b) { return a.sample < b.sample; });
  return beats;
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
