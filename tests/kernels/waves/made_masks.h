// tests/kernels/waves/made_masks.h — synthetic masks of the beats of a lead, and plain computations of what they show.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/waves/window.h"

namespace beatscan::waves {

struct MadeMasks {
  explicit MadeMasks(const std::vector<double>& after_beat);  // RR intervals after each beat; the last counts as none
  // Makes masks of smooth pulses at random places, RR intervals of 60 to 900 values, and noise near the thresholds.
  static MadeMasks random(int beats, std::uint64_t seed);

  std::int64_t beats() const { return std::ssize(after); }
  float* mask(std::int64_t beat, int which) { return masks.data() + (beat * kMasks + which) * kValues; }
  const float* mask(std::int64_t beat, int which) const { return masks.data() + (beat * kMasks + which) * kValues; }
  // Sets the values first .. last - 1.
  void set(std::int64_t beat, int which, int first, int last, float value);
  // The masks of some beats.
  std::vector<float> of(std::int64_t first, std::int64_t count) const;

  // The definitions of docs/waves.md, in double.
  std::vector<float> expected_fiducials() const;
  std::vector<float> expected_evidence(const std::vector<float>& fiducials) const;

  std::vector<float> masks;
  std::vector<double> before, after;
};

struct PlainRun {
  int first, last;
  double weight;
};
// Returns the runs of p in [low, high), see docs/waves.md.
std::vector<PlainRun> plain_runs(const std::vector<double>& p, int low, int high, double threshold, int gap, int least);
// Returns the crossings before and after a run.
std::pair<double, double> plain_crossings(const std::vector<double>& p, const PlainRun& run, double threshold);

}  // namespace beatscan::waves
