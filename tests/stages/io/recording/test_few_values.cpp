#include "stages/io/recording/few_values.h"

#include <algorithm>
#include <cmath>

#include "app/synthetic/generate.h"
#include "stages/io/recording/recording.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

template <class Context>
class FewValues : public OnBackend<Context> {
 protected:
  // Returns 60 s of ECG at 250 Hz, rounded to so many levels over its range; 0 does not round.
  static std::vector<float> ecg(int levels) {
    std::vector<float> x(60 * 250);
    SyntheticEcg(std::ssize(x), 250, 0, 3).render(0, x);
    const auto [low, high] = std::ranges::minmax(x);
    const float step = (high - low) / static_cast<float>(levels - 1);
    for (float& value : x)
      if (levels > 0) value = low + step * std::round((value - low) / step);
    return x;
  }
  Recording<Context> recording_of(const std::vector<std::vector<float>>& leads) {
    Recording<Context> recording;
    for (const auto& lead : leads) {
      recording.leads.emplace_back();
      recording.leads.back().name = "V" + std::to_string(recording.leads.size());
      recording.leads.back().samples = from_host(this->context(), lead);
    }
    return recording;
  }
  std::vector<std::string> warnings(const std::vector<std::vector<float>>& leads) {
    return few_values_warnings<Context>(this->context(), recording_of(leads), 250);
  }
};
TYPED_TEST_SUITE(FewValues, Backends, BackendNames);

using Lines = std::vector<std::string>;

TYPED_TEST(FewValues, AreCountedInBlocksThatMove) {
  auto& context = this->context();
  // Ten blocks of 20 samples. Seven have four values, and three rest at one.
  std::vector<float> x(200, 1);
  for (int i = 0; i < 140; ++i) x[i] = static_cast<float>(i % 4);
  EXPECT_EQ(distinct_values<TypeParam>(context, from_host(context, x).span(), 10), 4);
  EXPECT_EQ(distinct_values<TypeParam>(context, from_host(context, std::vector<float>(200, 1)).span(), 10), 0);
  EXPECT_EQ(distinct_values<TypeParam>(context, from_host(context, std::vector<float>(19, 1)).span(), 10), 0)
      << "no block";
}

TYPED_TEST(FewValues, AreReported) {
  EXPECT_EQ(this->warnings({this->ecg(0)}), Lines{});
  EXPECT_EQ(this->warnings({this->ecg(65)}), Lines{});
  const auto lines = this->warnings({this->ecg(9)});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("the signal has only ")) << lines[0];
  EXPECT_NE(lines[0].find(" different values in 2 s: rounded too coarsely"), std::string::npos);
}

TYPED_TEST(FewValues, NameTheLead) {
  const auto lines = this->warnings({this->ecg(0), this->ecg(5)});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("lead 'V2' has only ")) << lines[0];
}

TYPED_TEST(FewValues, OfALongRecordingAreCountedInSomeBlocks) {
  std::vector<float> x(2 * 250 * 2001);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * i % 7);
  auto& context = this->context();
  EXPECT_EQ(distinct_values<TypeParam>(context, from_host(context, x).span(), 250), 4) << "squares modulo 7";
}

}  // namespace
}  // namespace beatscan
