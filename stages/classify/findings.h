// stages/classify/findings.h — the templates that the user sees: beats of one shape and one beat class.
//
// Premature beats of the dominant morphology form a template of their own. A group of fewer beats than
// max(fewest_beats, least_share of all beats) joins the group of its beat class with the nearest shape; the largest
// group of each beat class remains.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stages/classify/beat_findings.h"
#include "stages/classify/templates.h"

namespace beatscan {

struct BeatImpulses;
struct BeatList;
struct RowOptions;
template <class Context>
struct EmbeddedBeats;

struct BeatGroups {
  std::vector<BeatGroup> groups;       // the largest first
  std::vector<std::int32_t> group_of;  // [B]
};

// Groups B beats. Every beat keeps its class.
//   template_of  [B]
//   classes        [B]
//   distances    [T][T] between templates
BeatGroups groups_of(std::span<const std::uint8_t> template_of, std::span<const BeatClass> beat_classes,
                     const std::vector<std::vector<float>>& distances, const GroupOptions& options);

// The classes and the templates of the beats of a recording.
//
// The class of a beat is that of its largest posterior. A false detection is of class Q, and so is a beat whose
// ventricles are paced (pacing.h).

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
