// app/revision/revised_beats.h — the beats, intervals and rhythms of a result after corrections.
//
// A corrected beat has its class for certain, and a deleted one leaves one interval where there were two. An interval
// is known if all that it is made of were known, and silent if its parts were, or were too short to tell. The rhythms
// that the model recognises remain as they were found, unless the reader rejects or adds one. All other episodes follow
// from the beats; so do VT and SVT where the model decided them, as soon as a class is corrected.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/report/stored/stored_rhythm.h"
#include "app/revision/corrections.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

struct RevisionCounts {
  std::int64_t reclassified = 0, inserted = 0, deleted = 0, templates = 0, episodes = 0;
  double noise_s = 0;
};

// K beats of the result become K' revised ones, T templates keep their numbers.
struct RevisedBeats {
  StoredRhythm rhythm;                     // [K']
  std::vector<std::int64_t> origin;        // [K'] the row of beats.csv; -1: inserted
  std::vector<std::uint8_t> is_corrected;  // [K'] its class, or that it is a beat, is the reader's
  std::vector<std::uint8_t> has_template;  // [K'] 0 where one beat alone was corrected: it is no longer of its template
  std::vector<BeatClass> template_classes;  // [T]
  RevisionCounts counts;
  std::vector<std::uint8_t> episodes_found;  // of the episodes to correct: 1 where there was one
  std::vector<std::string> unmatched;        // corrections that nothing in the result answers to, in words
};

// The beats that corrections are applied to.
struct BeatsToRevise {
  StoredRhythm rhythm;                      // [K]
  std::span<const std::int16_t> templates;  // [K] number of each beat's template; negative: none
  std::vector<BeatClass> template_classes;  // [T]
  std::vector<TimeSpan> poor = {};          // seconds that are good in no lead
};

// Applies the corrections of beats, templates and noise, and those of the rhythms that the model recognises or the
// signal shows.
RevisedBeats revised_beats(BeatsToRevise beats, const Corrections& corrections);

// Finds the rhythm of the revised beats, and applies the corrections of the episodes that follow from beats.
RhythmFindings revised_rhythm(RevisedBeats& revised, const Corrections& corrections, const EpisodeOptions& options);

}  // namespace beatscan
