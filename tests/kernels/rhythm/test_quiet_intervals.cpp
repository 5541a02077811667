#include "kernels/rhythm/quiet_intervals.h"

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Signs = std::vector<IntervalSign>;
using Envelope = std::vector<float>;

constexpr auto kNothing = IntervalSign::none, kBeat = IntervalSign::beat, kHidden = IntervalSign::hidden;

template <class Context>
class QuietIntervals : public OnBackend<Context> {
 protected:
  // Parts of 10 samples, blocks of 100.
  Signs of(const std::vector<double>& r_peaks, const std::vector<std::int64_t>& asked, const Envelope& parts,
           const std::vector<Quality>& blocks, const QuietRule& rule = {20, 0.25f, 2}) {
    auto& context = this->context();
    Buffer<IntervalSign, Context> found(context, std::ssize(asked));
    const auto its = from_host(context, parts);
    const auto of_blocks = from_host(context, blocks);
    quiet_intervals(context, from_host(context, r_peaks), from_host(context, asked), {its, 10, of_blocks, 100}, rule,
                    found);
    return to_host(context, found);
  }
};
TYPED_TEST_SUITE(QuietIntervals, Backends, BackendNames);

// Beats of height 8 at 50, 150, 550 and 650; another height at 350.
Envelope with_height(float height, std::size_t part = 35) {
  Envelope parts(80, 1.0f);
  for (const std::size_t beat : {5, 15, 55, 65}) parts[beat] = 8;
  parts[part] = height;
  return parts;
}
const std::vector<double> kFour = {50, 150, 550, 650};
const std::vector<Quality> kAllGood(8, Quality::good);

TYPED_TEST(QuietIntervals, ByHand) {
  EXPECT_EQ(this->of(kFour, {1}, with_height(1.9f), kAllGood), Signs{kNothing});
  EXPECT_EQ(this->of(kFour, {1}, with_height(2), kAllGood), Signs{kBeat}) << "a quarter of 8";
  EXPECT_EQ(this->of(kFour, {1}, with_height(2, 16), kAllGood), Signs{kNothing}) << "too near to the first beat";
  EXPECT_EQ(this->of(kFour, {1}, with_height(2, 17), kAllGood), Signs{kBeat});
  EXPECT_EQ(this->of(kFour, {1}, with_height(2, 53), kAllGood), Signs{kNothing}) << "too near to the second";
  EXPECT_EQ(this->of(kFour, {1}, with_height(2, 52), kAllGood), Signs{kBeat});
  EXPECT_EQ(this->of(kFour, {}, with_height(1), kAllGood), Signs{});
}

TYPED_TEST(QuietIntervals, NoiseHidesAndAFlatLineDoesNot) {
  const auto with = [&](Quality quality, std::size_t block) {
    auto blocks = kAllGood;
    blocks[block] = quality;
    return this->of(kFour, {1}, with_height(1), blocks)[0];
  };
  for (const Quality quality : {Quality::noisy, Quality::clipped, Quality::missing}) {
    EXPECT_EQ(with(quality, 0), kNothing) << "beside the interval";
    EXPECT_EQ(with(quality, 1), kHidden) << "the block of the first beat";
    EXPECT_EQ(with(quality, 3), kHidden);
    EXPECT_EQ(with(quality, 5), kHidden) << "the block of the second beat";
    EXPECT_EQ(with(quality, 6), kNothing);
  }
  EXPECT_EQ(with(Quality::flat, 3), kNothing);
}

TYPED_TEST(QuietIntervals, TheUsualHeightIsAMedianOfTheBeatsAround) {
  auto parts = with_height(2);
  parts[65] = 100;  // of 8, 8, 8, 100 the upper median
  EXPECT_EQ(this->of(kFour, {1}, parts, kAllGood), Signs{kBeat});
  parts[55] = 100;
  EXPECT_EQ(this->of(kFour, {1}, parts, kAllGood), Signs{kNothing}) << "8, 8, 100, 100";
  EXPECT_EQ(this->of(kFour, {1}, with_height(2), kAllGood, {20, 0.25f, 16}), Signs{kBeat}) << "fewer beats are there";
  EXPECT_EQ(this->of({150, 550}, {0}, with_height(1.9f), kAllGood), Signs{kNothing});
}

TYPED_TEST(QuietIntervals, ManyAreReportedOneByOne) {
  for (const std::int64_t count : sizes_around(256)) {
    std::vector<double> r_peaks;
    std::vector<std::int64_t> asked;
    Envelope parts(static_cast<std::size_t>(10 * (count + 2)), 1.0f);
    Signs expected;
    for (std::int64_t i = 0; i <= count; ++i) {
      r_peaks.push_back(50 + 100 * static_cast<double>(i));
      parts[5 + 10 * i] = 8;
    }
    for (std::int64_t i = 0; i < count; ++i) {
      asked.push_back(i);
      if (i % 3 == 0) parts[10 + 10 * i] = 4;
      expected.push_back(i % 3 == 0 ? kBeat : kNothing);
    }
    EXPECT_EQ(this->of(r_peaks, asked, parts, std::vector<Quality>(count + 2, Quality::good)), expected) << count;
  }
}

TYPED_TEST(QuietIntervals, ABadShapeOrRuleThrows) {
  EXPECT_THROW_KIND(this->of({50}, {0}, with_height(1), kAllGood), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of(kFour, {1}, {}, kAllGood), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of(kFour, {1}, with_height(1), {}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of(kFour, {1}, with_height(1), kAllGood, {20, 0.25f, 17}), ErrorKind::internal);
  EXPECT_THROW_KIND(this->of(kFour, {1}, with_height(1), kAllGood, {-1, 0.25f, 2}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
