// app/synthetic/synthetic.h — a synthetic ECG in mV with known beats.
//
// A beat is a sum of Gaussians in time.
//   normal beat                                 P, Q, R, S and T waves
//   premature ventricular contraction (PVC)     one wide complex and a T wave of the opposite sign, no P wave
// RR intervals have respiratory sinus arrhythmia, slow drift and jitter. A PVC is premature and followed by a full
// compensatory pause. Baseline wander and noise are added.
//
// Every random number is a hash of the seed, its purpose and its index. So any part of the signal can be computed
// independently, in any order, with the same result.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

struct SyntheticBeat {
  double r_peak_s;  // centre of the R wave's Gaussian
  float amplitude;  // factor of all waves
  float qt_factor;  // time of the T wave over that at an RR interval of 0.7 s
  bool is_pvc;
};

class SyntheticEcg {
 public:
  // pvc_share: expected share of PVCs, 0 to 1. Whether a beat is a PVC does not depend on the other beats.
  SyntheticEcg(std::int64_t samples, double sample_rate_hz, double pvc_share, std::uint64_t seed);

  // All beats that overlap the recording, in time order. The R peaks of the last ones may lie beyond its end.
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
  std::array<double, 2> phases_;  // phases of the waves of the baseline
  std::vector<SyntheticBeat> beats_;
};

}  // namespace beatscan
