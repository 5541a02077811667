// stages/classify/columns.h — named columns of the beat table, and the groups of them. Each group has a file of its
// own, where its columns are documented.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernels/runtime/parallel.h"

namespace beatscan {

struct AcceptedIntervals;
struct TableBeats;
template <class Context>
struct Recording;

// Calls work(i) for each of K beats, in parallel.
template <class Work>
void each_beat(std::int64_t beats, const Work& work) {
  constexpr std::int64_t kGrain = 8192;
  parallel_for(Cpu(), beats, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

// Returns value(i) of each of K beats, which are computed in parallel.
template <class T = double, class Value>
std::vector<T> of_each_beat(std::int64_t beats, const Value& value) {
  std::vector<T> values(beats);
  each_beat(beats, [&](std::int64_t i) { values[i] = static_cast<T>(value(i)); });
  return values;
}

struct FeatureColumn {
  std::string name;
  std::string unit;           // empty: a ratio, a logarithm of one, a share or a correlation
  std::string text;           // one line
  std::vector<float> values;  // [K]
};

class FeatureColumns {
 public:
  explicit FeatureColumns(std::int64_t beats) : beats_(beats) {}

  // Adds a column whose value of beat i is value(i). Beats are computed in parallel.
  template <class Value>
  void add(std::string name, std::string unit, std::string text, const Value& value) {
    all_.push_back({std::move(name), std::move(unit), std::move(text), of_each_beat<float>(beats_, value)});
  }

  // Adds columns that are computed together: write(i, values) writes those of beat i, one for each column.
  //   described  columns without values
  template <class Write>
  void add_together(std::vector<FeatureColumn> described, const Write& write) {
    for (FeatureColumn& column : described) column.values.resize(beats_);
    constexpr std::int64_t kGrain = 1024;
    parallel_for(Cpu(), beats_, kGrain, [&](std::int64_t first, std::int64_t last) {
      std::vector<float> values(described.size());
      for (std::int64_t i = first; i < last; ++i) {
        write(i, std::span(values));
        for (std::size_t c = 0; c < values.size(); ++c) described[c].values[i] = values[c];
      }
    });
    std::ranges::move(described, std::back_inserter(all_));
  }

  // Moves the columns of another table of the same beats after these.
  void append(FeatureColumns&& others) { std::ranges::move(others.all_, std::back_inserter(all_)); }

  std::int64_t beats() const { return beats_; }
  const std::vector<FeatureColumn>& all() const { return all_; }
  std::vector<FeatureColumn> take() { return std::move(all_); }

 private:
  std::int64_t beats_;
  std::vector<FeatureColumn> all_;
};

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();  // of a value that does not exist

// Measures of the beats of each lead, [K][features::kShapeMeasures], and which beats are of the dominant shape.
struct LeadShapes {
  std::vector<std::vector<float>> leads;  // [L]
  std::vector<double> amplitude_mv;       // [L] range of the dominant beat's QRS complex
  std::vector<std::uint8_t> dominant;     // [K] 1 for beats of the dominant shape that are not premature
};

// RR intervals, and each over the local median.
struct LocalIntervals {
  std::span<const double> rr_s;  // [K]
  std::vector<double> median_s;  // [K] of 16 on either side
  std::vector<double> ratio;     // [K]
};
LocalIntervals local_intervals(std::span<const double> rr_s);

// The RR interval before the beat against others.
void add_interval_columns(const LocalIntervals& local, FeatureColumns& columns);

// Interval measures that distinguish atrial fibrillation from other rhythms, and the odds that follow.
void add_fibrillation_columns(std::span<const double> rr_s, FeatureColumns& columns);

// The interval against the reference of accepted beats.
void add_accepted_columns(std::span<const double> rr_s, const AcceptedIntervals& accepted, FeatureColumns& columns);

// Shapes, fused over leads, and the largest values over leads.
void add_shape_columns(const LeadShapes& shapes, FeatureColumns& columns);

// The template of the beat: its size, times and mean shape. It needs the columns of shapes.
//   ratio  [K] RR interval before the beat over the local median
void add_template_columns(const TableBeats& beats, std::span<const double> ratio,
                          const std::vector<FeatureColumn>& shapes, FeatureColumns& columns);

// P, QRS and T waves.
void add_wave_columns(const TableBeats& beats, std::span<const double> rr_s, FeatureColumns& columns);

// Noise, the parts of the ranking, and pacing spikes.
void add_signal_columns(const TableBeats& beats, const LeadShapes& shapes, FeatureColumns& columns);

// The signal-quality index at the beat, over the leads that rows were cut of. Its probabilities are interpolated
// linearly between the middles of blocks.
void add_quality_columns(const TableBeats& beats, FeatureColumns& columns);

// Measures all beats in the leads. The dominant shape is that of the template with most beats that are not premature.
//   rr_s, ratio  [K] RR interval before the beat, and over its local median
template <class Context>
LeadShapes lead_shapes(Context&, const Recording<Context>& recording, const TableBeats& beats,
                       std::span<const double> rr_s, std::span<const double> ratio);

}  // namespace beatscan
