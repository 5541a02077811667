// kernels/waves/runs.h — runs of a mask at or above a threshold, and where they cross it. For both back ends.
#pragma once

#include <cstdint>

#include "kernels/runtime/portable.h"

namespace beatscan::waves {

struct RunRule {
  double threshold;
  int gap;    // values below the threshold within a run, at most
  int least;  // values of a run, at least
};

struct Run {
  int first = -1, last = -1;  // values; -1 if there is no run
  double weight = 0;          // sum of the mask from the first to the last
};

// Calls visit(run) for each run of p(k) in low <= k < high, in ascending order.
template <class Values, class Visit>
BEATSCAN_HOST_DEVICE void each_run(const Values& p, int low, int high, const RunRule& rule, Visit&& visit) {
  Run run;
  double since = 0;  // sum of what was below the threshold since run.last
  for (int k = low; k < high; ++k) {
    const double value = p(k);
    if (value < rule.threshold) {
      since += value;
    } else if (run.first >= 0 && k - run.last - 1 <= rule.gap) {
      run.weight += since + value;
      run.last = k;
      since = 0;
    } else {
      if (run.first >= 0 && run.last - run.first + 1 >= rule.least) visit(run);
      run = {k, k, value};
      since = 0;
    }
  }
  if (run.first >= 0 && run.last - run.first + 1 >= rule.least) visit(run);
}

// Returns the heaviest run, of equals the first.
template <class Values>
BEATSCAN_HOST_DEVICE Run heaviest_run(const Values& p, int low, int high, const RunRule& rule) {
  Run heaviest;
  each_run(p, low, high, rule, [&](const Run& run) {
    if (heaviest.first < 0 || run.weight > heaviest.weight) heaviest = run;
  });
  return heaviest;
}

// Returns where p crosses the threshold between a run's end `inner` and the value `outer` beyond it, interpolated
// linearly. Without a value there, or where it is not below the threshold, it is `inner`.
template <class Values>
BEATSCAN_HOST_DEVICE double crossing(const Values& p, int inner, int outer, int length, double threshold) {
  if (outer < 0 || outer >= length) return inner;
  const double a = p(outer), b = p(inner);
  return a < threshold ? outer + (inner - outer) * (threshold - a) / (b - a) : inner;
}

}  // namespace beatscan::waves
