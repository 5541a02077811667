// stages/rhythm/measures.h — the inputs of rhythm recognition by their names: columns of the beat table and measures of
// beats (kernels/rhythm/beat_measures.h), and their statistics over windows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kernels/rhythm/state_log_p.h"
#include "kernels/runtime/buffer.h"

namespace beatscan {

struct BeatFeatures;
struct RhythmRegression;

// Returns the names of the measures that are not columns of the table.
std::vector<std::string> rhythm_measure_names();

// Returns the statistic of this name. Throws ErrorKind::input for another name.
WindowStatistic window_statistic(const std::string& name);

// Returns host values in the context's memory, to be read. On the CPU they stay where they are.
template <class Context>
Buffer<float, Context> in_context(Context&, std::span<const float> values);

// The columns of the beat table that a regression reads, in the context's memory.
template <class Context>
class RhythmColumns {
 public:
  RhythmColumns(Context&, const BeatFeatures& table, const RhythmRegression& regression);
  // Returns the values of a column; none if the table does not have it.
  std::span<const float> operator()(const std::string& name) const;

 private:
  std::map<std::string, Buffer<float, Context>> columns_;
};

// Returns log probabilities of the states at each of K beats. A feature that does not exist counts as its mean. Throws
// ErrorKind::input if the model reads a measure that is unknown.
//   column      returns a column of the beat table in the context's memory, [K]; none of a name that it does not have
//   posteriors  [K][4] of N, S, V and X, in the context's memory; or empty: not known
using ColumnByName = std::function<std::span<const float>(const std::string& name)>;
template <class Context>
Buffer<StateValues, Context> rhythm_log_p(Context&, std::int64_t beats, const ColumnByName& column,
                                          std::span<const float> posteriors, const RhythmRegression& regression);

}  // namespace beatscan
