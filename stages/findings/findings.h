// stages/findings/findings.h — the kinds and the templates of the beats of a recording.
#pragma once

#include "stages/findings/bumps.h"
#include "stages/findings/chamber.h"
#include "stages/findings/early.h"
#include "stages/findings/groups.h"
#include "stages/findings/templates.h"
#include "stages/findings/usual_first.h"

namespace beatscan {

struct FindingOptions {
  TemplateOptions templates;
  KindOptions kinds;
  BumpOptions bumps;
  GroupOptions groups;
  UsualOptions usual;
};

// The findings on the host.
struct Findings {
  std::vector<Kind> kinds;               // [K] of the beats that were found
  std::vector<std::int32_t> templates;   // [K] places in `groups`; -1 for a beat that was not kept
  std::vector<BeatGroup> groups;         // the templates, the largest first
  std::vector<Pacing> pacing = {};       // [groups] (pacing.h); empty: not told yet
  std::vector<std::uint8_t> paced = {};  // [K] 1 where the ventricles are paced; empty where none is
  std::vector<std::uint8_t> bent = {};  // [K] 1 for V beats, and Q beats that would be V, where movement bends the line
                                        // (bumps.h); empty: not known

  bool is_paced(std::int64_t beat) const { return !paced.empty() && paced[beat] != 0; }
  // Says whether a beat is Q because it looks like a bump, and would be V otherwise.
  bool is_bump(std::int64_t beat) const { return !bent.empty() && bent[beat] != 0 && kinds[beat] == Kind::unknown; }
};

// Holds what the score says of B rows, on the host.
struct ScoredRows {
  std::span<const float> waveform;  // [B] the waveform's score: the higher, the odder for the noise there
  std::span<const float> noise;     // [B] how far noise carries a normal beat there, 1 in a clean lead (noise.h)
  std::span<const Artefact> artefacts = {};  // [B] what beats look like instead; empty: none does
};

// The shapes and the rhythm that findings are told by. They need no artefacts, so that these can be looked for at the
// same time.
template <class Context>
struct ShapesAndRhythm {
  BeatTemplates<Context> templates;  // of the rows, with that of the usual beats first
  bool largest_is_usual = true;      // the largest template is that of the usual beats
  std::vector<std::uint8_t> good;    // [B] 1 for a row in good signal
  LocalRhythm<Context> rhythm;       // around each beat
};

// Works out the shapes of B rows and the rhythm of the beats that were found.
//   beats     the list that `embedded` was made of
//   kept      [B] the beat of each row
//   waveform  [B] see ScoredRows
template <class Context>
ShapesAndRhythm<Context> shapes_and_rhythm(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                                           const BeatList& beats, const std::vector<std::int64_t>& kept,
                                           std::span<const float> waveform, double sample_rate_hz,
                                           const FindingOptions& options);

// Tells the kinds of the beats that were found, and groups them by their templates.
//   known  shapes_and_rhythm() of the same rows and beats
template <class Context>
Findings findings_of(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                     const ShapesAndRhythm<Context>& known, const BeatList& beats,
                     const std::vector<std::int64_t>& kept, const ScoredRows& scored, const FindingOptions& options);

}  // namespace beatscan
