#include "app/evaluation/annotations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "app/evaluation/truth.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/from_chars.h"
#include "stages/io/edf/edf_events.h"
#include "stages/io/edf/edf_file.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {

namespace {

// The MIT annotation format is a sequence of little-endian 16-bit words. The upper 6 bits are a code, the lower 10 a
// number. For an annotation, the number is the time since the previous one; some codes use it otherwise. Source: WFDB
// Programmer's Guide, annot(5) and ecgcodes.h.
enum Code : unsigned { kSkip = 59, kNum = 60, kSub = 61, kChn = 62, kAux = 63 };

// The symbols of the codes up to 41 that are read: beats, rhythm changes (+), start and end of ventricular flutter ([
// and ]), changes of signal quality (~), measurements (=), and waves with their onset and end (( and )) and peak (p, t
// and u). The other codes have a blank.
constexpr std::string_view kSymbolOfCode = " NLRaVFJASEj/Q~        =pB t+u? []en  f()r";
static_assert(kSymbolOfCode.size() == 42);

class AnnotationBytes {
 public:
  AnnotationBytes(const std::filesystem::path& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

  std::uint32_t word() {
    require(2);
    const std::uint32_t value = byte(at_) | byte(at_ + 1) << 8;
    at_ += 2;
    return value;
  }

  // Reads 32 bits in PDP-11 byte order: the upper word comes first.
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

// Returns the clock in a note; nullopt for any other note.
std::optional<double> clock_of(std::string_view note) {
  constexpr std::string_view kNote = "## time resolution: ";
  double hz = 0;
  if (!note.starts_with(kNote)) return std::nullopt;
  note.remove_prefix(kNote.size());
  from_chars(note.data(), note.data() + note.size(), hz);
  return hz > 0 && hz <= 1e9 ? std::optional(hz) : std::nullopt;
}

// Signal samples per tick of the annotation file.
double samples_per_tick(const SignalClock& clock, std::optional<double> ticks_hz) {
  if (ticks_hz && clock.sample_rate_hz) return *clock.sample_rate_hz / *ticks_hz;
  return static_cast<double>(clock.samples_per_frame);
}

// Converts ticks of the file to samples of the signal.
void scale_times(std::vector<Annotation>& annotations, double scale, const AnnotationBytes& bytes) {
  if (scale == 1) return;
  for (auto& annotation : annotations) {
    const double sample = static_cast<double>(annotation.sample) * scale;
    if (!(sample < 0x1p53)) bytes.refuse("a time beyond the end of any recording; its clock or the file is damaged");
    annotation.sample = std::llround(sample);
  }
}

// Returns the annotations of an EDF+ file as WFDB has them: a text of one character that WFDB has for a beat or a mark
// is its symbol, and one that begins with a bracket, as "(AFIB", a rhythm. Others have a blank for a symbol.
std::vector<Annotation> annotations_of_edf(const InputFile& file, const SignalClock& clock) {
  std::vector<Annotation> annotations;
  for (auto& event : edf_events(file)) {
    const double sample = event.time_s * clock.sample_rate_hz.value_or(1);
    if (!(sample > -0.5 && sample < 0x1p53)) continue;
    const bool is_rhythm = event.text.size() > 1 && event.text[0] == '(';
    const bool is_symbol = event.text.size() == 1 && kSymbolOfCode.find(event.text[0]) != kSymbolOfCode.npos;
    annotations.push_back({std::llround(sample), is_rhythm ? '+' : is_symbol ? event.text[0] : ' ', event.text});
  }
  return annotations;
}

}  // namespace

std::vector<Annotation> read_annotations(const std::filesystem::path& path, const SignalClock& clock) {
  const std::string contents = read_whole_file(path);
  constexpr std::string_view kEdf = "0       ", kBdf = "\xff\x42IOSEMI";
  if (contents.starts_with(kEdf) || contents.starts_with(kBdf))
    if (const InputFile file(path); is_edf(file)) return annotations_of_edf(file, clock);
  AnnotationBytes bytes(path, contents);
  std::vector<Annotation> annotations;
  std::optional<double> ticks_hz;
  std::int64_t sample = 0;
  for (std::uint32_t word; (word = bytes.word()) != 0;) {
    const std::uint32_t code = word >> 10, number = word & 0x3ff;
    if (code == kSkip) {
      sample += bytes.long_word();
    } else if (code == kAux) {
      const auto note = bytes.take(number + number % 2).substr(0, number);  // notes are padded to whole words
      if (sample == 0 && !ticks_hz) ticks_hz = clock_of(note);
      if (!annotations.empty()) annotations.back().note = note.substr(0, note.find('\0'));
    } else if (code == kSub) {
      if (!annotations.empty()) annotations.back().subtype = static_cast<std::int8_t>(number & 0xff);
    } else if (code != kNum && code != kChn) {
      sample += number;
      const char symbol = code < kSymbolOfCode.size() ? kSymbolOfCode[code] : ' ';
      constexpr std::string_view kAnywhere = " ~=";
      if (sample < 0 && kAnywhere.find(symbol) == kAnywhere.npos)
        bytes.refuse("an annotation before the start of the recording; the file is damaged: copy it again");
      annotations.push_back({sample, symbol, {}});
    }
  }
  scale_times(annotations, samples_per_tick(clock, ticks_hz), bytes);
  return annotations;
}

std::optional<double> clock_of_annotations(const std::filesystem::path& path) {
  for (const Annotation& annotation : read_annotations(path, {})) {
    if (annotation.sample > 0) break;
    if (const auto hz = clock_of(annotation.note)) return hz;
  }
  return std::nullopt;
}

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
  for (const auto& [at, symbol, note, subtype] : read_annotations(path, clock)) {
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
