// stages/rhythm/measures.h — the inputs of rhythm recognition: measures of beats, and their statistics over windows.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace beatscan {

struct BeatFeatures;

// The inputs of rhythm recognition besides columns of the beat table: posteriors of beat classes, and measures computed
// from these and from columns. scripts/rhythm/features.py is the reference and describes each of them.

using RhythmMeasures = std::map<std::string, std::vector<float>>;  // [K] each

// Returns the measures of each beat. Those whose columns the table does not have are NaN.
//   posteriors  [K][4] of N, S, V and X, or empty: not known
RhythmMeasures rhythm_measures(const BeatFeatures& table, std::span<const float> posteriors);

// Returns the names of the measures.
std::vector<std::string> rhythm_measure_names();

enum class WindowStatistic { mean, least, most, deviation };

// Returns the statistic of this name. Throws ErrorKind::input for another name.
WindowStatistic window_statistic(const std::string& name);

// The measure [K] of the beats first .. last - 1 and of up to `reach` beats on either side. The sums are made once
// for all statistics.
class BlockWindows {
 public:
  BlockWindows(std::span<const float> measure, std::int64_t first, std::int64_t last, int reach);
  // Writes a statistic of the values that exist within `reach` places of each beat of the block; NaN of none.
  //   reach  at most that of the block
  //   found  [last - first]
  void write(WindowStatistic statistic, int reach, std::span<float> found) const;

 private:
  void write_extremes(WindowStatistic statistic, int reach, std::span<float> found) const;
  int reach_;
  std::vector<float> values_;                    // from `first - reach` on; NaN if there is none
  std::vector<double> sums_, squares_, counts_;  // of the values before each place
};

}  // namespace beatscan
