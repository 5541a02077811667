// stages/methods/around_r_peaks.h — the morphology method as a sequence of stages:
//
//   detect_beats, list_beats                 or in one go: find_around_r_peaks
//   embed_leads                              rows around the R peaks, the rhythm, and the noise around each beat
//   train_vae
//   score_around_r_peaks                     a ranking by shape and by time
//   templates_of_rows, delineate, beat_table, class_posteriors, findings_of     or in one go: classified_beats
//   score_by_classes                         a ranking by classes as well
//
// Each step is a function of its own, so that a caller can time it, and can start with known R peaks.
#pragma once

#include "stages/detect/beat_list.h"
#include "stages/detect/detect.h"
#include "stages/io/recording/recording.h"
#include "stages/methods/beats.h"
#include "stages/windows/row_options.h"

namespace beatscan {

class VaeModel;
struct DetectOptions;
struct Findings;
struct QualityIndex;
struct QualityOptions;
struct ScoreOptions;
template <class Context>
struct EmbeddedBeats;

inline RowReach reach_of(const RowOptions& options) { return {options.before_s, options.after_s}; }

// The leads of a recording, in the form that detect_r_peaks takes. Their memory is not copied.
template <class Context>
std::vector<LeadSignal> lead_signals(const Recording<Context>& recording) {
  std::vector<LeadSignal> signals;
  for (const auto& lead : recording.leads) signals.push_back({lead.samples, {lead.gap_firsts, lead.gap_lasts}});
  return signals;
}

// Finds R peaks in all leads, see detect_r_peaks.
template <class Context>
Detection<Context> detect_beats(Context&, const Recording<Context>& recording, const DetectOptions& detect,
                                const QualityOptions& quality, double sample_rate_hz,
                                const DetectRequest& request = {});

template <class Context>
FoundBeats<Context> find_around_r_peaks(Context&, const Recording<Context>& recording, const QualityIndex& index,
                                        const DetectOptions& detect, const QualityOptions& quality,
                                        const RowOptions& rows, double sample_rate_hz);

template <class Context>
ScoredBeats score_around_r_peaks(Context&, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                                 const ScoreOptions& options);

// Returns the model's scores of all rows, on the host, in the order of EmbeddedBeats::rows; NaN in a lead without
// signal.
template <class Context>
RowScores row_scores_around_r_peaks(Context&, const EmbeddedBeats<Context>& embedded, const VaeModel& model);

// Adds the learned scores to a ranking. Paced beats get none, as no model has learned from them.
//   kept  [B] the beat of each row
void score_by_classes(const Findings& findings, const BeatList& beats, const std::vector<std::int64_t>& kept,
                      const ScoreOptions& options, ScoredBeats& scored);

}  // namespace beatscan
