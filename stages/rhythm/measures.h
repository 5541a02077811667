// stages/rhythm/measures.h — the inputs of rhythm recognition by their names: columns of the beat table and measures of
// beats (kernels/rhythm/rhythm_measures.h), and their statistics over windows.
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

struct RhythmRegression;

// Returns the names of the measures that are not columns of the table.
std::vector<std::string> rhythm_measure_names();

// Returns the statistic of this name. Throws ErrorKind::input for another name.
WindowStatistic window_statistic(const std::string& name);

// Returns log probabilities of the states at each of K beats. A feature that does not exist counts as its mean. Throws
// ErrorKind::input if the model reads a measure that is unknown.
//   column      returns a column of the beat table in the context's memory, [K]; none of a name that it does not have
//   posteriors  [K][4] of N, S, V and X, in the context's memory; or empty: not known
using ColumnByName = std::function<std::span<const float>(const std::string& name)>;
template <class Context>
Buffer<StateValues, Context> rhythm_log_p(Context&, std::int64_t beats, const ColumnByName& column,
                                          std::span<const float> posteriors, const RhythmRegression& regression);

}  // namespace beatscan
