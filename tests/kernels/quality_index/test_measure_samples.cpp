#include "kernels/quality_index/measure_samples.h"

#include <algorithm>
#include <limits>

#include "tests/kernels/quality_index/quality_reference.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan::quality_index {
namespace {

constexpr Measure kOfSamples[] = {kMissing, kFlat, kRail, kJump, kStep, kSteep, kRange};

// The definition in docs/quality.md, one block after the other.
std::vector<float> expected_of_block(const BridgedLead& lead, double rate_hz, std::int64_t block) {
  const auto& x = lead.samples;
  const std::int64_t count = std::ssize(x);
  const std::int64_t start = block_start(block, rate_hz, count), end = block_start(block + 1, rate_hz, count);
  const auto size = static_cast<float>(end - start);
  const auto missing = [&](std::int64_t i) {
    for (std::size_t g = 0; g < lead.firsts.size(); ++g)
      if (lead.firsts[g] <= i && i <= lead.lasts[g]) return true;
    return false;
  };
  const auto change = [&](std::int64_t i) { return i < 0 || i + 1 >= count ? 0 : std::abs(x[i + 1] - x[i]); };
  const auto [low, high] = std::minmax_element(x.begin() + start, x.begin() + end);
  float lost = 0, flat = 0, rail = 0, jump = 0, step = std::numeric_limits<float>::infinity();
  for (std::int64_t i = start; i < end; ++i) {
    lost += missing(i) ? 1 : 0;
    if (i + 1 < end && change(i) > 0 && !missing(i) && !missing(i + 1)) step = std::min(step, change(i));
  }
  for (std::int64_t i = start; i < end;) {
    std::int64_t j = i;
    while (j + 1 < end && x[j + 1] == x[i]) ++j;
    const auto length = static_cast<double>(j - i + 1);
    if (length >= std::max(3.0, std::ceil(0.08 * rate_hz))) flat += static_cast<float>(length);
    if (length >= std::max(3.0, std::ceil(0.012 * rate_hz)) && (x[i] == *low || x[i] == *high))
      rail += static_cast<float>(length);
    if (length >= 2 && length < 0.5 * rate_hz) jump = std::max(jump, std::min(change(i - 1), change(j)));
    i = j + 1;
  }
  std::vector<float> most(10, 0);
  for (std::int64_t i = 0; i < end - start - 1; ++i) {
    std::size_t part = 0;
    while (i >= (end - start - 1) * static_cast<std::int64_t>(part + 1) / 10) ++part;
    most[part] = std::max(most[part], change(start + i));
  }
  std::ranges::sort(most);
  return {lost / size, flat / size, rail / size, jump, std::isinf(step) ? NAN : step, most[7], *high - *low};
}

template <class Context>
class MeasureSamples : public OnBackend<Context> {
 protected:
  // Returns the measures of samples of each block.
  std::vector<std::vector<float>> measured(const BridgedLead& lead, double rate_hz) {
    auto& context = this->context();
    const QualityLeadOn<Context> on(context, lead, rate_hz);
    const std::int64_t blocks = block_count(std::ssize(lead.samples), rate_hz);
    Buffer<float, Context> measures(context, blocks * kMeasures);
    measure_samples(context, on.samples(), measures);
    const auto all = to_host(context, measures);
    std::vector<std::vector<float>> found(blocks);
    for (std::int64_t b = 0; b < blocks; ++b)
      for (const Measure measure : kOfSamples) found[b].push_back(all[measure * blocks + b]);
    return found;
  }
};
TYPED_TEST_SUITE(MeasureSamples, Backends, BackendNames);

// Few distinct values make runs of all lengths.
TYPED_TEST(MeasureSamples, MatchTheirDefinition) {
  for (const double rate_hz : {60.0, 128.0, 250.5, 1000.0})
    for (const std::int64_t size : {1, 2, 3, 11, 40, 1000, 6013})
      for (const int distinct : {2, 9}) {
        SCOPED_TRACE(testing::Message() << rate_hz << " Hz, " << size << " samples, " << distinct << " values");
        auto x = random_signal(size, static_cast<std::uint64_t>(size), distinct);
        for (std::int64_t i = 300; i + 200 < size; i += 700) std::fill_n(x.begin() + i, i % 3 == 0 ? 150 : 7, x[i]);
        for (std::int64_t i = 500; i + 200 < size; i += 900) std::fill_n(x.begin() + i, 1 + i % 90, NAN);
        const BridgedLead lead(std::move(x));
        const auto found = this->measured(lead, rate_hz);
        for (std::int64_t b = 0; b < std::ssize(found); ++b)
          ASSERT_EQ(bits_of(found[b]), bits_of(expected_of_block(lead, rate_hz, b))) << "block " << b;
      }
}

TYPED_TEST(MeasureSamples, AreThoseOfALossAndOfClipping) {
  std::vector<float> x(1000);
  for (int i = 0; i < 1000; ++i) x[i] = static_cast<float>(i % 2) * 0.5F;
  std::fill_n(x.begin() + 100, 10, -4.0F);   // a loss of 40 ms
  std::fill_n(x.begin() + 700, 30, 3.0F);    // 120 ms at the end of the range
  const auto found = this->measured(BridgedLead(x), 250);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0][3], 4.0F) << "jumps of 4.5 and 4";
  EXPECT_EQ(found[0][1], 0.0F);
  EXPECT_EQ(found[0][2], 10.0F / 500);
  EXPECT_EQ(found[0][4], 0.5F);
  EXPECT_EQ(found[1][1], 30.0F / 500);
  EXPECT_EQ(found[1][2], 30.0F / 500);
}

TYPED_TEST(MeasureSamples, RefuseBadShapes) {
  auto& context = this->context();
  const QualityLeadOn<TypeParam> on(context, BridgedLead(std::vector<float>(500)), 250),
      slow(context, BridgedLead(std::vector<float>(500)), 59);
  Buffer<float, TypeParam> measures(context, 2 * kMeasures);
  EXPECT_THROW_KIND(measure_samples(context, on.samples(), measures), ErrorKind::internal);
  EXPECT_THROW_KIND(measure_samples(context, slow.samples(), measures), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan::quality_index
