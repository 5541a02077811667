// app/synthetic/synthetic.h — a synthetic ECG in mV with known beats.
//
// A beat is a sum of Gaussians in time: P, Q, R, S and T, or, for a premature ventricular contraction (PVC), one wide
// complex without P wave and a T wave of the opposite sign. RR intervals breathe (respiratory sinus arrhythmia), drift
// slowly and jitter; a PVC comes early and is followed by a full compensatory pause. On top: baseline wander and noise.
//
// Every random number is a hash of (seed, what it is for, its index), so any part of the signal can be computed by
// itself, in any order, with the same result.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct SyntheticBeat {
  double r_peak_s;  // of the R wave's Gaussian
  float amplitude;  // factor of all waves
  float qt_factor;  // how much later than at an RR interval of 0.7 s the T wave comes
  bool is_pvc;
};

class SyntheticEcg {
 public:
  // pvc_share: expected share of PVCs, 0 .. 1; each beat is one independently of its neighbours
  SyntheticEcg(std::int64_t samples, double sample_rate_hz, double pvc_share, std::uint64_t seed);

  // All beats that touch the recording, in time order: the last ones may have their R peak behind its end.
  std::span<const SyntheticBeat> beats() const { return beats_; }
  std::int64_t r_peak_sample(const SyntheticBeat& beat) const;
  std::int64_t samples() const { return samples_; }

  // mV[i] = the signal at sample first + i
  void render(std::int64_t first, std::span<float> mV) const;

 private:
  void plan_beats(double pvc_share);
  void add_beat(const SyntheticBeat& beat, std::int64_t first, std::span<double> mV) const;
  double baseline_mV(double time_s) const;

  std::int64_t samples_;
  double sample_rate_hz_;
  std::uint64_t seed_;
  std::array<double, 2> phases_;  // of the waves of the baseline
  std::vector<SyntheticBeat> beats_;
};

}  // namespace beatscan
