// stages/findings/findings.h — the kinds and the templates of the beats of a recording.
#pragma once

#include "stages/findings/beat_findings.h"
#include "stages/findings/early.h"
#include "stages/findings/templates.h"

namespace beatscan {

struct BeatList;
struct FindingOptions;
struct RowOptions;
template <class Context>
struct EmbeddedBeats;

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
