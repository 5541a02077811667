// app/output/annotation_file.h — WFDB annotation files of a result: beats, episodes, heart rates and waves.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace beatscan {

struct Episode;
struct RunResult;

// Codes of annotations (ecgcodes.h).
enum class AnnotationCode : unsigned {
  normal = 1,
  pvc = 5,
  fusion = 6,
  svpb = 9,
  unclassifiable = 13,
  noise = 14,
  note = 22,
  measurement = 23,
  p_wave = 24,
  t_wave = 27,
  rhythm = 28,
  learn = 30,
  flutter_on = 32,
  flutter_off = 33,
  wave_onset = 39,
  wave_end = 40
};

// Returns the shortest text that reads back as the same number.
template <class Number>
std::string shortest_text(Number value) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

// Writes little-endian 16-bit words: a code in the upper 6 bits, a number in the lower 10.
class AnnotationWriter {
 public:
  // A note at the start specifies the sampling rate, if known.
  explicit AnnotationWriter(std::optional<double> sample_rate_hz) {
    if (sample_rate_hz) add(0, AnnotationCode::note, "## time resolution: " + shortest_text(*sample_rate_hz));
  }

  // Adds an annotation, no earlier than the previous one.
  //   text     at most 255 bytes
  //   number   its field `num`, from 0 to 1023
  //   subtype  its field `subtyp`, from -128 to 127
  void add(std::int64_t sample, AnnotationCode code, std::string_view text = {}, unsigned number = 0, int subtype = 0) {
    std::int64_t after = sample - last_;
    last_ = sample;
    if (after > 1023) {
      word(kSkip, 0);
      half(static_cast<unsigned>(after >> 16));  // 32 bits in PDP-11 byte order: the upper half first
      half(static_cast<unsigned>(after));
      after = 0;
    }
    word(static_cast<unsigned>(code), static_cast<unsigned>(after));
    if (subtype != 0) word(kSubtype, static_cast<unsigned>(subtype) & 0x3ff);  // of this annotation alone
    if (number != std::exchange(number_, number)) word(kNumber, number);       // applies to the following ones, too
    if (text.empty()) return;
    word(kAux, static_cast<unsigned>(text.size()));
    bytes_ += text;
    if (text.size() % 2) bytes_ += '\0';
  }

  // Returns the bytes of the whole file.
  std::string take() {
    half(0);
    return std::move(bytes_);
  }

 private:
  // Codes of words that extend an annotation.
  static constexpr unsigned kSkip = 59, kNumber = 60, kSubtype = 61, kAux = 63;

  void half(unsigned value) {
    bytes_ += static_cast<char>(value & 0xff);
    bytes_ += static_cast<char>(value >> 8 & 0xff);
  }
  void word(unsigned code, unsigned number) { half(code << 10 | number); }

  std::string bytes_;
  std::int64_t last_ = 0;
  unsigned number_ = 0;
};

// A beat as an annotation. It has no text: `epicmp` takes numbers there for levels of the ST segment.
struct BeatMark {
  std::int64_t sample;
  char symbol;  // N, S, V, F, Q or ?
};

// The subtype of the annotation `~` at which the signal becomes unreadable. Subtype 0 marks the end.
inline constexpr int kUnreadable = -1;

// Returns the file's bytes in MIT format (WFDB Programmer's Guide, annot(5)). A note at the start specifies the
// sampling rate, if known.
//
// A rhythm change `+` marks the start of an episode, with a text such as "(AFIB". Another one at its end has the text
// of the surrounding episode, or "(N" if there is none. VF and VFL also begin with `[` and end with `]`. Of episodes
// that begin at one sample, only the shortest has a mark.
//
// NOISE and GAP are shutdown: `~` marks their start and end. `bxb` takes the next annotation for the end, so each other
// annotation within interrupts them. A measurement `=` after the last beat of each 10 s has the heart rate as its text.
//   beats     ascending
//   episodes  by start
std::string annotation_file(const std::vector<BeatMark>& beats, const std::vector<Episode>& episodes,
                            std::optional<double> sample_rate_hz);

// Returns the file of a result. A beat's symbol is its class. The method published has no beat classes: a beat is N, or
// Q if it is abnormal, or ? if it has no score.
std::string annotation_file(const RunResult& result);

enum class WaveKind : unsigned { p, qrs, t };

// A wave over all leads, in samples. onset <= peak <= end.
struct MarkedWave {
  WaveKind kind;
  std::int64_t onset, peak, end;
};

// Returns the file's bytes: ( p ), ( N ) and ( t ) at onset, peak and end of each wave. The field `num` of both
// brackets is 0 for P, 1 for QRS and 2 for T. A note at the start specifies the sampling rate.
std::string wave_annotations(const RunResult& result);

}  // namespace beatscan
