#include "app/result/annotation_file.h"

#include <charconv>

namespace beatscan {
namespace {

// Codes of annotations (ecgcodes.h), and of the words that extend an annotation.
enum Code : unsigned { kNormal = 1, kUnclassifiable = 13, kNote = 22, kLearn = 30, kSkip = 59, kAux = 63 };

// Writes little-endian words of 16 bits: a code in the upper 6, a number in the lower 10.
class Writer {
 public:
  void annotation(std::int64_t sample, Code code, std::string_view text) {
    std::int64_t after = sample - last_;
    last_ = sample;
    if (after > 1023) {
      word(kSkip, 0);
      half(static_cast<unsigned>(after >> 16));  // 32 bits as a PDP-11 had them: the upper half first
      half(static_cast<unsigned>(after));
      after = 0;
    }
    word(code, static_cast<unsigned>(after));
    if (text.empty()) return;
    word(kAux, static_cast<unsigned>(text.size()));
    bytes_ += text;
    if (text.size() % 2) bytes_ += '\0';
  }
  std::string take() {
    half(0);
    return std::move(bytes_);
  }

 private:
  void half(unsigned value) {
    bytes_ += static_cast<char>(value & 0xff);
    bytes_ += static_cast<char>(value >> 8 & 0xff);
  }
  void word(unsigned code, unsigned number) { half(code << 10 | number); }

  std::string bytes_;
  std::int64_t last_ = 0;
};

template <class Number>
std::string text_of_number(Number value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

}  // namespace

std::string annotation_file(const RunResult& result) {
  Writer writer;
  if (result.input.sample_rate_hz)
    writer.annotation(0, kNote, "## time resolution: " + text_of_number(*result.input.sample_rate_hz));
  std::size_t row = 0;
  for (std::size_t beat = 0; beat < result.beats.found.r_peaks.size(); ++beat) {
    const std::int64_t sample = nearest_sample(result.beats.found.r_peaks[beat]);
    const bool has_score = row < result.beats.kept.size() && result.beats.kept[row] == static_cast<std::int64_t>(beat);
    if (has_score)
      writer.annotation(sample, result.scored.scores.anomalous[row] ? kUnclassifiable : kNormal,
                        text_of_number(result.scored.scores.score[row]));
    else
      writer.annotation(sample, kLearn, "");
    row += has_score;
  }
  return writer.take();
}

}  // namespace beatscan
