#include "kernels/rhythm/rhythm_measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

constexpr float kNoMeasure = std::numeric_limits<float>::quiet_NaN();

using Floats = std::vector<float>;

// The measures by their names, each of one row.
template <class Context>
class BeatMeasures : public OnBackend<Context> {
 protected:
  struct Lists {
    Floats rr_s, posteriors, p_evidence, pr_ms, non_conducted_p, qrs_ms_ratio;
  };
  Floats all(const Lists& lists) {
    auto& context = this->context();
    MeasureRows rows;
    for (std::size_t m = 0; m < kBeatMeasures; ++m) rows[m] = static_cast<std::int16_t>(m);
    Buffer<float, Context> measures(context, static_cast<std::int64_t>(kBeatMeasures * lists.rr_s.size()));
    const auto rr = from_host(context, lists.rr_s), posteriors = from_host(context, lists.posteriors),
               evidence = from_host(context, lists.p_evidence), pr = from_host(context, lists.pr_ms),
               extra = from_host(context, lists.non_conducted_p), wide = from_host(context, lists.qrs_ms_ratio);
    beat_measures(context, {rr, posteriors, evidence, pr, extra, wide}, rows, measures);
    return to_host(context, measures);
  }
  static Floats of(const char* name, const Floats& all) {
    const std::size_t row = std::ranges::find(kBeatMeasureNames, std::string_view(name)) - kBeatMeasureNames.begin();
    const std::size_t beats = all.size() / kBeatMeasures;
    return {all.begin() + row * beats, all.begin() + (row + 1) * beats};
  }
};
TYPED_TEST_SUITE(BeatMeasures, Backends, BackendNames);

Floats posteriors_of(const std::vector<std::array<float, 4>>& rows) {
  Floats list;
  for (const auto& row : rows) list.insert(list.end(), row.begin(), row.end());
  return list;
}

// The median interval is 1 s: a pause of 1.6 s, an interval of twice the median, and P waves that are not conducted.
TYPED_TEST(BeatMeasures, ByHand) {
  const auto all = this->all({.rr_s = {1, 1, 0.8F, 2, 1},
                              .posteriors = posteriors_of(
                                  {{1, 0, 0, 0}, {0.5F, 0, 0.5F, 0}, {0, 0, 1, 0}, {0, 0, 1, 0}, {0.75F, 0.25F, 0, 0}}),
                              .p_evidence = {1, 0.1F, kNoMeasure, 0.5F, 0.75F},
                              .pr_ms = {160, 260, kNoMeasure, 210, 100},
                              .non_conducted_p = {0, 1, 3, 1, 0},
                              .qrs_ms_ratio = {0, 0.5F, 1, 2, 0}});
  const auto expect = [&](const char* name, const Floats& wanted) {
    EXPECT_EQ(bits_of(this->of(name, all)), bits_of(wanted)) << name;
  };
  expect("ratio", {0, 0, static_cast<float>(static_cast<double>(0.8F) - 1), 1, 0});
  expect("pause", {0, 0, 0, 1, 0});
  const auto near_twice = [](double share) { return static_cast<float>(std::exp(-std::pow((share - 2) / 0.12, 2))); };
  expect("double", {near_twice(1), near_twice(1), near_twice(0.8F), 1, near_twice(1)});
  expect("v", {0, 0.5F, 1, 1, 0});
  expect("v_pair", {0, 0, 0.5F, 1, 0});
  expect("v_run", {0, 1.5F, 2.5F, 2.5F, 0});
  expect("s_run", {0, 0, 0, 0, 0.25F});
  expect("bigeminy", {0, 0, 0, 0.1875F, 0.1875F});
  expect("p_absent", {0, 1, kNoMeasure, 0, 0});
  expect("p_present", {1, 0, kNoMeasure, 0, 1});
  expect("pr_growth", {0, 1, kNoMeasure, kNoMeasure, -1});
  expect("pr_scatter", {0.25F, 0.75F, kNoMeasure, 0.25F, 0.85F});
  expect("pause_p", {0, 0, 0, 1, 0});
  expect("between_p", {0, 1, 2, 0, 0});
  expect("late_no_p", {0, 0, kNoMeasure, 0.5F, 0});
  expect("late_wide", {0, 0, 0, 1, 0});
}

// A run is counted until it exceeds 8 beats, however long it is, and a beat that is surely none ends it.
TYPED_TEST(BeatMeasures, CountRunsOfAnyLength) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform;
  std::vector<std::array<float, 4>> rows(3000);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float p = i < 1000 ? 0.999F : i < 2000 ? uniform(random) : 0.01F * uniform(random);
    rows[i] = {1 - p, 0, p, 0};
  }
  rows[400] = {0.99F, 0, 0.01F, 0}, rows[600] = {1, 0, 0, 0};
  const auto found =
      this->of("v_run", this->all({.rr_s = Floats(rows.size(), 0.8F), .posteriors = posteriors_of(rows)}));
  std::vector<double> before(rows.size()), after(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) before[i] = rows[i][2] * (1 + (i > 0 ? before[i - 1] : 0));
  for (std::size_t i = rows.size(); i-- > 0;) after[i] = rows[i][2] * (1 + (i + 1 < rows.size() ? after[i + 1] : 0));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double wanted = std::min(before[i] + after[i] - rows[i][2], 8.0);
    ASSERT_NEAR(found[i], wanted, 1e-6 * wanted) << i;  // rounded to float32
  }
}

TYPED_TEST(BeatMeasures, OfMissingInputsDoNotExist) {
  const auto all = this->all({.rr_s = {1, 1, 1}});
  for (const char* name :
       {"s", "v_run", "trigeminy", "change_normal", "p_absent", "pr_scatter", "pause_p", "late_wide"})
    for (const float value : this->of(name, all)) EXPECT_TRUE(std::isnan(value)) << name;
  EXPECT_EQ(this->of("fast", all), Floats(3, 0));
}

TYPED_TEST(BeatMeasures, RefuseBadShapes) {
  EXPECT_THROW_KIND(this->all({.rr_s = {1, 1}, .posteriors = {1, 0, 0, 0}}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->all({.rr_s = {1, 1}, .pr_ms = {1}}), ErrorKind::internal);
  MeasureRows rows;
  rows.fill(-1);
  rows[0] = 1;
  Buffer<float, TypeParam> few(this->context(), 2);
  const auto rr = from_host(this->context(), Floats{1, 1});
  EXPECT_THROW_KIND(beat_measures(this->context(), {.rr_s = rr}, rows, few), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
