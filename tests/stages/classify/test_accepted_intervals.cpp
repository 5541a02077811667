#include "stages/classify/accepted_intervals.h"

#include <algorithm>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

std::vector<double> regular(std::size_t beats) { return std::vector<double>(beats, 0.8); }

struct OnHostIntervals {
  std::vector<double> reference_s, scatter, margin;
  std::vector<std::uint8_t> premature;
};

template <class Context>
class AcceptedIntervalTest : public OnBackend<Context> {
 protected:
  OnHostIntervals accepted_intervals(const std::vector<double>& rr, const std::vector<std::uint8_t>& excluded) {
    auto& context = this->context();
    AcceptedIntervals<Context> found(context, std::ssize(rr));
    find_accepted<Context>(context, from_host(context, rr), rr, excluded, found);
    return {to_host(context, found.reference_s), to_host(context, found.scatter), to_host(context, found.margin),
            found.premature};
  }
};
TYPED_TEST_SUITE(AcceptedIntervalTest, Backends, BackendNames);

TYPED_TEST(AcceptedIntervalTest, OfARegularRhythmAreItsOwn) {
  const auto rr = regular(100);
  const auto found = this->accepted_intervals(rr, std::vector<std::uint8_t>(100));
  EXPECT_EQ(found.reference_s, rr);
  EXPECT_EQ(found.premature, std::vector<std::uint8_t>(100));
  EXPECT_EQ(found.scatter, std::vector<double>(100));
}

TYPED_TEST(AcceptedIntervalTest, LeaveOutAPrematureBeatAndItsPause) {
  auto rr = regular(100);
  rr[50] = 0.5, rr[51] = 1.1;
  const auto found = this->accepted_intervals(rr, std::vector<std::uint8_t>(100));
  for (std::size_t i = 0; i < rr.size(); ++i) EXPECT_EQ(found.premature[i], i == 50) << i;
  EXPECT_EQ(found.reference_s, regular(100));
  // 1 - 0.5 / 0.8 + 0.375 / 2 + 0.6 * 0.2
  EXPECT_NEAR(found.margin[50], 0.375 + 0.1875 + 0.12, 1e-12);
}

TYPED_TEST(AcceptedIntervalTest, SetBeatsOfTheMaskAside) {
  auto rr = regular(100);
  rr[50] = 0.5, rr[51] = 1.1;
  std::vector<std::uint8_t> excluded(100);
  excluded[50] = 1;
  EXPECT_EQ(this->accepted_intervals(rr, excluded).premature, std::vector<std::uint8_t>(100));
}

// A beat soon after an interpolated one is not premature: it comes when it is due.
TYPED_TEST(AcceptedIntervalTest, MeasureAcrossBeatsThatAreSetAside) {
  auto rr = regular(101);
  rr[50] = 0.4, rr[51] = 0.4;
  std::vector<std::uint8_t> excluded(101);
  EXPECT_EQ(this->accepted_intervals(rr, excluded).premature[50], 1);
  excluded[50] = 1;
  EXPECT_EQ(this->accepted_intervals(rr, excluded).premature, std::vector<std::uint8_t>(101));
}

// In a bigeminy half of the intervals are short, and the reference is none of them.
TYPED_TEST(AcceptedIntervalTest, FindEveryOtherBeatOfABigeminy) {
  auto rr = regular(200);
  for (std::size_t i = 60; i < 140; i += 2) rr[i] = 0.5, rr[i + 1] = 1.1;
  const auto found = this->accepted_intervals(rr, std::vector<std::uint8_t>(200));
  for (std::size_t i = 0; i < rr.size(); ++i) EXPECT_EQ(found.premature[i], i >= 60 && i < 140 && i % 2 == 0) << i;
}

TYPED_TEST(AcceptedIntervalTest, GoOnWithARunUntilItEnds) {
  auto rr = regular(120);
  for (std::size_t i = 50; i < 62; ++i) rr[i] = 0.45;
  rr[62] = 1.0;
  const auto found = this->accepted_intervals(rr, std::vector<std::uint8_t>(120));
  for (std::size_t i = 0; i < rr.size(); ++i) EXPECT_EQ(found.premature[i], i >= 50 && i < 62) << i;
}

TYPED_TEST(AcceptedIntervalTest, AreFiniteForOneAndTwoBeats) {
  for (const std::size_t beats : {1, 2}) {
    const auto found = this->accepted_intervals(regular(beats), std::vector<std::uint8_t>(beats, 1));
    EXPECT_EQ(found.reference_s, regular(beats));
    EXPECT_EQ(found.premature, std::vector<std::uint8_t>(beats));
  }
}

// Half of the beats are excluded, in rows that take longer than the longest interval.
TYPED_TEST(AcceptedIntervalTest, LongRowsOfExcludedBeatsEndWithNoPrematureBeat) {
  std::vector<double> rr = regular(400);
  std::vector<std::uint8_t> excluded(400);
  for (std::size_t i = 100; i < 200; ++i) rr[i] = 0.15, excluded[i] = 1;
  rr[200] = 0.3;
  EXPECT_EQ(this->accepted_intervals(rr, excluded).premature[200], 0);
  EXPECT_EQ(this->accepted_intervals(rr, std::vector<std::uint8_t>(400)).premature[300], 0);
}

// Premature beats of a random rhythm: the GPU finds what the CPU does.
TYPED_TEST(AcceptedIntervalTest, AreTheSameBitsOnBothBackEnds) {
  std::vector<double> rr(5000);
  std::vector<std::uint8_t> excluded(5000);
  unsigned random = 3;
  for (std::size_t i = 0; i < rr.size(); ++i) {
    random = random * 1'664'525 + 1'013'904'223;
    rr[i] = 0.8 + 1e-9 * (random >> 4) / 4;
    if (random >> 28 == 0) rr[i] *= 0.6;
    if (i % 1000 > 900) rr[i] = 0.4;
    excluded[i] = random >> 27 == 4;
  }
  const auto found = this->accepted_intervals(rr, excluded);
  Cpu cpu(1);
  AcceptedIntervals<Cpu> expected(cpu, std::ssize(rr));
  find_accepted<Cpu>(cpu, rr, rr, excluded, expected);
  EXPECT_EQ(found.reference_s, to_host(cpu, expected.reference_s));
  EXPECT_EQ(found.scatter, to_host(cpu, expected.scatter));
  EXPECT_EQ(found.margin, to_host(cpu, expected.margin));
  EXPECT_EQ(found.premature, expected.premature);
  EXPECT_GT(std::ranges::count(found.premature, 1), 200);
}

}  // namespace
}  // namespace beatscan
