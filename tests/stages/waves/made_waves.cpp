#include "tests/stages/waves/made_waves.h"

#include <algorithm>
#include <cmath>

#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"

namespace beatscan {
namespace {

using namespace waves;

void add_wave(std::vector<float>& x, double rate_hz, double at_s, double width_s, double height_mv) {
  const auto first = static_cast<std::int64_t>((at_s - 6 * width_s) * rate_hz),
             last = static_cast<std::int64_t>((at_s + 6 * width_s) * rate_hz);
  for (std::int64_t i = std::max<std::int64_t>(first, 0); i <= std::min(last, std::ssize(x) - 1); ++i) {
    const double apart = (static_cast<double>(i) / rate_hz - at_s) / width_s;
    x[i] += static_cast<float>(height_mv * std::exp(-0.5 * apart * apart));
  }
}

// Expects the waves of one beat in ascending order, within a recording of this many samples.
void expect_waves_in_order(const float* at, double r_peak, double samples, double step) {
  double before = -1e9;
  for (int i = 0; i < kFiducials; ++i) {
    if (std::isnan(at[i])) continue;
    ASSERT_TRUE(std::isfinite(at[i])) << "fiducial " << i;
    if (i != kRPeak && i != kTPeak) {  // these come from elsewhere
      ASSERT_GE(at[i], before) << "fiducial " << i;
      before = at[i];
    }
    ASSERT_GE(r_peak + at[i] * step, -step) << "fiducial " << i;
    ASSERT_LE(r_peak + at[i] * step, samples - 1 + step) << "fiducial " << i;
  }
  for (const int onset : {kPOnset, kQrsOnset, kTOnset}) ASSERT_EQ(std::isnan(at[onset]), std::isnan(at[onset + 2]));
}

}  // namespace

std::vector<double> beats_every(double rr_s, int beats) {
  std::vector<double> at;
  for (int i = 0; i < beats; ++i) at.push_back(0.6 + rr_s * i);
  return at;
}

std::vector<float> MadeWaves::lead() const {
  std::vector<float> x(static_cast<std::size_t>((beats_s.back() + behind_s) * rate_hz));
  unsigned noise = 7;
  for (auto& value : x)
    value = static_cast<float>(0.01 * ((noise = noise * 1'664'525 + 1'013'904'223) / 4294967296.0 - 0.5));
  const auto add = [&](double at_s, double width_s, double height_mv) {
    add_wave(x, rate_hz, at_s, width_s, height_mv);
  };
  for (const double at : beats_s) {
    if (std::ranges::find(without_p_s, at) == without_p_s.end()) add(at - 0.16, 0.022, 0.12);
    add(at - 0.025, 0.008, -0.1 * gain);
    add(at, 0.012, 1.1 * gain);
    add(at + 0.03, 0.01, -0.25 * gain);
    add(at + 0.27, 0.045, 0.3 * gain);
  }
  for (const double at : p_alone_s) add(at, 0.022, 0.12);
  for (auto& value : x) value *= static_cast<float>(size);
  return x;
}

std::vector<double> MadeWaves::r_peaks() const {
  std::vector<double> peaks;
  for (const double at : beats_s) peaks.push_back(std::round(at * rate_hz));
  return peaks;
}

void expect_same(const BeatWaves& found, const BeatWaves& expected) {
  EXPECT_EQ(found.leads, expected.leads);
  EXPECT_EQ(bits_of(found.fiducials), bits_of(expected.fiducials));
  EXPECT_EQ(bits_of(found.lead_fiducials), bits_of(expected.lead_fiducials));
  EXPECT_EQ(bits_of(found.lead_amplitudes), bits_of(expected.lead_amplitudes));
  EXPECT_EQ(bits_of(found.qtc_ms), bits_of(expected.qtc_ms));
  EXPECT_EQ(bits_of(found.st_mv), bits_of(expected.st_mv));
  EXPECT_EQ(bits_of(found.confidence), bits_of(expected.confidence));
  EXPECT_EQ(bits_of(found.p_evidence), bits_of(expected.p_evidence));
  EXPECT_EQ(bits_of(found.p_similarity), bits_of(expected.p_similarity));
  EXPECT_EQ(bits_of(found.lead_tq_mv), bits_of(expected.lead_tq_mv));
  ASSERT_EQ(found.non_conducted.size(), expected.non_conducted.size());
  for (std::size_t i = 0; i < found.non_conducted.size(); ++i) {
    EXPECT_EQ(found.non_conducted[i].beat, expected.non_conducted[i].beat);
    EXPECT_EQ(found.non_conducted[i].onset, expected.non_conducted[i].onset);
    EXPECT_EQ(found.non_conducted[i].offset, expected.non_conducted[i].offset);
  }
}

void expect_sound(const BeatWaves& found, const std::vector<double>& r_peaks, std::int64_t samples, double rate_hz) {
  const double step = rate_hz / kValuesHz;
  const std::int64_t beats = std::ssize(r_peaks), leads = std::ssize(found.leads);
  ASSERT_EQ(found.beats(), beats);
  for (std::int64_t b = 0; b < beats; ++b) {
    SCOPED_TRACE("beat " + std::to_string(b));
    expect_waves_in_order(found.fiducials_of(b).data(), r_peaks[b], static_cast<double>(samples), step);
    for (std::int64_t l = 0; l < leads; ++l)
      expect_waves_in_order(found.lead_fiducials.data() + (l * beats + b) * kFiducials, r_peaks[b],
                            static_cast<double>(samples), step);
    ASSERT_GE(found.p_evidence[b], 0);
    ASSERT_LE(found.p_evidence[b], 1);
    for (int wave = 0; wave < kMasks; ++wave) {
      const float confidence = found.confidence[b * kMasks + wave];
      const bool there = !std::isnan(found.fiducials_of(b)[3 * wave]);
      if (there) {
        ASSERT_TRUE(confidence >= (wave == kMaskP ? 0.5F : 0.0F) && confidence <= 1) << "wave " << wave;
      } else {
        ASSERT_FALSE(confidence >= 0.5F) << "wave " << wave;
      }
    }
  }
  for (const auto* values :
       {&found.lead_amplitudes, &found.qtc_ms, &found.st_mv, &found.p_similarity, &found.lead_tq_mv})
    for (const float value : *values) ASSERT_FALSE(std::isinf(value));
  for (const NonConductedP& wave : found.non_conducted) {
    ASSERT_LT(wave.onset, wave.offset);
    ASSERT_GT(wave.onset, r_peaks[wave.beat]);
    ASSERT_LT(wave.offset, r_peaks[wave.beat + 1]);
  }
}

}  // namespace beatscan
