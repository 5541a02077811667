// stages/templates/findings.h — the classes and the templates of the beats of a recording.
//
// The class of a beat is that of its largest posterior. A false detection is of class Q, and so is a beat whose
// ventricles are paced (pacing.h).
#pragma once

#include <vector>

#include "stages/templates/beat_findings.h"
#include "stages/templates/templates.h"

namespace beatscan {

struct BeatImpulses;
struct BeatList;
struct GroupOptions;
struct RowOptions;
struct TemplateOptions;
template <class Context>
struct EmbeddedBeats;

// Finds the templates of B rows.
//   beats     the list that `embedded` was made of
//   kept      [B] the beat of each row
//   waveform  [B] the waveform's score: the higher, the more unusual for the noise there
template <class Context>
BeatTemplates<Context> templates_of_rows(Context&, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                                         const BeatList& beats, std::span<const std::int64_t> kept,
                                         std::span<const float> waveform, const TemplateOptions& options);

// Classifies K beats by their posteriors, and groups them by template and class.
//   posteriors  [K][4] class_posteriors
template <class Context>
Findings findings_of(const BeatTemplates<Context>& templates, std::span<const std::int64_t> kept,
                     std::vector<float> posteriors, const BeatImpulses& impulses, double sample_rate_hz,
                     const GroupOptions& options);

}  // namespace beatscan
