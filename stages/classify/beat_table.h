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

#include "kernels/runtime/buffer.h"
#include "stages/classify/columns.h"

namespace beatscan {

struct BeatImpulses;
struct BeatWaves;
struct QualityIndex;
template <class Context>
struct RrIntervals;
template <class Context>
struct Recording;

// What the beat table is made of, besides the signal: K beats, of which B have a row. Lists are on the host, unless
// they are said to be in the context's memory.
template <class Context>
struct TableBeats {
  std::span<const double> r_peaks;            // [K] samples, ascending
  const RrIntervals<Context>& intervals;      // of these R peaks
  std::span<const std::int64_t> kept;         // [B] the beat of each row, ascending
  std::span<const std::uint8_t> template_of;  // [B] in the context's memory: templates of shape alone (templates.h)
  std::span<const float> template_distance;   // [B] in the context's memory: from it
  std::span<const float> waveform, rhythm, baseline, noise;  // [B] parts of the ranking (stages/score/scores.h)
  std::span<const std::int64_t> leads;                       // [L] numbers of the leads that rows were cut of
  const BeatWaves& waves;        // of the same beats and leads; without beats: not delineated
  const BeatImpulses& impulses;  // of pacemakers (stages/classify/pacing.h)
  const QualityIndex& quality;   // of all leads of the recording; without blocks: not computed
  double sample_rate_hz;
};

// The table in the context's memory.
template <class Context>
class FeatureTable {
 public:
  FeatureTable() = default;
  FeatureTable(Context& context, std::int64_t beats, ColumnTexts texts)
      : beats_(beats), texts_(std::move(texts)), values_(context, beats * std::ssize(texts_)) {}

  std::int64_t beats() const { return beats_; }                     // K
  const ColumnTexts& texts() const { return texts_; }               // [C]
  std::span<const float> values() const { return values_.span(); }  // [C][K]
  bool has(std::string_view name) const { return place_of(name) < std::ssize(texts_); }
  std::span<const float> column(std::string_view name) const;  // [K]; empty if there is none of this name
  // Returns neighbouring columns.
  std::span<float> columns(std::int64_t first, std::int64_t count) {
    return values_.span().subspan(first * beats_, count * beats_);
  }

 private:
  std::int64_t place_of(std::string_view name) const;
  std::int64_t beats_ = 0;
  ColumnTexts texts_;
  Buffer<float, Context> values_;
};

struct FeatureColumn {
  std::string name;
  std::string unit;  // see ColumnText
  std::string text;
  std::vector<float> values;  // [K]
};

// The table on the host, for those who write it.
struct BeatFeatures {
  std::vector<FeatureColumn> columns;  // [C] of K values each
  std::int64_t beats() const { return columns.empty() ? 0 : std::ssize(columns.front().values); }  // K
  const FeatureColumn* column(std::string_view name) const;  // null if there is none of this name
};

template <class Context>
BeatFeatures table_on_host(Context&, const FeatureTable<Context>& table);

// Makes the table of beats without a signal: the RR interval and the measures of atrial fibrillation by intervals.
//   rr_s  [K] known_rr_s
FeatureTable<Cpu> interval_table(Cpu&, std::span<const double> rr_s);

// Makes the table. Any number of threads gives the same bits.
template <class Context>
FeatureTable<Context> beat_table(Context&, const Recording<Context>& recording, const TableBeats<Context>& beats);

// Return the names of the tables' columns, in order.
std::vector<std::string> beat_table_names();
std::vector<std::string> interval_table_names();

}  // namespace beatscan
