#include "app/output/annotation_file.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "app/common/numbers.h"
#include "app/output/heart_rate.h"
#include "app/output/run_result.h"
#include "kernels/waves/beat_waves.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

namespace {

using Code = AnnotationCode;

Code code_of(char symbol) {
  switch (symbol) {
    case 'N':
      return Code::normal;
    case 'S':
      return Code::svpb;
    case 'V':
      return Code::pvc;
    case 'F':
      return Code::fusion;
    case 'Q':
      return Code::unclassifiable;
    default:
      return Code::learn;
  }
}

// Returns the text of a rhythm change. The MIT-BIH databases call SVT "(SVTA".
std::string rhythm_text(EpisodeLabel label) {
  if (label == EpisodeLabel::supraventricular_tachycardia) return "(SVTA";
  return "(" + std::string(name_of(label));
}

bool is_fibrillation(EpisodeLabel label) {
  return label == EpisodeLabel::ventricular_fibrillation || label == EpisodeLabel::ventricular_flutter;
}

// The order of marks at one sample. What ends comes first, and what begins last.
enum class Place { noise_end, episode, beat, measurement, noise_start };

struct Mark {
  std::int64_t sample;
  Code code;
  std::string text = {};
  Place place = Place::episode;
};

// Adds marks to those so far, which are in time order.
void add_in_time_order(std::vector<Mark> more, std::vector<Mark>& marks) {
  const auto order = [](const Mark& mark) { return std::pair(mark.sample, mark.place); };
  if (!std::ranges::is_sorted(more, {}, order)) std::ranges::stable_sort(more, {}, order);
  const std::ptrdiff_t before = std::ssize(marks);
  std::ranges::move(more, std::back_inserter(marks));
  std::ranges::inplace_merge(marks, marks.begin() + before, {}, order);
}

// An episode in whole samples. Of overlapping episodes, the one that began last is marked; of several such, the
// shortest. An asystole also counts as a pause; the asystole is marked.
struct Span {
  std::int64_t start, end;
  bool is_pause;
  std::size_t place;
  bool operator<(const Span& other) const {
    return std::tuple(-start, end, is_pause, place) < std::tuple(-other.start, other.end, other.is_pause, other.place);
  }
};

// Returns the union of the episodes that `fits` accepts, in whole samples.
template <class Fits>
std::vector<TimeSpan> union_of(const std::vector<Episode>& episodes, Fits&& fits) {
  std::vector<TimeSpan> spans;
  for (const Episode& episode : episodes) {
    const auto start = static_cast<double>(nearest_sample(episode.start)),
               end = static_cast<double>(nearest_sample(episode.end));
    if (!fits(episode.label) || !(end > start)) continue;
    if (!spans.empty() && start <= spans.back().end)
      spans.back().end = std::max(spans.back().end, end);
    else
      spans.push_back({start, end});
  }
  return spans;
}

// Couplets and pauses are no rhythms: within atrial fibrillation and flutter they are notes, because programs such as
// epicmp end an episode of these at any rhythm change.
std::vector<std::uint8_t> notes_in_fibrillation(const std::vector<Episode>& episodes) {
  const auto atria = union_of(episodes, [](EpisodeLabel label) {
    return label == EpisodeLabel::atrial_fibrillation || label == EpisodeLabel::atrial_flutter;
  });
  std::vector<std::uint8_t> are_notes;
  for (const Episode& episode : episodes) {
    const bool is_brief = episode.label == EpisodeLabel::ventricular_couplet || episode.label == EpisodeLabel::pause;
    are_notes.push_back(is_brief && std::ranges::any_of(atria, [&](const TimeSpan& span) {
                          return episode.start < span.end && episode.end > span.start;
                        }));
  }
  return are_notes;
}

// Returns the marks of rhythm changes.
std::vector<Mark> rhythm_marks(const std::vector<Episode>& episodes) {
  std::vector<std::pair<std::int64_t, Span>> edges;  // each episode at its start and at its end
  std::vector<Mark> marks;
  const auto are_notes = notes_in_fibrillation(episodes);
  for (std::size_t i = 0; i < episodes.size(); ++i) {
    if (are_notes[i]) {
      marks.push_back({nearest_sample(episodes[i].start), Code::note, std::string(name_of(episodes[i].label))});
      continue;
    }
    const Span span{nearest_sample(episodes[i].start), nearest_sample(episodes[i].end),
                    episodes[i].label == EpisodeLabel::pause, i};
    if (span.end > span.start) edges.insert(edges.end(), {{span.start, span}, {span.end, span}});
  }
  std::ranges::stable_sort(edges, {}, &std::pair<std::int64_t, Span>::first);
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
    if (now != before) marks.push_back({sample, Code::rhythm, open.empty() ? "(N" : rhythm_text(episodes[now].label)});
  }
  return marks;
}

// Returns the marks of episodes, those of one sample in the order of writing.
std::vector<Mark> episode_marks(const std::vector<Episode>& episodes) {
  std::vector<Mark> marks = rhythm_marks(episodes);
  for (const Episode& episode : episodes) {
    if (!is_fibrillation(episode.label)) continue;
    marks.push_back({nearest_sample(episode.start), Code::flutter_on});
    marks.push_back({nearest_sample(episode.end), Code::flutter_off});
  }
  return marks;
}

bool is_shutdown(EpisodeLabel label) { return label == EpisodeLabel::noise || label == EpisodeLabel::gap; }

// Adds the marks of shutdown, interrupted by each of the marks so far, which are in time order.
void add_shutdown(const std::vector<TimeSpan>& spans, std::vector<Mark>& marks) {
  std::vector<Mark> noise;
  const auto add = [&](std::int64_t start, std::int64_t end) {
    if (start == end) return;
    noise.push_back({start, Code::noise, {}, Place::noise_start});
    noise.push_back({end, Code::noise, {}, Place::noise_end});
  };
  for (const TimeSpan& span : spans) {
    auto start = static_cast<std::int64_t>(span.start);
    const auto end = static_cast<std::int64_t>(span.end);
    for (auto mark = std::ranges::upper_bound(marks, start, {}, &Mark::sample); mark != marks.end(); ++mark) {
      if (mark->sample >= end) break;
      add(std::exchange(start, mark->sample), mark->sample);
    }
    add(start, end);
  }
  add_in_time_order(std::move(noise), marks);
}

// Returns the marks of the heart rate, each after a beat.
std::vector<Mark> rate_marks(const std::vector<BeatMark>& beats, const std::vector<Episode>& episodes,
                             double sample_rate_hz) {
  std::vector<std::int64_t> samples;
  for (const BeatMark& beat : beats) samples.push_back(beat.sample);
  const auto breaks = union_of(episodes, [](auto label) { return is_shutdown(label) || is_fibrillation(label); });
  std::vector<Mark> marks;
  for (const auto& [sample, rate_bpm] : heart_rates(samples, breaks, sample_rate_hz))
    marks.push_back({sample + 1, Code::measurement, fixed(rate_bpm, 1), Place::measurement});
  return marks;
}

}  // namespace

std::string annotation_file(const std::vector<BeatMark>& beats, const std::vector<Episode>& episodes,
                            std::optional<double> sample_rate_hz) {
  std::vector<Mark> marks, of_beats;
  of_beats.reserve(beats.size());
  for (const BeatMark& beat : beats) of_beats.push_back({beat.sample, code_of(beat.symbol), {}, Place::beat});
  add_in_time_order(std::move(of_beats), marks);
  add_in_time_order(episode_marks(episodes), marks);
  if (sample_rate_hz) add_in_time_order(rate_marks(beats, episodes, *sample_rate_hz), marks);
  add_shutdown(union_of(episodes, is_shutdown), marks);
  AnnotationWriter writer(sample_rate_hz);
  for (const auto& [sample, code, text, place] : marks)
    writer.add(sample, code, text, 0, place == Place::noise_start ? kUnreadable : 0);
  return writer.take();
}

std::string annotation_file(const RunResult& result) {
  std::vector<BeatMark> marks;
  std::size_t row = 0;
  for (std::size_t beat = 0; beat < result.beats.found.r_peaks.size(); ++beat) {
    BeatMark mark{nearest_sample(result.beats.found.r_peaks[beat]), '?'};
    const bool has_score = row < result.beats.kept.size() && result.beats.kept[row] == static_cast<std::int64_t>(beat);
    if (has_score) mark.symbol = result.scored.scores.anomalous[row] ? 'Q' : 'N';
    if (result.classes.findings) mark.symbol = letter_of(result.classes.findings->beat_classes[beat]);
    row += has_score;
    marks.push_back(mark);
  }
  static const std::vector<Episode> kNone;
  return annotation_file(marks, result.rhythm.findings ? result.rhythm.findings->episodes.list : kNone,
                         result.input.sample_rate_hz);
}

namespace {

AnnotationCode code_of(WaveKind kind) {
  switch (kind) {
    case WaveKind::p:
      return AnnotationCode::p_wave;
    case WaveKind::qrs:
      return AnnotationCode::normal;
    case WaveKind::t:
      return AnnotationCode::t_wave;
  }
  return AnnotationCode::normal;
}

// Returns a wave in whole samples of the recording. The R peak of an atypical beat may lie outside of its QRS complex.
MarkedWave wave_in_samples(WaveKind kind, double onset, double peak, double end, const RunResult& result) {
  const auto place = [&](double sample) {
    return std::clamp<std::int64_t>(nearest_sample(sample), 0, std::max<std::int64_t>(result.input.samples - 1, 0));
  };
  MarkedWave wave{kind, place(onset), place(peak), place(end)};
  wave.end = std::max(wave.end, wave.onset);
  wave.peak = std::clamp(wave.peak, wave.onset, wave.end);
  return wave;
}

void separate_waves(std::vector<MarkedWave>& waves) {
  for (std::size_t i = 0; i + 1 < waves.size(); ++i) {
    MarkedWave &before = waves[i], &behind = waves[i + 1];
    if (before.end <= behind.onset) continue;
    const std::int64_t middle = std::clamp((before.end + behind.onset) / 2, before.peak, behind.peak);
    before.end = behind.onset = middle;
  }
}

// Returns all waves of a result in the order of their peaks, within the recording. Overlaps are removed: if one wave
// ends after the onset of the next, they are split in the middle.
std::vector<MarkedWave> marked_waves(const RunResult& result) {
  const BeatWaves& found = *result.waves.beats;
  const double values = *result.input.sample_rate_hz / waves::kValuesHz;  // samples a value
  std::vector<MarkedWave> marked;
  for (std::int64_t beat = 0; beat < found.beats(); ++beat) {
    const double r = result.beats.found.r_peaks[beat];
    const auto of_beat = found.fiducials_of(beat);
    for (const auto kind : {WaveKind::p, WaveKind::qrs, WaveKind::t}) {
      const auto wave = of_beat.subspan(3 * static_cast<std::size_t>(kind), 3);  // onset, peak, end
      if (std::ranges::any_of(wave, [](float value) { return std::isnan(value); })) continue;
      marked.push_back(wave_in_samples(kind, r + wave[0] * values, r + wave[1] * values, r + wave[2] * values, result));
    }
  }
  for (const NonConductedP& wave : found.non_conducted)
    marked.push_back(wave_in_samples(WaveKind::p, wave.onset, (wave.onset + wave.offset) / 2, wave.offset, result));
  std::ranges::stable_sort(marked, {}, &MarkedWave::peak);
  separate_waves(marked);
  return marked;
}

}  // namespace

std::string wave_annotations(const RunResult& result) {
  AnnotationWriter writer(result.input.sample_rate_hz);
  for (const MarkedWave& wave : marked_waves(result)) {
    writer.add(wave.onset, AnnotationCode::wave_onset, {}, static_cast<unsigned>(wave.kind));
    writer.add(wave.peak, code_of(wave.kind));
    writer.add(wave.end, AnnotationCode::wave_end, {}, static_cast<unsigned>(wave.kind));
  }
  return writer.take();
}

}  // namespace beatscan
