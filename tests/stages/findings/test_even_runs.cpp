#include "stages/findings/even_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stages/findings/finding_options.h"

namespace beatscan {
namespace {

using Intervals = std::vector<double>;

constexpr double kEvenRate_hz = 375;  // 300 samples are 75 beats a minute

// Returns the first early beat of [0, K) and how many there are. Beat i ends interval i.
std::pair<std::int64_t, std::int64_t> early_run(const Intervals& rr, std::vector<std::uint8_t> aside = {},
                                                double reference = 300, double change = 0) {
  aside.resize(rr.size());
  std::vector<std::uint8_t> early(rr.size());
  add_even_runs(rr, Intervals(rr.size(), reference), Intervals(rr.size(), change), aside, kEvenRate_hz, {}, early);
  const auto first = std::find(early.begin(), early.end(), 1) - early.begin();
  return {first, std::count(early.begin(), early.end(), 1)};
}

const std::pair<std::int64_t, std::int64_t> kNoEvenRun{40, 0};

// Forty beats 300 samples apart but for a run from the tenth on.
Intervals around(const Intervals& run) {
  Intervals rr(40, 300);
  std::ranges::copy(run, rr.begin() + 10);
  return rr;
}

TEST(EvenRuns, BeginAndEndAtOnce) {
  EXPECT_EQ(early_run(around(Intervals(6, 235))), std::pair(std::int64_t{10}, std::int64_t{6}));
  EXPECT_EQ(early_run(around(Intervals(5, 235))), kNoEvenRun) << "five beats are too few";
  EXPECT_EQ(early_run(around(Intervals(6, 262))), kNoEvenRun) << "no jump";
  EXPECT_EQ(early_run(around({280, 240, 240, 240, 240, 240, 240})), kNoEvenRun) << "the rate rises in two steps";
  EXPECT_EQ(early_run(around({235, 235, 235, 235, 235, 235, 260, 280})), kNoEvenRun) << "it falls again gradually";
  EXPECT_EQ(early_run(around({235, 235, 235, 260, 235, 235, 235})), kNoEvenRun) << "one interval differs";
  EXPECT_EQ(early_run(around({230, 237, 244, 251, 251, 251, 254})), kNoEvenRun) << "the intervals grow";
}

TEST(EvenRuns, FasterThanTheUsualRate) {
  EXPECT_EQ(early_run(around(Intervals(6, 235)), {}, 260), kNoEvenRun) << "235 is more than 0.85 times 260";
  EXPECT_EQ(early_run(around({240, 250, 254, 254, 254, 254, 254})).second, 7);
  EXPECT_EQ(early_run(around({240, 250, 254, 257, 257, 257, 257})), kNoEvenRun) << "0.85 times 300 is 255";
}

TEST(EvenRuns, NotBesideAPause) {
  auto after_pause = around(Intervals(8, 235));
  for (int i = 4; i < 9; ++i) after_pause[i] = 235;
  after_pause[9] = 350;
  EXPECT_EQ(early_run(after_pause), kNoEvenRun) << "the rate before the pause is that of the run";
  auto before_pause = around(Intervals(8, 235));
  std::fill(before_pause.begin() + 19, before_pause.end(), 240);
  EXPECT_EQ(early_run(before_pause), kNoEvenRun) << "the rate behind the pause is that of the run";
  Intervals of_block(40, 235);
  for (int i = 0; i < 10; ++i) of_block[i] = 470;
  std::fill(of_block.begin() + 20, of_block.end(), 470);
  EXPECT_EQ(early_run(of_block, {}, 400), kNoEvenRun) << "every other beat was blocked";
}

TEST(EvenRuns, NotWhereItIsSlowOrIrregular) {
  auto slow = around(Intervals(8, 285));
  for (double& its : slow)
    if (its == 300) its = 360;
  EXPECT_EQ(early_run(slow, {}, 360), kNoEvenRun) << "79 beats a minute";
  for (double& its : slow)
    if (its == 285) its = 275;
  EXPECT_EQ(early_run(slow, {}, 360).second, 8) << "82 beats a minute";
  EXPECT_EQ(early_run(around(Intervals(8, 235)), {}, 300, 0.1), kNoEvenRun) << "as in atrial fibrillation";
}

TEST(EvenRuns, NotWhereTwoRhythmsTakeTurns) {
  Intervals rr;
  for (int run = 0; run < 6; ++run) {
    rr.insert(rr.end(), 24, 300);
    rr.insert(rr.end(), 8, 235);
  }
  rr.insert(rr.end(), 6, 300);
  EXPECT_EQ(early_run(rr).second, 48) << "a quarter of the beats";
  rr.erase(rr.end() - 15, rr.end());
  EXPECT_EQ(early_run(rr).second, 40);
  rr.insert(rr.begin() + 30, 4, 235);
  rr.insert(rr.begin() + 62, 4, 235);
  EXPECT_EQ(early_run(rr).second, 0);
}

TEST(EvenRuns, BesideBeatsThatAreSetAside) {
  const auto rr = around(Intervals(8, 235));
  std::vector<std::uint8_t> aside(rr.size());
  aside[9] = 1;
  EXPECT_EQ(early_run(rr, aside), kNoEvenRun) << "how it begins is not known";
  aside[9] = 0, aside[14] = 1;
  EXPECT_EQ(early_run(rr, aside), kNoEvenRun) << "four beats before it, three behind";
  aside[14] = 0, aside[18] = 1;
  EXPECT_EQ(early_run(rr, aside).second, 8) << "a V ends it";
  auto unknown = rr;
  unknown[18] = NAN;
  EXPECT_EQ(early_run(unknown).second, 8) << "a gap ends it";
  std::fill(unknown.begin() + 19, unknown.end(), 240);
  EXPECT_EQ(early_run(unknown), kNoEvenRun) << "behind the gap it goes on";
  auto last = around(Intervals(8, 235));
  last.erase(last.begin() + 18, last.end()), last.insert(last.begin(), 22, 300);
  EXPECT_EQ(early_run(last), kNoEvenRun) << "the recording ends";
  unknown[9] = NAN;
  EXPECT_EQ(early_run(unknown), kNoEvenRun);
  auto rising = around({285, 240, 240, 240, 240, 240, 240});
  rising[6] = 180, rising[7] = 420;  // a V
  std::vector<std::uint8_t> v(rising.size());
  v[6] = 1;
  EXPECT_EQ(early_run(rising, v), kNoEvenRun) << "an interval of a V does not hide that the rate rises";
  EXPECT_EQ(early_run({}).second, 0);
}

}  // namespace
}  // namespace beatscan
