#include "app/result/files/annotation_file.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "app/result/run_result.h"
#include "stages/episodes/episode.h"

namespace beatscan {
namespace {

// Codes of annotations (ecgcodes.h), and of the words that extend an annotation.
enum Code : unsigned {
  kNormal = 1,
  kPvc = 5,
  kFusion = 6,
  kSvpb = 9,
  kUnclassifiable = 13,
  kNote = 22,
  kRhythm = 28,
  kLearn = 30,
  kFlutterOn = 32,
  kFlutterOff = 33,
  kSkip = 59,
  kAux = 63
};

Code code_of(char symbol) {
  switch (symbol) {
    case 'N':
      return kNormal;
    case 'S':
      return kSvpb;
    case 'V':
      return kPvc;
    case 'F':
      return kFusion;
    case 'Q':
      return kUnclassifiable;
    default:
      return kLearn;
  }
}

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

// Returns the text of a rhythm change. The MIT-BIH databases call SVT "(SVTA".
std::string rhythm_text(EpisodeLabel label) {
  if (label == EpisodeLabel::supraventricular_tachycardia) return "(SVTA";
  return "(" + std::string(name_of(label));
}

bool is_fibrillation(EpisodeLabel label) {
  return label == EpisodeLabel::ventricular_fibrillation || label == EpisodeLabel::ventricular_flutter;
}

struct Mark {
  std::int64_t sample;
  Code code;
  std::string text;
};

// An episode in whole samples. Of overlapping episodes the one that began last is marked; of several such the shortest.
// An asystole is a pause, too, and is marked as what is worse.
struct Span {
  std::int64_t start, end;
  bool is_pause;
  std::size_t place;
  bool operator<(const Span& other) const {
    return std::tuple(-start, end, is_pause, place) < std::tuple(-other.start, other.end, other.is_pause, other.place);
  }
};

// Returns the rhythm changes.
std::vector<Mark> rhythm_marks(const std::vector<Episode>& episodes) {
  std::vector<std::pair<std::int64_t, Span>> edges;  // each episode at its start and at its end
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    const Span span{nearest_sample(episodes[i].start), nearest_sample(episodes[i].end),
                    episodes[i].label == EpisodeLabel::pause, i};
    if (span.end > span.start) edges.insert(edges.end(), {{span.start, span}, {span.end, span}});
  }
  std::ranges::stable_sort(edges, {}, &std::pair<std::int64_t, Span>::first);
  std::vector<Mark> marks;
  std::set<Span> open;
  for (std::size_t i = 0; i < edges.size();) {
    const std::int64_t sample = edges[i].first;
    const auto before = open.empty() ? episodes.size() : open.begin()->place;
    for (; i < edges.size() && edges[i].first == sample; ++i)
      if (edges[i].second.start == sample)
        open.insert(edges[i].second);
      else
        open.erase(edges[i].second);
    const auto now = open.empty() ? episodes.size() : open.begin()->place;
    if (now != before) marks.push_back({sample, kRhythm, open.empty() ? "(N" : rhythm_text(episodes[now].label)});
  }
  return marks;
}

// Returns all marks of episodes, in order of time.
std::vector<Mark> marks_of(const std::vector<Episode>& episodes) {
  std::vector<Mark> marks = rhythm_marks(episodes);
  for (const Episode& episode : episodes) {
    if (!is_fibrillation(episode.label)) continue;
    marks.push_back({nearest_sample(episode.start), kFlutterOn, ""});
    marks.push_back({nearest_sample(episode.end), kFlutterOff, ""});
  }
  std::ranges::stable_sort(marks, {}, &Mark::sample);
  return marks;
}

}  // namespace

std::string annotation_file(const std::vector<BeatMark>& beats, const std::vector<Episode>& episodes,
                            std::optional<double> sample_rate_hz) {
  Writer writer;
  if (sample_rate_hz) writer.annotation(0, kNote, "## time resolution: " + text_of_number(*sample_rate_hz));
  const auto marks = marks_of(episodes);
  auto mark = marks.begin();
  const auto write_marks = [&](std::int64_t through) {
    for (; mark != marks.end() && mark->sample <= through; ++mark)
      writer.annotation(mark->sample, mark->code, mark->text);
  };
  for (const BeatMark& beat : beats) {
    write_marks(beat.sample);
    writer.annotation(beat.sample, code_of(beat.symbol), beat.text);
  }
  write_marks(std::numeric_limits<std::int64_t>::max());
  return writer.take();
}

std::string annotation_file(const RunResult& result) {
  std::vector<BeatMark> marks;
  std::size_t row = 0;
  for (std::size_t beat = 0; beat < result.beats.found.r_peaks.size(); ++beat) {
    BeatMark mark{nearest_sample(result.beats.found.r_peaks[beat]), '?', ""};
    const bool has_score = row < result.beats.kept.size() && result.beats.kept[row] == static_cast<std::int64_t>(beat);
    if (has_score) {
      mark.symbol = result.scored.scores.anomalous[row] ? 'Q' : 'N';
      mark.text = text_of_number(result.scored.scores.score[row]);
    }
    if (result.findings) mark.symbol = letter_of(result.findings->kinds[beat]);
    row += has_score;
    marks.push_back(std::move(mark));
  }
  static const std::vector<Episode> kNone;
  return annotation_file(marks, result.rhythm ? result.rhythm->episodes.list : kNone, result.input.sample_rate_hz);
}

}  // namespace beatscan
