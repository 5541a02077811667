// kernels/lists/running.h — running quantiles and means of lists, several at a time, because a launch takes longer than
// a short list.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostRunningReach = 64;

struct RunningQuantile {
  double q;                 // 0 .. 1
  std::span<double> found;  // [K]
};

// found[i] = the q-quantile of `reach` values before place i and of as many from it on, as far as there are any,
// interpolated between order statistics; NaN if there are none.
//   values  [K], or some values of a list of K (select_values), none of them NaN
//   before  [K + 1] places in `values`: its own begin at before[0], end at before[K], and place i lies at before[i];
//           empty if place i is i
//   reach   1 .. kMostRunningReach
// Both back ends and any number of threads give the same bits. A wrong shape or option throws ErrorKind::internal.
struct RunningQuantiles {
  std::span<const double> values;
  std::span<const std::uint32_t> before = {};
  int reach;
  std::vector<RunningQuantile> quantiles;  // kMostQuantiles of them at most
};
inline constexpr int kMostQuantiles = 3;
void running_quantiles(Cpu&, std::span<const RunningQuantiles> all);
void running_quantiles(Cuda&, std::span<const RunningQuantiles> all);

// means[i] = mean of the values within `reach` places of place i, as far as there are any. It is the difference of sums
// that begin anew every kMeansBlock places, so that both back ends and any number of threads give the same bits.
//   values, means  [K]
//   reach          1 .. kMostRunningReach
struct RunningMeans {
  std::span<const double> values;
  int reach;
  std::span<double> means;
};
inline constexpr std::int64_t kMeansBlock = 4096;
void running_means(Cpu&, std::span<const RunningMeans> all);
void running_means(Cuda&, std::span<const RunningMeans> all);

// Copies the chosen values of a list, one after the other, and counts those before each place. If fewer than `fewest`
// are chosen, all are.
//   values  [K]
//   chosen  [K] 1 for a chosen value; empty: the finite values are chosen
//   some    [K] of which before[K] are written
//   before  [K + 1]
void select_values(Cpu&, std::span<const double> values, std::span<const std::uint8_t> chosen, std::int64_t fewest,
                   std::span<double> some, std::span<std::uint32_t> before);
void select_values(Cuda&, std::span<const double> values, std::span<const std::uint8_t> chosen, std::int64_t fewest,
                   std::span<double> some, std::span<std::uint32_t> before);

// Make the checks that both back ends share.
void check_running(std::span<const RunningQuantiles> all);
void check_running(std::span<const RunningMeans> all);
void check_selection(std::int64_t values, std::int64_t chosen, std::int64_t some, std::int64_t before);

// Chosen values of K, and how many of them lie before each of the K (select_values).
template <class Context>
struct SelectedValues {
  SelectedValues(Context& context, std::int64_t count) : values(context, count), before(context, count + 1) {}
  Buffer<double, Context> values;
  Buffer<std::uint32_t, Context> before;
};

}  // namespace beatscan
