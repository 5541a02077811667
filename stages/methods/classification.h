// stages/methods/classification.h — the steps from ranked beats to their classes, each a function of its own, so that a
// caller can time it:
//
//   shapes_and_intervals   templates of shape, pacing spikes, RR intervals
//   delineated_beats       P, QRS and T waves
//   table_of_beats         the beat table
//   classified_beats       posteriors, classes, and templates by class
#pragma once

#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/findings.h"
#include "stages/classify/pacing.h"
#include "stages/waves/waves.h"

namespace beatscan {

struct BeatList;
struct ClassModel;
struct QualityIndex;
struct Ranking;
struct RowOptions;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;

// Beats that are ranked: K beats, B of which are rows.
template <class Context>
struct RankedBeats {
  const Recording<Context>& recording;
  const EmbeddedBeats<Context>& embedded;
  const BeatList& beats;
  std::span<const std::int64_t> kept;  // [B] the beat of each row
  const Ranking& ranking;
  const QualityIndex& quality;  // of all leads of the recording
  double sample_rate_hz;
};

template <class Context>
struct ShapesAndIntervals {
  BeatTemplates<Context> templates;  // of rows
  BeatImpulses impulses;
  RrIntervals<Context> intervals;
};

//   least_threads  see run_concurrently
template <class Context>
ShapesAndIntervals<Context> shapes_and_intervals(Context&, const RankedBeats<Context>& ranked, const RowOptions& rows,
                                                 int least_threads = 2);

// Delineates the waves in the leads that beats were cut of.
template <class Context>
BeatWaves delineated_beats(Context&, const RankedBeats<Context>& ranked, const ShapesAndIntervals<Context>& known,
                           const DelineationModel& model, const WaveOptions& options);

template <class Context>
FeatureTable<Context> table_of_beats(Context&, const RankedBeats<Context>& ranked,
                                     const ShapesAndIntervals<Context>& known, const BeatWaves& waves);

template <class Context>
Findings classified_beats(Context&, const RankedBeats<Context>& ranked, const ShapesAndIntervals<Context>& known,
                          const FeatureTable<Context>& table, const ClassModel& model);

}  // namespace beatscan
