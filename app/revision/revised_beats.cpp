#include "app/revision/revised_beats.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "kernels/runtime/context.h"
#include "stages/common/number_text.h"
#include "stages/rhythm/episodes.h"
#include "stages/rhythm/intervals.h"
#include "stages/rhythm/rhythm_findings.h"

namespace beatscan {
namespace {

std::string at_time(double seconds) { return " at " + number_text(seconds, 9) + " s"; }

// Returns the posteriors of a beat whose class is certain. A fusion beat counts as ventricular, a paced one as unknown.
std::array<float, kPosteriorClasses> certain_posteriors(BeatClass beat_class) {
  std::array<float, kPosteriorClasses> p{};
  constexpr int kPlaces[kBeatClassCount] = {kClassN, kClassS, kClassV, kClassV, kClassX};
  p[kPlaces[static_cast<std::size_t>(beat_class)]] = 1;
  return p;
}

// What happens to the beats of a result.
struct Edits {
  std::vector<BeatClass> classes;                             // [K]
  std::vector<std::uint8_t> corrected, deleted, keeps_shape;  // [K]
  std::map<double, BeatClass> inserted;                       // by sample
};

// Returns the beat nearest to a time, and not deleted; -1 if none is within kSameBeat_s.
std::int64_t nearest_beat(const StoredRhythm& rhythm, const Edits& edits, double time_s) {
  const double sample = time_s * rhythm.sample_rate_hz, reach = kSameBeat_s * rhythm.sample_rate_hz;
  std::int64_t best = -1;
  const auto first = std::ranges::lower_bound(rhythm.r_peaks, sample - reach) - rhythm.r_peaks.begin();
  for (std::int64_t i = first; i < rhythm.beats() && rhythm.r_peaks[i] <= sample + reach; ++i)
    if (!edits.deleted[i] &&
        (best < 0 || std::abs(rhythm.r_peaks[i] - sample) < std::abs(rhythm.r_peaks[best] - sample)))
      best = i;
  return best;
}

void correct_templates(const BeatsToRevise& beats, const Corrections& corrections, Edits& edits,
                       RevisedBeats& revised) {
  for (const TemplateCorrection& its : corrections.templates) {
    std::int64_t number = its.number.value_or(-1);
    if (its.time_s) {
      const std::int64_t beat = nearest_beat(beats.rhythm, edits, *its.time_s);
      number = beat < 0 ? -1 : beats.templates[beat];
    }
    if (number < 0 || number >= std::ssize(revised.template_classes)) {
      revised.unmatched.push_back("no template" +
                                  (its.time_s ? at_time(*its.time_s) : " " + std::to_string(its.number.value_or(-1))));
      continue;
    }
    revised.template_classes[number] = its.beat_class;
    ++revised.counts.templates;
    for (std::int64_t i = 0; i < beats.rhythm.beats(); ++i)
      if (beats.templates[i] == number) edits.classes[i] = its.beat_class, edits.corrected[i] = 1;
  }
}

// Returns the inserted beat nearest to a sample, within `reach`; the end if there is none.
std::map<double, BeatClass>::iterator nearest_inserted(Edits& edits, double sample, double reach) {
  auto best = edits.inserted.end();
  for (auto it = edits.inserted.lower_bound(sample - reach); it != edits.inserted.end() && it->first <= sample + reach;
       ++it)
    if (best == edits.inserted.end() || std::abs(it->first - sample) < std::abs(best->first - sample)) best = it;
  return best;
}

constexpr double kNear_s = 0.05;  // no heart beats twice in this time

void insert_beat(const StoredRhythm& rhythm, const BeatCorrection& its, Edits& edits, RevisedBeats& revised) {
  const double sample = its.time_s * rhythm.sample_rate_hz, near = kNear_s * rhythm.sample_rate_hz;
  const std::int64_t beat = nearest_beat(rhythm, edits, its.time_s);
  const bool is_there = (beat >= 0 && std::abs(rhythm.r_peaks[beat] - sample) < near) ||
                        nearest_inserted(edits, sample, near) != edits.inserted.end();
  if (is_there || sample > rhythm.samples - 1) {
    revised.unmatched.push_back((is_there ? "a beat is there already" : "the recording has ended") +
                                at_time(its.time_s));
    return;
  }
  edits.inserted.emplace(sample, its.beat_class);
  ++revised.counts.inserted;
}

// Says whether the beat nearest to a sample is one that was deleted.
bool is_deleted_already(const StoredRhythm& rhythm, const Edits& edits, double sample) {
  const auto after = std::ranges::lower_bound(rhythm.r_peaks, sample) - rhythm.r_peaks.begin();
  std::int64_t best = -1;
  for (const std::int64_t i : {after - 1, after})
    if (i >= 0 && i < rhythm.beats() &&
        (best < 0 || std::abs(rhythm.r_peaks[i] - sample) < std::abs(rhythm.r_peaks[best] - sample)))
      best = i;
  return best >= 0 && edits.deleted[best] && std::abs(rhythm.r_peaks[best] - sample) <= kNear_s * rhythm.sample_rate_hz;
}

// Deletes or reclassifies the beat at a time, be it one of the result or an inserted one.
void change_beat(const StoredRhythm& rhythm, const BeatCorrection& its, Edits& edits, RevisedBeats& revised) {
  const double sample = its.time_s * rhythm.sample_rate_hz;
  const bool removes = its.action == BeatAction::remove;
  if (removes && is_deleted_already(rhythm, edits, sample)) return;
  const std::int64_t beat = nearest_beat(rhythm, edits, its.time_s);
  const auto inserted = nearest_inserted(edits, sample, kSameBeat_s * rhythm.sample_rate_hz);
  const bool is_inserted = inserted != edits.inserted.end() &&
                           (beat < 0 || std::abs(inserted->first - sample) < std::abs(rhythm.r_peaks[beat] - sample));
  if (is_inserted) {
    if (!removes) inserted->second = its.beat_class;
    if (removes) edits.inserted.erase(inserted), --revised.counts.inserted;
  } else if (beat < 0) {
    revised.unmatched.push_back("no beat" + at_time(its.time_s));
  } else if (removes) {
    edits.deleted[beat] = 1;
    ++revised.counts.deleted;
  } else {
    edits.classes[beat] = its.beat_class;
    edits.corrected[beat] = 1;
    edits.keeps_shape[beat] = 0;
    ++revised.counts.reclassified;
  }
}

// Appends an original beat, or one that was inserted.
void append_beat(const BeatsToRevise& beats, const Edits& edits, std::int64_t origin, RevisedBeats& revised) {
  const StoredRhythm& from = beats.rhythm;
  StoredRhythm& to = revised.rhythm;
  const bool corrected = edits.corrected[origin];
  to.r_peaks.push_back(from.r_peaks[origin]);
  to.beat_classes.push_back(edits.classes[origin]);
  to.quality.push_back(from.quality[origin]);
  to.paced.push_back(corrected ? 0 : from.paced[origin]);
  const auto own = certain_posteriors(edits.classes[origin]);
  const float* stored = &from.posteriors[origin * kPosteriorClasses];
  to.posteriors.insert(to.posteriors.end(), corrected ? own.data() : stored,
                       (corrected ? own.data() : stored) + kPosteriorClasses);
  revised.origin.push_back(origin);
  revised.is_corrected.push_back(corrected);
  revised.has_template.push_back(beats.templates[origin] >= 0 && edits.keeps_shape[origin]);
}

void append_inserted(double sample, BeatClass beat_class, const std::vector<TimeSpan>& poor, RevisedBeats& revised) {
  StoredRhythm& to = revised.rhythm;
  to.r_peaks.push_back(sample);
  to.beat_classes.push_back(beat_class);
  const bool is_poor = std::ranges::any_of(poor, [&](const TimeSpan& span) {
    return sample >= span.start * to.sample_rate_hz && sample < span.end * to.sample_rate_hz;
  });
  to.quality.push_back(is_poor ? Quality::noisy : Quality::good);
  to.paced.push_back(0);
  const auto own = certain_posteriors(beat_class);
  to.posteriors.insert(to.posteriors.end(), own.begin(), own.end());
  revised.origin.push_back(-1);
  revised.is_corrected.push_back(1);
  revised.has_template.push_back(0);
}

// Merges the beats that remain with those that were inserted.
void merge_beats(const BeatsToRevise& beats, const Edits& edits, RevisedBeats& revised) {
  auto next = edits.inserted.begin();
  for (std::int64_t i = 0; i < beats.rhythm.beats(); ++i) {
    for (; next != edits.inserted.end() && next->first < beats.rhythm.r_peaks[i]; ++next)
      append_inserted(next->first, next->second, beats.poor, revised);
    if (!edits.deleted[i]) append_beat(beats, edits, i, revised);
  }
  for (; next != edits.inserted.end(); ++next) append_inserted(next->first, next->second, beats.poor, revised);
}

// Sets the intervals from those of the original that each of them touches.
void set_intervals(const StoredRhythm& from, StoredRhythm& to) {
  const std::int64_t last = from.beats() - 1;
  const double too_short = EvidenceOptions().silent_least_s * from.sample_rate_hz;  // to be looked at for silence
  for (std::int64_t i = 0; i + 1 < to.beats(); ++i) {
    const auto low = std::ranges::upper_bound(from.r_peaks, to.r_peaks[i]) - from.r_peaks.begin() - 1;
    const auto high = std::ranges::lower_bound(from.r_peaks, to.r_peaks[i + 1]) - from.r_peaks.begin() - 1;
    bool broken = false, silent = true;
    float certain = 1;
    for (std::int64_t j = std::max<std::int64_t>(low, 0); j <= std::min(high, last - 1); ++j) {
      const bool is_short = high > low && from.r_peaks[j + 1] - from.r_peaks[j] < too_short;
      broken |= from.broken[j] != 0;
      silent &= from.evidence.silent[j] != 0 || is_short;
      if (from.evidence.silent[j]) certain = std::min(certain, from.evidence.certainty_of(j));
    }
    if (low < 0) silent &= from.evidence.certain_start > 0;
    if (high >= last) silent &= from.evidence.certain_end > 0;
    to.broken.push_back(broken);
    to.evidence.silent.push_back(silent);
    to.evidence.certain.push_back(certain);
  }
}

// Returns the model's state of a label that it decides; -1 where it decides none.
int state_of(const Rhythms& rhythms, EpisodeLabel label) {
  for (std::size_t s = 0; s < rhythms.states.size(); ++s)
    if (rhythms.decides[s] && label_of_state(rhythms.states[s]) == label) return static_cast<int>(s);
  return -1;
}

// Pages give times to a millisecond, and files to a sample: edges as near as that are the same.
double nearness_s(const StoredRhythm& rhythm) { return 0.002 + 1 / rhythm.sample_rate_hz; }

// Gives a span the state `now`, where it had the state `before`; -1: whatever it had. Its ends are those of segments of
// that state that are as near as `near_s`.
void set_rhythm(Rhythms& rhythms, double from_s, double to_s, int before, int now, double near_s) {
  for (const RhythmSegment& its : rhythms.segments) {
    if (before >= 0 && its.state != before) continue;
    if (std::abs(its.start_s - from_s) <= near_s) from_s = its.start_s;
    if (std::abs(its.end_s - to_s) <= near_s) to_s = its.end_s;
  }
  std::vector<RhythmSegment> segments;
  for (const RhythmSegment& its : rhythms.segments) {
    const double start = std::max(its.start_s, from_s), end = std::min(its.end_s, to_s);
    if (end <= start || (before >= 0 && its.state != before)) {
      segments.push_back(its);
      continue;
    }
    if (its.start_s < start) segments.push_back({its.start_s, start, its.state, its.confidence});
    segments.push_back({start, end, now, 1});
    if (end < its.end_s) segments.push_back({end, its.end_s, its.state, its.confidence});
  }
  rhythms.segments.clear();
  for (const RhythmSegment& its : segments)
    if (auto& list = rhythms.segments; its.state == now && its.confidence == 1 && !list.empty() &&
                                       list.back().state == now && list.back().confidence == 1)
      list.back().end_s = its.end_s;
    else
      list.push_back(its);
}

bool has_rhythm(const Rhythms& rhythms, const EpisodeCorrection& its, int state) {
  return std::ranges::any_of(rhythms.segments, [&](const RhythmSegment& segment) {
    return segment.state == state && segment.start_s < its.to_s && segment.end_s > its.from_s;
  });
}

bool overlaps(const Episode& episode, const EpisodeCorrection& its, const StoredRhythm& rhythm) {
  const double start_s = std::max(episode.start / rhythm.sample_rate_hz, its.from_s),
               end_s = std::min(episode.end / rhythm.sample_rate_hz, its.to_s);
  return episode.label == its.label && end_s - start_s > nearness_s(rhythm);
}

void add_evidence(StoredRhythm& rhythm, EpisodeLabel label, double from_s, double to_s) {
  auto& list = rhythm.evidence.episodes;
  const double start = from_s * rhythm.sample_rate_hz, end = std::min(to_s * rhythm.sample_rate_hz, rhythm.samples);
  const auto after = std::ranges::upper_bound(list, start, {}, &Episode::start);
  list.insert(after, {.start = start, .end = end, .label = label, .quality = Quality::noisy});
}

void mark_noise(const Corrections& corrections, RevisedBeats& revised) {
  StoredRhythm& rhythm = revised.rhythm;
  for (const NoiseMark& mark : corrections.noise) {
    const double start = mark.from_s * rhythm.sample_rate_hz, end = mark.to_s * rhythm.sample_rate_hz;
    if (start >= rhythm.samples) {
      revised.unmatched.push_back("the recording has ended" + at_time(mark.from_s));
      continue;
    }
    for (std::int64_t i = 0; i < rhythm.beats(); ++i)
      if (rhythm.r_peaks[i] >= start && rhythm.r_peaks[i] <= end) rhythm.quality[i] = Quality::noisy;
    for (std::int64_t i = 0; i + 1 < rhythm.beats(); ++i)  // whether anything beats there, noise hides
      if (rhythm.r_peaks[i] < end && rhythm.r_peaks[i + 1] > start) rhythm.evidence.silent[i] = 0;
    const auto& states = rhythm.rhythms.states;
    const auto noise = std::ranges::find(states, "NOISE") - states.begin();
    if (noise < std::ssize(states)) set_rhythm(rhythm.rhythms, mark.from_s, mark.to_s, -1, static_cast<int>(noise), 0);
    if (state_of(rhythm.rhythms, EpisodeLabel::noise) < 0)  // else the model's segments are the episodes
      add_evidence(rhythm, EpisodeLabel::noise, mark.from_s, mark.to_s);
    revised.counts.noise_s += std::min(mark.to_s, rhythm.samples / rhythm.sample_rate_hz) - mark.from_s;
  }
}

bool follows_from_beats(EpisodeLabel label) {
  using enum EpisodeLabel;
  constexpr EpisodeLabel kOfBeats[] = {ventricular_tachycardia,
                                       idioventricular_rhythm,
                                       ventricular_couplet,
                                       supraventricular_tachycardia,
                                       bigeminy,
                                       trigeminy,
                                       pause,
                                       bradycardia,
                                       tachycardia,
                                       asystole};
  return std::ranges::find(kOfBeats, label) != std::end(kOfBeats);
}

// Takes a span out of the signal's episodes of its label. Returns whether there was one.
bool cut_evidence(StoredRhythm& rhythm, const EpisodeCorrection& its) {
  std::vector<Episode> left;
  bool found = false;
  const TimeSpan span{its.from_s * rhythm.sample_rate_hz, its.to_s * rhythm.sample_rate_hz};
  for (const Episode& episode : rhythm.evidence.episodes) {
    if (!overlaps(episode, its, rhythm)) {
      left.push_back(episode);
      continue;
    }
    found = true;
    for (const TimeSpan& part : parts_outside({episode.start, episode.end}, std::span(&span, 1))) {
      if (part.end - part.start <= nearness_s(rhythm) * rhythm.sample_rate_hz) continue;
      left.push_back(episode);
      left.back().start = part.start, left.back().end = part.end;
    }
  }
  rhythm.evidence.episodes = std::move(left);
  return found;
}

// Applies what the reader says of rhythms that the model recognises, or the signal shows. A label that follows from
// beats, or that nothing decides here, is added to what the signal shows.
void correct_rhythms(const Corrections& corrections, RevisedBeats& revised) {
  StoredRhythm& rhythm = revised.rhythm;
  const auto& states = rhythm.rhythms.states;
  const int sinus = static_cast<int>(std::ranges::find(states, "NSR") - states.begin());
  for (const EpisodeCorrection& its : corrections.episodes) {
    const int state = state_of(rhythm.rhythms, its.label);
    bool found = false;
    if (its.verdict == Verdict::added && !follows_from_beats(its.label)) {
      found = its.from_s * rhythm.sample_rate_hz < rhythm.samples;
      if (found && state >= 0)
        set_rhythm(rhythm.rhythms, its.from_s, its.to_s, -1, state, 0);
      else if (found)
        add_evidence(rhythm, its.label, its.from_s, its.to_s);
    } else if (its.verdict == Verdict::rejected) {
      found = cut_evidence(rhythm, its);
      if (state >= 0 && has_rhythm(rhythm.rhythms, its, state)) {
        set_rhythm(rhythm.rhythms, its.from_s, its.to_s, state, sinus, nearness_s(rhythm));
        found = true;
      }
    }
    revised.episodes_found.push_back(found);
  }
}

}  // namespace

RevisedBeats revised_beats(BeatsToRevise beats, const Corrections& corrections) {
  const StoredRhythm& from = beats.rhythm;
  const std::size_t count = from.r_peaks.size();
  RevisedBeats revised{.rhythm = {.sample_rate_hz = from.sample_rate_hz, .samples = from.samples},
                       .template_classes = beats.template_classes};
  Edits edits{.classes = from.beat_classes,
              .corrected = std::vector<std::uint8_t>(count),
              .deleted = std::vector<std::uint8_t>(count),
              .keeps_shape = std::vector<std::uint8_t>(count, 1)};
  correct_templates(beats, corrections, edits, revised);
  for (const BeatCorrection& its : corrections.beats)
    its.action == BeatAction::insert ? insert_beat(from, its, edits, revised) : change_beat(from, its, edits, revised);
  merge_beats(beats, edits, revised);
  StoredRhythm& to = revised.rhythm;
  set_intervals(from, to);
  to.evidence.episodes = from.evidence.episodes;
  to.evidence.certain_start = from.evidence.certain_start;
  to.evidence.certain_end = from.evidence.certain_end;
  to.rhythms = from.rhythms;
  if (revised.counts.reclassified + revised.counts.templates + revised.counts.inserted + revised.counts.deleted > 0)
    for (const auto label : {EpisodeLabel::ventricular_tachycardia, EpisodeLabel::supraventricular_tachycardia})
      if (const int state = state_of(to.rhythms, label); state >= 0) to.rhythms.decides[state] = 0;
  mark_noise(corrections, revised);
  correct_rhythms(corrections, revised);
  return revised;
}

RhythmFindings revised_rhythm(RevisedBeats& revised, const Corrections& corrections, const EpisodeOptions& options) {
  const StoredRhythm& rhythm = revised.rhythm;
  Cpu cpu;
  RhythmFindings findings =
      rhythm_findings(cpu, rhythm.view(), &rhythm.evidence, rhythm.rhythms, rhythm.samples, options);
  auto& list = findings.episodes.list;
  for (std::size_t i = 0; i < corrections.episodes.size(); ++i) {
    const EpisodeCorrection& its = corrections.episodes[i];
    const auto is_it = [&](const Episode& episode) { return overlaps(episode, its, rhythm); };
    bool found = revised.episodes_found[i];
    if (its.verdict == Verdict::confirmed || (its.verdict == Verdict::added && found))
      for (Episode& episode : list)
        if (is_it(episode)) episode.confidence = 1, found = true;
    if (its.verdict == Verdict::rejected && follows_from_beats(its.label)) found |= std::erase_if(list, is_it) > 0;
    revised.counts.episodes += found;
    if (found) continue;
    const auto words = std::string(name_of(its.label)) + at_time(its.from_s);
    const bool is_of_beats = its.verdict == Verdict::added && follows_from_beats(its.label);
    revised.unmatched.push_back(is_of_beats                     ? words + " follows from beats; correct their classes"
                                : its.verdict == Verdict::added ? words + " begins beyond the recording's end"
                                                                : "no episode " + words);
  }
  return findings;
}

}  // namespace beatscan
