// stages/findings/kinds.h — tells the kind of each beat by rules over its shape, its time and the recording's usual
// beats.
//
//   Q  unknown: the beat was not kept, is far from every template, would be V or is early where its samples look like
//      an artefact (steps.h, bursts.h), would be V by a shape that noise may have made, or would be S in a run that
//      noise may have made (early_in_noise.h). V beats that look like bumps become Q afterwards (bumps.h)
//   V  its template is ventricular; a beat that is like no template is judged alone (ventricular.h). A beat that is not
//      odd for the noise there is no V, whatever its template
//   S  early by the rules of early.h, and not V or Q
//   F  its template is one of fusion beats, the beat is like it, and it is not S or Q
//   N  the rest
// No labels of other recordings are learned from; they were used to choose the options alone.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "stages/findings/beat_class.h"

namespace beatscan {

struct KindOptions;
struct RowOptions;
template <class Context>
struct BeatTemplates;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct LocalRhythm;

// K beats that were found, B of which are rows.
struct KindBeats {
  const std::vector<double>& r_peaks;       // [K] samples
  const std::vector<std::uint8_t>& broken;  // [K - 1]
  const std::vector<std::int64_t>& kept;    // [B] the beat of each row
  const std::vector<std::uint8_t>& good;    // [B] 1 for a row in good signal
  std::span<const float> noise;  // [B] how far noise carries a normal beat there, 1 in a clean lead (noise.h)
  std::span<const float> odd;    // [B] the waveform's score, which allows for noise; empty if it does not count
  std::span<const Artefact> artefacts = {};  // [B] what beats look like instead; empty: none does
};

// Tells the kinds of K beats.
//   rhythm  local_rhythm() of the beats
template <class Context>
std::vector<Kind> kinds_of(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                           const BeatTemplates<Context>& templates, const LocalRhythm<Context>& rhythm,
                           const KindBeats& beats, const KindOptions& options);

}  // namespace beatscan
