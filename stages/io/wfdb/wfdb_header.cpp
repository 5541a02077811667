#include "stages/io/wfdb/wfdb_header.h"

#include <cmath>

#include "kernels/csv/decimal.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/from_chars.h"

namespace beatscan {
namespace {

constexpr double kMostSamples = 1e15;                         // no file is that long
constexpr double kSmallestGain = 1e-12, kLargestGain = 1e12;  // beyond, float32 cannot hold the values
constexpr std::int64_t kMostSignals = 10'000, kMostSegments = 100'000;
constexpr std::int64_t kMostSamplesPerFrame = 1 << 20;

std::string quoted(std::string_view text) {
  return "'" + std::string(text.substr(0, 40)) + (text.size() > 40 ? "…'" : "'");
}

// A line, from whose front words are taken.
class Line {
 public:
  Line(std::string_view text, std::int64_t number, const std::string& path)
      : text_(text), number_(number), path_(&path) {}

  // Throws ErrorKind::input naming this line.
  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorKind::input, *path_ + ":" + std::to_string(number_), what);
  }

  // Takes the next word; returns an empty one at the end.
  std::string_view word() {
    skip_blanks();
    const auto end = std::min(text_.find_first_of(" \t"), text_.size());
    const auto found = text_.substr(0, end);
    text_.remove_prefix(end);
    return found;
  }
  std::string_view rest() {
    skip_blanks();
    return text_;
  }

  double number(std::string_view text, const char* what) const {
    double value = 0;
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      refuse(std::string(what) + " " + quoted(text) + " is not a number");
    return value;
  }
  std::int64_t whole(std::string_view text, const char* what, double least, double most) const {
    const double value = number(text, what);
    if (value != std::floor(value)) refuse(std::string(what) + " " + quoted(text) + " is not a whole number");
    if (!(value >= least && value <= most)) refuse(std::string(what) + " " + quoted(text) + " is out of range");
    return static_cast<std::int64_t>(value);
  }

 private:
  void skip_blanks() { text_.remove_prefix(std::min(text_.find_first_not_of(" \t"), text_.size())); }
  std::string_view text_;
  std::int64_t number_;
  const std::string* path_;
};

// Hands out the lines that are neither blank nor comments.
class Lines {
 public:
  Lines(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::optional<Line> next() {
    while (!text_.empty()) {
      const auto end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++number_;
      while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
      if (!line.empty() && line.front() != '#') return Line(line, number_, path_);
    }
    return std::nullopt;
  }

 private:
  std::string_view text_;
  const std::string& path_;
  std::int64_t number_ = 0;
};

// Takes the text before `mark`, or all of it, and the mark itself. Sets `found` to whether the mark was there.
std::string_view before(std::string_view& text, char mark, bool* found = nullptr) {
  const auto end = std::min(text.find(mark), text.size());
  const auto part = text.substr(0, end);
  if (found) *found = end < text.size();
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

void parse_format(const Line& line, std::string_view word, WfdbSignal& signal) {
  const auto digits = [&] {
    std::size_t count = 0;
    while (count < word.size() && decimal::is_digit(word[count])) ++count;
    const auto part = word.substr(0, count);
    word.remove_prefix(count);
    return part;
  };
  const auto part = [&](char mark, const char* what, double least, double most, std::int64_t& target) {
    if (!word.starts_with(mark)) return;
    word.remove_prefix(1);
    target = line.whole(digits(), what, least, most);
  };
  const std::string_view all = word;
  signal.format = static_cast<int>(line.whole(digits(), "format", 0, 100'000));
  part('x', "samples per frame", 1, kMostSamplesPerFrame, signal.samples_per_frame);
  part(':', "skew", 0, kMostSamples, signal.skew);
  part('+', "byte offset", 0, kMostSamples, signal.offset);
  if (!word.empty()) line.refuse("format " + quoted(all) + " is not FORMAT[xSAMPLES][:SKEW][+OFFSET]");
}

// Parses GAIN[(BASELINE)][/UNIT]; returns whether there is a baseline.
bool parse_gain(const Line& line, std::string_view word, WfdbSignal& signal) {
  const std::string_view all = word;
  bool has_unit = false, has_baseline = false;
  std::string_view value = before(word, '/', &has_unit);
  std::string_view gain = before(value, '(', &has_baseline);
  const double given = line.number(gain, "gain");
  if (given == 0) {
    signal.unit.clear();
  } else {
    if (!(std::abs(given) >= kSmallestGain && std::abs(given) <= kLargestGain))
      line.refuse("gain " + quoted(gain) + " is out of range");
    signal.gain = given;
    if (has_unit) signal.unit = word;
  }
  if (has_baseline) {
    if (!value.ends_with(')')) line.refuse("gain " + quoted(all) + " is not GAIN(BASELINE)/UNIT");
    signal.baseline = static_cast<double>(line.whole(value.substr(0, value.size() - 1), "baseline", -0x1p31, 0x1p31));
  }
  return has_baseline;
}

WfdbSignal parse_signal(Line line, std::size_t position) {
  WfdbSignal signal;
  signal.file = line.word();
  signal.name = std::to_string(position);
  parse_format(line, line.word(), signal);
  const auto gain = line.word();
  bool has_baseline = false;
  if (gain.empty())
    signal.unit.clear();
  else
    has_baseline = parse_gain(line, gain, signal);
  if (const auto bits = line.word(); !bits.empty()) line.whole(bits, "ADC resolution", 0, 64);
  std::int64_t zero = 0;
  if (const auto word = line.word(); !word.empty()) zero = line.whole(word, "ADC zero", -0x1p31, 0x1p31);
  if (!has_baseline) signal.baseline = static_cast<double>(zero);
  signal.initial = zero;
  if (const auto word = line.word(); !word.empty()) signal.initial = line.whole(word, "initial value", -0x1p31, 0x1p31);
  if (const auto word = line.word(); !word.empty())
    if (const auto sum = line.whole(word, "checksum", -0x1p31, 0x1p32); sum != 0)
      signal.checksum = static_cast<int>(sum & 0xffff);
  if (const auto word = line.word(); !word.empty()) line.whole(word, "block size", 0, kMostSamples);
  if (const auto name = line.rest(); !name.empty()) signal.name = name;
  return signal;
}

// Returns the start by a base time H:M:S[.f] and a base date D/M/Y. Nothing if the time is not of that form: wfdb's own
// programs ignore it, too.
std::optional<StartTime> parse_start(std::string_view time, std::string_view date) {
  WrittenStart start;
  const auto take = [](std::string_view part, auto& value) {
    const auto [end, error] = from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size();
  };
  const auto hour = before(time, ':'), minute = before(time, ':');
  if (!take(hour, start.hour) || !take(minute, start.minute) || !take(time, start.second)) return std::nullopt;
  const auto day = before(date, '/'), month = before(date, '/');
  if (!take(day, start.day) || !take(month, start.month) || !take(date, start.year)) start.day = 0;
  return start_time(start);
}

// The number of lines that a record line specifies.
struct Announced {
  std::int64_t signals;
  std::optional<std::int64_t> segments;  // nothing for a record without segments
};

// Parses the record line: NAME[/SEGMENTS] SIGNALS [RATE[/COUNTER[(BASE)]]] [FRAMES] [TIME] [DATE].
Announced parse_record(Line line, WfdbHeader& header) {
  std::string_view name = line.word();
  bool has_segments = false;
  before(name, '/', &has_segments);
  Announced announced{};
  if (has_segments) announced.segments = line.whole(name, "number of segments", 1, kMostSamples);
  const auto signals = line.word();
  if (signals.empty()) line.refuse("is no record line: NAME SIGNALS [RATE] [SAMPLES] is needed");
  announced.signals = line.whole(signals, "number of signals", 0, kMostSamples);
  if (auto rate = line.word(); !rate.empty()) {
    const auto frequency = before(rate, '/');
    const double hz = line.number(frequency, "sampling frequency");
    if (!(hz > 0 && hz <= 1e9)) line.refuse("sampling frequency " + quoted(frequency) + " is out of range");
    header.frame_rate_hz = hz;
  }
  if (const auto frames = line.word(); !frames.empty())
    header.frames = line.whole(frames, "number of samples", 0, kMostSamples);
  const auto time = line.word(), date = line.word();
  header.start = parse_start(time, date);
  return announced;
}

}  // namespace

WfdbHeader parse_wfdb_header(std::string_view text, const std::string& path) {
  if (const auto nul = text.find('\0'); nul != text.npos)
    fail(ErrorKind::input, path, "byte " + std::to_string(nul) + " is NUL: this is no WFDB header");
  WfdbHeader header;
  Lines lines(text, path);
  const auto first = lines.next();
  if (!first) fail(ErrorKind::input, path, "is empty; a WFDB header has a record line");
  const Announced announced = parse_record(*first, header);
  const bool of_segments = announced.segments.has_value();
  const std::int64_t wanted = of_segments ? *announced.segments : announced.signals;
  const std::int64_t most = of_segments ? kMostSegments : kMostSignals;
  std::int64_t seen = 0;
  for (auto line = lines.next(); line && seen < wanted; line = lines.next(), ++seen) {
    if (seen == most) line->refuse("more than " + std::to_string(most) + (of_segments ? " segments" : " signals"));
    if (!of_segments) {
      header.signals.push_back(parse_signal(*line, header.signals.size()));
      continue;
    }
    std::string name(line->word());
    header.segments.push_back({std::move(name), line->whole(line->word(), "number of samples", 0, kMostSamples)});
  }
  if (seen < wanted)
    fail(ErrorKind::input, path,
         "has " + counted(seen, of_segments ? "segment" : "signal") + " where the record line says " +
             std::to_string(wanted));
  return header;
}

}  // namespace beatscan
