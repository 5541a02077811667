// Compares the ranking of rows around R peaks with its definition, distance by distance. test_ranking.cpp tests it as a
// whole on a recording.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/windows/log_scores.h"
#include "stages/model/vae.h"
#include "stages/score/score.h"
#include "stages/score/scores.h"
#include "stages/windows/embedded_beats.h"
#include "tests/stages/score/ranking_example.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

template <class Context>
class RankBeats : public OnBackend<Context> {
 protected:
  // Puts examples side by side, as leads of one recording. Beats and rhythm are those of the first.
  EmbeddedBeats<Context> embedded(const std::vector<Example>& examples) {
    auto& context = this->context();
    const Example& first = examples.front();
    EmbeddedBeats<Context> result;
    Floats values;
    for (const auto& example : examples) values.insert(values.end(), example.rows.begin(), example.rows.end());
    result.rows = {.values = from_host(context, values),
                   .kept = from_host(context, first.kept),
                   .trainable = from_host(context, first.trainable),
                   .count = std::ssize(values) / kPoints,
                   .points = kPoints};
    result.rhythm.score = from_host(context, first.rhythm);
    result.trusted = from_host(context, first.trusted);
    result.measured = positions_of(context, from_host(context, first.regular), 1);
    for (const auto& example : examples) {
      const std::size_t size = example.rows.size(), at = result.leads.size() * size;
      const auto& reference = example.reference;
      result.leads.push_back({std::ssize(result.leads),
                              {.rows = Buffer<float, Context>::borrowed(result.rows.values.span().subspan(at, size)),
                               .reference = {.rows = from_host(context, reference.rows),
                                             .values = from_host(context, reference.values),
                                             .median = reference.median,
                                             .spread = reference.spread},
                               .from_median = from_host(context, example.from_median),
                               .usual = from_host(context, example.trainable)},
                              {},
                              from_host(context, example.heard),
                              from_host(context, example.noise)});
    }
    return result;
  }
  // Ranks without a model, so that the model's weight has to be 0.
  Ranking rank(const std::vector<Example>& examples, ScoreOptions options) {
    options.model_weight = 0;
    return rank_beats(this->context(), embedded(examples), VaeModel(), {}, options);
  }
  Ranking rank(const Example& beats, ScoreOptions options) { return rank(std::vector{beats}, options); }
  void expect_waveform(const Example& beats, const ScoreOptions& options, const Doubles& expected) {
    const auto found = rank(beats, options);
    ASSERT_EQ(std::ssize(found.waveform), beats.count());
    // The tolerance is for float32 logarithms of sums of 256 terms, divided by a scale of at least 0.35.
    for (std::size_t b = 0; b < expected.size(); ++b) ASSERT_NEAR(found.waveform[b], expected[b], 1e-4) << b;
  }
};
TYPED_TEST_SUITE(RankBeats, Backends, BackendNames);

TYPED_TEST(RankBeats, TheWaveformMatchesItsDefinition) {
  // The ranks among the nearest are 2, as there are no more, then 5, 5, 6 and 30.
  for (const std::int64_t references : {3, 20, 59, 60, 300}) {
    if (left_out()) continue;
    SCOPED_TRACE(references);
    const auto beats = example(400, references, 1);
    const auto median = expected_z(expected_from_median(beats), beats.regular);
    const auto nearest = expected_z(expected_from_nearest(beats), beats.regular);
    this->expect_waveform(beats, {.nearest_weight = 0}, median);
    this->expect_waveform(beats, {.median_weight = 0}, nearest);
    Doubles both(400);
    for (int b = 0; b < 400; ++b) both[b] = 0.75 * median[b] + 0.25 * nearest[b];
    this->expect_waveform(beats, {.median_weight = 3, .nearest_weight = 1}, both);
  }
}

TYPED_TEST(RankBeats, ScoresAreWaveformAndRhythmOfTheKeptBeats) {
  const auto beats = example(200, 50, 2);
  const auto found = this->rank(beats, {});
  const auto plain = expected_z({beats.from_median.begin(), beats.from_median.end()}, beats.regular);
  for (int b = 0; b < 200; ++b) {
    ASSERT_EQ(found.rhythm[b], beats.rhythm[2 * b]) << b;
    const float counted = found.waveform[b] > 0 ? found.waveform[b] : 0.02f * found.waveform[b];
    ASSERT_FLOAT_EQ(found.scores.score[b], counted + found.rhythm[b]) << b;
    ASSERT_NEAR(found.baseline.score[b], plain[b] + found.rhythm[b], 1e-4) << b;
  }
}

// A distance is divided by the noise before it is compared with the others. The baseline ignores noise.
TYPED_TEST(RankBeats, NoiseDividesTheDistances) {
  auto beats = example(400, 60, 8);
  const auto clean = this->rank(beats, {});
  auto median = expected_from_median(beats);
  for (int b = 0; b < 400; ++b) median[b] /= beats.noise[b] = static_cast<float>(1 + b % 4);
  this->expect_waveform(beats, {.nearest_weight = 0}, expected_z(median, beats.regular));
  EXPECT_EQ(this->rank(beats, {}).baseline.score, clean.baseline.score);
}

// The shares of leads are 1 / (spread^2 + 0.02). In the second lead the first ten beats have no signal.
TYPED_TEST(RankBeats, LeadsAreFusedByTheirShares) {
  std::vector<Example> leads{example(400, 60, 9), example(400, 60, 10)};
  leads[1].reference.spread = 0.5;
  leads[1].heard.assign(400, 1);
  std::fill_n(leads[1].heard.begin(), 10, std::uint8_t{0});
  for (int b = 0; b < 400; ++b) leads[1].noise[b] = static_cast<float>(1 + b % 3);
  const Doubles first = expected_from_median(leads[0]), second = expected_from_median(leads[1]);
  const double shares[] = {1 / (0.25 * 0.25 + 0.02), 1 / (0.5 * 0.5 + 0.02)};
  Doubles fused(400);
  for (int b = 0; b < 400; ++b) {
    const double share = b < 10 ? 0 : shares[1];
    fused[b] = (shares[0] * first[b] + share * second[b] / leads[1].noise[b]) / (shares[0] + share);
  }
  const auto expected = expected_z(fused, leads[0].regular);
  const auto found = this->rank(leads, {.nearest_weight = 0});
  for (int b = 0; b < 400; ++b) {
    ASSERT_NEAR(found.waveform[b], expected[b], 1e-4) << b;
    const bool second_says_more = b >= 10 && shares[1] * second[b] / leads[1].noise[b] > shares[0] * first[b];
    ASSERT_EQ(found.lead[b], second_says_more) << b;
    ASSERT_EQ(found.noise[b], second_says_more ? leads[1].noise[b] : 1) << b;
  }
  EXPECT_GT(std::ranges::count(found.lead, 1), 40);
}

// A lead that is identical to another changes nothing.
TYPED_TEST(RankBeats, ALeadTwiceIsThatLead) {
  const auto beats = example(200, 60, 11);
  const auto once = this->rank(beats, {}), twice = this->rank(std::vector{beats, beats}, {});
  for (int b = 0; b < 200; ++b) {
    ASSERT_NEAR(twice.scores.score[b], once.scores.score[b], 1e-5) << b;
    ASSERT_NEAR(twice.baseline.score[b], once.baseline.score[b], 1e-5) << b;
  }
}

TYPED_TEST(RankBeats, TheThresholdIsTheOneAskedFor) {
  const auto found = this->rank(example(200, 50, 3), {.threshold_deviations = 4});
  for (const auto* scores : {&found.scores, &found.baseline}) {
    EXPECT_EQ(scores->threshold, 4);
    for (int b = 0; b < 200; ++b) ASSERT_EQ(scores->anomalous[b], scores->score[b] > 4) << b;
    EXPECT_EQ(scores->anomalous_count, std::ranges::count(scores->anomalous, 1));
    EXPECT_GT(scores->anomalous_count, 0);
    EXPECT_LT(scores->anomalous_count, 200);
  }
}

TYPED_TEST(RankBeats, AFractionIsOneOfTheTrustedBeats) {
  auto beats = example(200, 50, 4);
  for (int b = 0; b < 200; ++b) {
    beats.trusted[b] = b < 101;
    beats.rhythm[2 * b] = b < 101 ? 0 : 1000;
  }
  const auto found = this->rank(beats, {.threshold_fraction = 0.1});
  for (const auto* scores : {&found.scores, &found.baseline}) {
    EXPECT_EQ(std::count(scores->anomalous.begin(), scores->anomalous.begin() + 101, 1), 10) << "of 101";
    EXPECT_EQ(scores->anomalous_count, 10 + 99) << "the others are above it too";
  }
}

// Property: the score of a row does not depend on where in the recording it is.
TYPED_TEST(RankBeats, AreOfEachRowByItself) {
  const auto beats = example(100, 40, 5);
  Example reversed = beats;
  for (std::int64_t b = 0; b < 100; ++b) {
    std::copy_n(beats.rows.begin() + b * kPoints, kPoints, reversed.rows.begin() + (99 - b) * kPoints);
    reversed.from_median[99 - b] = beats.from_median[b];
    reversed.regular[99 - b] = beats.regular[b];
    reversed.rhythm[2 * (99 - b)] = beats.rhythm[2 * b];
  }
  auto found = this->rank(reversed, {});
  std::ranges::reverse(found.scores.score);
  EXPECT_EQ(found.scores.score, this->rank(beats, {}).scores.score);
}

TYPED_TEST(RankBeats, RefusesNoWeight) {
  EXPECT_THROW_KIND(this->rank(example(20, 10, 6), {.median_weight = 0, .nearest_weight = 0}), ErrorKind::internal);
}

// Compares with what the model decodes from the typical latents around a beat. The model itself gives the errors; the
// rest follows the definition.
TYPED_TEST(RankBeats, TheModelsPartIsItsErrorAtTheTypicalLatents) {
  auto& context = this->context();
  const auto beats = example(150, 40, 7);
  const auto embedded = this->embedded({beats});
  const auto model = train_vae(context, embedded.rows, {.epochs = 2, .generated_beats = 0}, {7, {}}).model;
  const auto buffers = score_rows(context, model, embedded.rows);
  const auto scores = to_host(context, buffers);
  const ScoreOptions options{.median_weight = 0, .nearest_weight = 0, .model_weight = 1, .model_beats = 6};
  const auto found = rank_beats(context, embedded, model, buffers, options);
  Floats around(scores.latents.size());
  Cpu cpu;
  neighbourhood_medians(cpu, scores.latents, 2, beats.trainable, 6, around);
  const auto decoded =
      to_host(context, decoded_errors(context, model, embedded.rows, from_host(context, around).span()));
  Doubles errors;
  for (const float error : decoded) errors.push_back(std::pow(beats.reference.spread, 2) * error);
  const auto expected = expected_z(errors, beats.regular);
  for (int b = 0; b < 150; ++b) ASSERT_NEAR(found.waveform[b], expected[b], 1e-4) << b;
  EXPECT_NE(decoded, scores.reconstruction_error);
}

}  // namespace
}  // namespace beatscan
