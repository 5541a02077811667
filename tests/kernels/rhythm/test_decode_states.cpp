#include "kernels/rhythm/decode_states.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "kernels/runtime/buffer.h"
#include "tests/kernels/rhythm/expected_states.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Rows = std::vector<StateValues>;

// Beats that change their state at random, with log odds of some `evidence` for it.
Rows random_log_p(std::int64_t beats, int states, double evidence, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Rows rows(beats);
  int state = 0;
  for (StateValues& row : rows) {
    if (random() % 50 == 0) state = static_cast<int>(random() % states);
    row.fill(-std::numeric_limits<float>::infinity());
    double all = 0;
    for (int s = 0; s < states; ++s) {
      row[s] = static_cast<float>(normal(random) + (s == state ? evidence : 0));
      all += std::exp(row[s]);
    }
    for (int s = 0; s < states; ++s) row[s] -= static_cast<float>(std::log(all));
  }
  return rows;
}

StateDecoder decoder_of(int states, int rounds) {
  StateDecoder decoder{.prior = {},
                       .training_prior = std::vector<double>(states, 1.0 / states),
                       .temperature = 0.4,
                       .balance = 0.7,
                       .stay = 0.98,
                       .prior_beats = 20,
                       .rounds = rounds};
  for (int s = 0; s < states; ++s) decoder.prior.push_back(s + 1.0);
  divide_by_sum(decoder.prior);
  return decoder;
}

template <class Context>
class DecodedStatesOn : public OnBackend<Context> {
 protected:
  DecodedStates found(const Rows& rows, const StateDecoder& decoder) {
    return decode_states(this->context(), from_host(this->context(), rows), decoder);
  }
  // Sums are rounded to float32 on the way, and add up to the number of beats.
  void expect_decoded(const Rows& rows, const StateDecoder& decoder) {
    const DecodedStates its = found(rows, decoder);
    const auto prior = expected_prior(rows, decoder);
    ASSERT_EQ(its.prior.size(), prior.size());
    for (std::size_t s = 0; s < prior.size(); ++s) EXPECT_NEAR(its.prior[s], prior[s], 2e-6) << s;
    EXPECT_EQ(its.path, expected_path(rows, decoder, its.prior));
    ASSERT_EQ(its.probability.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      ASSERT_NEAR(its.probability[i], std::exp(static_cast<double>(rows[i][its.path[i]])), 1e-15) << i;
  }
};
TYPED_TEST_SUITE(DecodedStatesOn, Backends, BackendNames);

// Two states. One beat of three is against the other two, and not as much as two changes of the state cost.
TYPED_TEST(DecodedStatesOn, ByHand) {
  const auto row = [](double p) {
    StateValues values;
    values.fill(-std::numeric_limits<float>::infinity());
    values[0] = static_cast<float>(std::log(p)), values[1] = static_cast<float>(std::log(1 - p));
    return values;
  };
  const StateDecoder decoder{{0.5, 0.5}, {0.5, 0.5}, 1, 1, 0.8, 10, 0};
  const auto decoded = this->found({row(0.9), row(0.2), row(0.9)}, decoder);
  EXPECT_EQ(decoded.path, (std::vector<int>{0, 0, 0}));  // 0.9 0.2 0.9 (0.9 0.9) against 0.9 0.8 0.9 (0.1 0.1)
  EXPECT_NEAR(decoded.probability[1], 0.2, 1e-7);
  EXPECT_EQ(decoded.prior, decoder.prior);
  EXPECT_EQ(this->found({row(0.9), row(0.01), row(0.9)}, decoder).path, (std::vector<int>{0, 1, 0}));
}

// Around the GPU's chunks of 16 and more beats.
TYPED_TEST(DecodedStatesOn, MatchTheirDefinition) {
  for (const std::int64_t beats : {1, 2, 3, 15, 16, 17, 128, 129, 1000, 4001})
    for (const int states : {1, 2, 15, 16})
      for (const int rounds : {0, 2}) {
        SCOPED_TRACE(testing::Message() << beats << " beats, " << states << " states, " << rounds << " rounds");
        this->expect_decoded(random_log_p(beats, states, 1, static_cast<std::uint64_t>(beats)),
                             decoder_of(states, rounds));
      }
}

// Probabilities are scaled on the way, because they get smaller than float32 holds.
TYPED_TEST(DecodedStatesOn, AreThoseOfRareStatesAndStrongEvidence) {
  auto decoder = decoder_of(15, 3);
  decoder.prior[3] = decoder.prior[7] = 1e-12;
  divide_by_sum(decoder.prior);
  decoder.temperature = 1;
  decoder.stay = 0.999;
  for (const double evidence : {4, 30}) this->expect_decoded(random_log_p(3000, 15, evidence, 9), decoder);
}

// No state continues: each is drawn.
TYPED_TEST(DecodedStatesOn, MayChangeAtEachBeat) {
  auto decoder = decoder_of(4, 1);
  decoder.stay = 0;
  this->expect_decoded(random_log_p(700, 4, 2, 5), decoder);
}

TYPED_TEST(DecodedStatesOn, OfNoBeatsAreNone) {
  const auto decoded = this->found({}, decoder_of(3, 2));
  EXPECT_TRUE(decoded.path.empty());
  EXPECT_EQ(decoded.prior, decoder_of(3, 2).prior);
}

TYPED_TEST(DecodedStatesOn, AreTheSameEachTime) {
  const auto rows = random_log_p(5000, 15, 1, 3);
  const auto first = this->found(rows, decoder_of(15, 2)), second = this->found(rows, decoder_of(15, 2));
  EXPECT_EQ(first.prior, second.prior);
  EXPECT_EQ(first.path, second.path);
}

TYPED_TEST(DecodedStatesOn, RefuseBadShapes) {
  auto decoder = decoder_of(3, 1);
  decoder.training_prior.pop_back();
  EXPECT_THROW_KIND(this->found(Rows(2), decoder), ErrorKind::internal);
  EXPECT_THROW_KIND(this->found(Rows(2), decoder_of(kMostStates + 1, 1)), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
