#include "kernels/waves/wave_confidence.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/runtime/buffer.h"
#include "kernels/waves/amplitudes.h"
#include "tests/kernels/waves/made_masks.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::waves {
namespace {

using Row = std::vector<float>;

// All measures of synthetic beats, on the host.
struct MadeBeats {
  std::int64_t beats, leads;
  std::vector<double> before, after;
  Row fiducials, lead_fiducials, levels, heights, amplitudes, tq_mv, similarity;

  // Beats in which every measure is as in all others.
  MadeBeats(std::int64_t beats, std::int64_t leads)
      : beats(beats),
        leads(leads),
        before(beats, 200),
        after(beats, 200),
        fiducials(beats * kFiducials, 1),
        lead_fiducials(leads * beats * kFiducials, 1),
        levels(leads * kMasks * beats, 0.9F),
        heights(leads * beats, 1),
        amplitudes(leads * beats * kAmplitudes, 0.1F),
        tq_mv(leads * beats, 0.01F),
        similarity(beats, 0.8F) {
    before.front() = after.back() = kFar;
  }
  float& level(std::int64_t lead, int wave, std::int64_t beat) { return levels[(lead * kMasks + wave) * beats + beat]; }
  void take_off(std::int64_t beat, int wave) {
    fiducials[beat * kFiducials + 3 * wave] = NAN;
    for (std::int64_t l = 0; l < leads; ++l) level(l, wave, beat) = NAN;
  }
};

// One input of one wave with a weight of 1, a mean and a scale; the others do not count.
ConfidenceModel one_input(int wave, int input, double mean = 0, double scale = 1) {
  ConfidenceModel model;
  model.waves[wave].inputs[input] = {.mean = mean, .scale = scale, .weight = 1};
  return model;
}

double log_odds(double p) { return std::log(p / (1 - p)); }

template <class Context>
class WaveConfidence : public OnBackend<Context> {
 protected:
  Row confidence(const MadeBeats& made, const ConfidenceModel& model) {
    auto& context = this->context();
    const auto before = from_host(context, made.before), after = from_host(context, made.after);
    const auto fiducials = from_host(context, made.fiducials), levels = from_host(context, made.levels);
    const auto heights = from_host(context, made.heights), amplitudes = from_host(context, made.amplitudes);
    const auto tq_mv = from_host(context, made.tq_mv), similarity = from_host(context, made.similarity);
    Buffer<float, Context> found(context, made.beats * kMasks);
    wave_confidence(context,
                    {.before = before,
                     .after = after,
                     .fiducials = fiducials,
                     .lead_levels = levels,
                     .lead_heights = heights,
                     .lead_amplitudes = amplitudes,
                     .lead_tq_mv = tq_mv,
                     .p_similarity = similarity},
                    model, found);
    return to_host(context, found);
  }
  // Returns the input that a model of one input with mean 0 and scale 1 sees of a beat.
  double input(const MadeBeats& made, int wave, int which, std::int64_t beat) {
    return log_odds(confidence(made, one_input(wave, which))[beat * kMasks + wave]);
  }
  Row levels(const MadeMasks& masks, const Row& fiducials, Mask wave) {
    auto& context = this->context();
    Buffer<float, Context> found(context, masks.beats());
    mask_levels(context, from_host(context, masks.masks), from_host(context, fiducials), wave, found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(WaveConfidence, Backends, BackendNames);

// A straight line has the mean of its ends. Beyond the window's ends its first and last values hold.
TYPED_TEST(WaveConfidence, LevelsOfLinesByHand) {
  MadeMasks masks({200});
  for (int which = 0; which < kMasks; ++which)
    for (int k = 0; k < kValues; ++k) masks.mask(0, which)[k] = static_cast<float>(k) / kValues;
  const Row fiducials{40 - kRValue,  0, 60.5F - kRValue,        // 40 to 60.5
                      NAN,           0, NAN,                    // none
                      310 - kRValue, 0, 319 + 9.0F - kRValue};  // half of it beyond the end
  EXPECT_NEAR(this->levels(masks, fiducials, kMaskP)[0], 50.25 / kValues, 1e-6);
  EXPECT_TRUE(std::isnan(this->levels(masks, fiducials, kMaskQrs)[0]));
  double sum = 0;
  for (int j = 0; j < kLevelPlaces; ++j) sum += std::min(310 + 18 * (j + 0.5) / kLevelPlaces, 319.0);
  EXPECT_NEAR(this->levels(masks, fiducials, kMaskT)[0], sum / kLevelPlaces / kValues, 1e-6);
}

// Levels are sums of 16 values of at most 1, rounded to float32.
TYPED_TEST(WaveConfidence, LevelsMatchTheirDefinition) {
  const auto masks = MadeMasks::random(301, 11);
  const Row fiducials = masks.expected_fiducials();
  int waves = 0;
  for (const Mask which : {kMaskP, kMaskQrs, kMaskT}) {
    const Row found = this->levels(masks, fiducials, which);
    for (std::int64_t b = 0; b < masks.beats(); ++b) {
      const double onset = fiducials[b * kFiducials + 3 * which], offset = fiducials[b * kFiducials + 3 * which + 2];
      ASSERT_EQ(std::isnan(found[b]), std::isnan(onset)) << b << " " << which;
      if (std::isnan(onset)) continue;
      double sum = 0;
      for (int j = 0; j < kLevelPlaces; ++j) {
        const double place = std::clamp(onset + (offset - onset) * (j + 0.5) / kLevelPlaces + kRValue, 0.0, 319.0);
        const int below = std::min(static_cast<int>(place), kValues - 2);
        const float* mask = masks.mask(b, which) + below;
        sum += mask[0] + (place - below) * (double{mask[1]} - mask[0]);
      }
      ASSERT_NEAR(found[b], sum / kLevelPlaces, 1e-6) << b << " " << which;
      ++waves;
    }
  }
  EXPECT_GT(waves, 300);
}

TYPED_TEST(WaveConfidence, IsAbsentWithItsWave) {
  MadeBeats made(5, 2);
  made.take_off(2, kMaskP);
  made.take_off(3, kMaskT);
  const Row found = this->confidence(made, {});
  for (int b = 0; b < 5; ++b)
    for (int wave = 0; wave < kMasks; ++wave) {
      const bool absent = (b == 2 && wave == kMaskP) || (b == 3 && wave == kMaskT);
      EXPECT_EQ(std::isnan(found[b * kMasks + wave]), absent) << b << " " << wave;
      if (absent) continue;
      EXPECT_EQ(found[b * kMasks + wave], 0.5F) << "a model without weights";
    }
  EXPECT_TRUE(this->confidence(MadeBeats(1, 1), one_input(kMaskP, 0)).size() == 3);
}

// The probability, from which inputs are read back, is rounded to float32: 1e-7 of 0.1 and more.
TYPED_TEST(WaveConfidence, LevelsAreMeansOverLeadsAndNeighbours) {
  MadeBeats made(30, 2);
  made.level(0, kMaskP, 9) = 0.5F;
  made.level(1, kMaskP, 10) = NAN;
  made.take_off(12, kMaskP);
  EXPECT_NEAR(this->input(made, kMaskP, 0, 9), 0.7, 1e-5);
  EXPECT_NEAR(this->input(made, kMaskP, 0, 10), 0.9, 1e-5);
  EXPECT_NEAR(this->input(made, kMaskP, 1, 4), (11 * 0.9 + 0.7) / 13, 1e-5) << "beat 12 has none";
  EXPECT_NEAR(this->input(made, kMaskP, 1, 10), (15 * 0.9 + 0.7) / 17, 1e-5) << "the beat counts itself";
  EXPECT_NEAR(this->input(made, kMaskP, 1, 29), 0.9, 1e-5) << "there are no beats after the last";
  EXPECT_NEAR(this->input(made, kMaskQrs, 0, 10), 0.9, 1e-5);
  EXPECT_NEAR(this->input(made, kMaskT, 0, 10), 0.9, 1e-5);
}

TYPED_TEST(WaveConfidence, AmplitudesAreComparedWithTheActivityOverLeadsThatHaveBoth) {
  MadeBeats made(4, 3);
  const auto amplitude = [&](int lead, int which) -> float& {
    return made.amplitudes[(lead * 4 + 1) * kAmplitudes + which];
  };
  amplitude(0, kPAmplitude) = -0.3F;
  amplitude(1, kPAmplitude) = 0.4F;
  amplitude(2, kPAmplitude) = NAN;
  made.tq_mv[2 * 4 + 1] = 5;
  EXPECT_NEAR(this->input(made, kMaskP, 2, 1), std::log(0.5 / std::sqrt(0.0002)), 2e-5);
  made.tq_mv[4 + 1] = NAN;
  EXPECT_NEAR(this->input(made, kMaskP, 2, 1), std::log(0.3 / 0.01), 2e-5);
  made.tq_mv[1] = NAN;
  EXPECT_NEAR(this->input(made, kMaskP, 2, 1), 0, 1e-6) << "a missing input is its mean";
  EXPECT_NEAR(this->input(made, kMaskT, 2, 0), std::log(0.1 / 0.01), 2e-5);
  EXPECT_NEAR(this->input(made, kMaskP, 3, 0), 0.8, 1e-5) << "similarity";
}

TYPED_TEST(WaveConfidence, HeightsAndIntervalsAreComparedWithTheNeighbours) {
  MadeBeats made(20, 2);
  made.heights[10] = 0.25F;  // of the first lead: half the geometric mean
  made.heights[20 + 5] = 4;
  EXPECT_NEAR(this->input(made, kMaskQrs, 1, 10), -std::log(2) - std::log(2) / 16, 1e-5);
  EXPECT_NEAR(this->input(made, kMaskT, 1, 10), -std::log(2) - std::log(2) / 16, 1e-5);
  EXPECT_NEAR(this->input(made, kMaskQrs, 1, 5), 0, 1e-6) << "at most 0";
  made.before[10] = made.after[9] = 50;
  made.before[11] = made.after[10] = 150;
  const double others = (14 * std::log(200) + std::log(150)) / 15;  // without beat 0, and without beat 10 itself
  EXPECT_NEAR(this->input(made, kMaskQrs, 2, 8),
              std::log(200) - (13 * std::log(200) + std::log(50) + std::log(150)) / 15, 1e-5);
  EXPECT_NEAR(this->input(made, kMaskQrs, 2, 10), std::log(100) - (others * 15 + std::log(200)) / 16, 1e-5);
  EXPECT_NEAR(this->input(made, kMaskQrs, 2, 0), 0, 1e-6) << "without an interval before";
  EXPECT_NEAR(this->input(MadeBeats(1, 1), kMaskQrs, 1, 0), 0, 1e-6) << "without neighbours";
}

TYPED_TEST(WaveConfidence, IsALogisticRegressionOfStandardisedInputs) {
  const MadeBeats made(6, 1);
  ConfidenceModel model = one_input(kMaskP, 0, 0.4, 0.25);
  model.waves[kMaskP].bias = -0.75;
  model.waves[kMaskP].inputs[3] = {.mean = 0.5, .scale = 0.1, .weight = -0.5};
  const double sum = -0.75 + (0.9 - 0.4) / 0.25 - 0.5 * (0.8 - 0.5) / 0.1;
  EXPECT_NEAR(this->confidence(made, model)[2 * kMasks], 1 / (1 + std::exp(-sum)), 1e-6);
}

TYPED_TEST(WaveConfidence, UncertainPWavesAreLeftOut) {
  auto& context = this->context();
  MadeBeats made(3, 2);
  const float half = 0.5F, less = std::nextafter(half, 0.0F);
  auto fiducials = from_host(context, made.fiducials), lead_fiducials = from_host(context, made.lead_fiducials);
  auto amplitudes = from_host(context, made.amplitudes);
  leave_out_uncertain_p(context, from_host(context, Row{half, 0, 0, less, 1, 1, NAN, 0, 0}), fiducials, lead_fiducials,
                        amplitudes);
  const Row fused = to_host(context, fiducials), of_leads = to_host(context, lead_fiducials);
  const Row mv = to_host(context, amplitudes);
  for (int b = 0; b < 3; ++b) {
    for (int i = 0; i < kFiducials; ++i) {
      EXPECT_EQ(std::isnan(fused[b * kFiducials + i]), b == 1 && i <= kPOffset) << b << " " << i;
      for (int l = 0; l < 2; ++l)
        EXPECT_EQ(std::isnan(of_leads[(l * 3 + b) * kFiducials + i]), b == 1 && i <= kPOffset) << b << " " << i;
    }
    for (int l = 0; l < 2; ++l)
      for (int i = 0; i < kAmplitudes; ++i)
        EXPECT_EQ(std::isnan(mv[(l * 3 + b) * kAmplitudes + i]), b == 1 && i == kPAmplitude) << b << " " << i;
  }
}

TYPED_TEST(WaveConfidence, RefusesOtherShapes) {
  auto& context = this->context();
  Buffer<float, TypeParam> masks(context, kMasks * kValues), fiducials(context, kFiducials), levels(context, 2);
  EXPECT_THROW_KIND(mask_levels(context, masks, fiducials, kMaskP, levels), ErrorKind::internal);
  MadeBeats made(3, 1);
  made.similarity.pop_back();
  EXPECT_THROW_KIND(this->confidence(made, {}), ErrorKind::internal);
  EXPECT_THROW_KIND(leave_out_uncertain_p(context, levels, fiducials, fiducials, levels), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::waves
