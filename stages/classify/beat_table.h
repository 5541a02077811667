// stages/classify/beat_table.h — the beat table: what is known of every beat, as named columns. A classifier of beats
// reads nothing else, and scripts/train_classifier learns from it.
//
// No column depends on a decision of the rules for beat classes. A value that does not exist is NaN: the PR interval
// of a beat without a P wave, for instance. docs/beat_table.md lists all columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stages/classify/columns.h"

namespace beatscan {

struct BeatImpulses;
struct BeatWaves;
struct QualityIndex;
struct RrIntervals;
template <class Context>
struct Recording;

// What the beat table is made of, besides the signal: K beats, of which B have a row.
struct TableBeats {
  std::span<const double> r_peaks;            // [K] samples, ascending
  const RrIntervals& intervals;               // of these R peaks
  std::span<const std::int64_t> kept;         // [B] the beat of each row, ascending
  std::span<const std::uint8_t> template_of;  // [B] templates of shape alone (stages/classify/templates.h)
  std::span<const float> template_distance;   // [B] from it
  std::span<const float> waveform, rhythm, baseline, noise;  // [B] parts of the ranking (stages/score/scores.h)
  std::span<const std::int64_t> leads;                       // [L] numbers of the leads that rows were cut of
  const BeatWaves& waves;        // of the same beats and leads; without beats: not delineated
  const BeatImpulses& impulses;  // of pacemakers (stages/classify/pacing.h)
  const QualityIndex& quality;   // of all leads of the recording; without blocks: not computed
  double sample_rate_hz;
};

struct BeatFeatures {
  std::vector<FeatureColumn> columns;  // [C] of K values each
  std::int64_t beats() const { return columns.empty() ? 0 : std::ssize(columns.front().values); }  // K
  const FeatureColumn* column(std::string_view name) const;  // null if there is none of this name
};

// Makes the table of beats without a signal: the RR interval and the measures of atrial fibrillation by intervals.
//   rr_s  [K] known_rr_s
BeatFeatures interval_table(std::span<const double> rr_s);

// Makes the table. The leads' signals are read on the device; the rest is computed on the host. Any number of threads
// gives the same bits.
template <class Context>
BeatFeatures beat_table(Context&, const Recording<Context>& recording, const TableBeats& beats);

// Returns the names of the table's columns, in order.
std::vector<std::string> beat_table_names();

}  // namespace beatscan
