// app/synthetic/generate.h — a synthetic ECG in mV with known beats.
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
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace beatscan {

class Cpu;

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

enum class GenerateStyle {
  decimal3,    // -0.430                     20 M samples are about 126 MB
  decimal6,    // -0.430000                  186 MB
  exponent18,  // -4.300000071525573730e-01  506 MB: every digit of the float32 and more, as numpy.savetxt writes
};
std::optional<GenerateStyle> generate_style(std::string_view name);

struct GenerateOptions {
  std::int64_t samples = 0;
  double sample_rate_hz = 250;
  double abnormal_share = 0.02;  // share of premature ventricular contractions (V); the other beats are N
  std::uint64_t seed = 1;
  GenerateStyle style = GenerateStyle::decimal3;
};

struct GenerateResult {
  std::filesystem::path truth_path;
  std::int64_t bytes = 0;  // the size of the CSV file
  std::int64_t beats = 0, abnormal_beats = 0;
};

// Writes two files. The bytes depend only on the options, not on the number of threads.
//   NAME.csv        the column `heartbeats` in mV
//   NAME.truth.csv  the columns `sample`, the R peak, and `symbol`
// Throws ErrorKind::usage for options out of range. Throws ErrorKind::output, and leaves neither file, if one cannot be
// written, or exists and `force` is not set.
GenerateResult generate(const Cpu& cpu, const GenerateOptions& options, const std::filesystem::path& path,
                        bool force = false);

// Writes the text of a sample to `out`, without a line end, and returns its end.
inline constexpr int kLongestSample = 64;
char* format_sample(float mV, GenerateStyle style, char* out);

}  // namespace beatscan
