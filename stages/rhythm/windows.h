// stages/rhythm/windows.h — statistics of a measure over windows around the beats of a block.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace beatscan {

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
