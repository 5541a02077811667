#include "stages/findings/template_facts.h"

#include <limits>

#include "stages/findings/finding_options.h"
#include "stages/findings/templates.h"
#include "stages/rows/row_options.h"
#include "tests/stages/findings/shaped_beats.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

template <class Context>
class FactsOfTemplates : public OnBackend<Context> {
 protected:
  // 100 beats: 70 are usual, 20 of the second shape and 10 of the third.
  static int shape_of(int beat) { return beat % 10 == 9 ? 2 : beat % 10 > 6 ? 1 : 0; }

  Facts facts(const BeatTimesOf& times, double near) {
    auto& context = this->context();
    std::vector<int> of;
    for (int b = 0; b < 100; ++b) of.push_back(shape_of(b));
    const auto embedded = shaped_beats(context, {kUsualBump, {8, 25, 100}, {-5, 12, 90}}, of, 1, 5);
    const std::vector<std::uint8_t> good(of.size(), 1);
    const std::vector<float> odd(of.begin(), of.end());
    const auto templates = templates_of(context, embedded, {}, {good, odd}, {});
    EXPECT_EQ(templates.counts, (std::vector<std::int64_t>{70, 20, 10}));
    return facts_of(context, embedded, {}, templates, median_distances(templates), times, {0.88, near}, {});
  }
};
TYPED_TEST_SUITE(FactsOfTemplates, Backends, BackendNames);

// Takes the median of the intervals that are known behind beats of the second shape. Those of the third are unknown.
TYPED_TEST(FactsOfTemplates, TellTheTimes) {
  BeatTimesOf times;
  int second = 0;
  for (int b = 0; b < 100; ++b) {
    const int shape = this->shape_of(b);
    if (shape == 1) ++second;
    times.ratio.push_back(shape == 0 ? 1 : shape == 1 ? (second <= 5 ? 0.7 : 0.9) : kUnknown);
    times.next_ratio.push_back(shape == 0 ? 1.01 : shape == 2 || second <= 3 ? kUnknown : second <= 10 ? 9 : 1.2);
  }
  const auto facts = this->facts(times, 0.5).templates;
  EXPECT_EQ(facts[0].early_share, 0);
  EXPECT_EQ(facts[1].early_share, 0.25);
  EXPECT_EQ(facts[2].early_share, 0);
  EXPECT_EQ(facts[0].next_ratio, 1.01);
  EXPECT_EQ(facts[1].next_ratio, 1.2);
  EXPECT_EQ(facts[2].next_ratio, 1);
  EXPECT_EQ(this->facts(times, -1).templates[1].next_ratio, 1) << "no beat is near";
  times.next_ratio = {};
  EXPECT_EQ(this->facts(times, 0.5).templates[1].next_ratio, 1) << "none is known";
}

// A row of 256 points goes from -0.15 to 0.3 s.
TEST(WidthScaleOf, StaysInTheRow) {
  const auto range_of = [](double from_s, double to_s) {
    return width_scale(256, {}, {.from_s = from_s, .to_s = to_s}, 0.004).range;
  };
  EXPECT_EQ(range_of(-1, 1).first, 0);
  EXPECT_EQ(range_of(-1, 1).last, 256);
  EXPECT_EQ(range_of(0, 0.15).first, 85);
  EXPECT_EQ(range_of(0, 0.15).last, 171);
  EXPECT_EQ(range_of(0.4, 0.5).first, 255) << "behind the row: its last point";
  EXPECT_EQ(range_of(0.4, 0.5).last, 256);
  EXPECT_EQ(range_of(0.1, 0).last, range_of(0.1, 0).first + 1) << "at least one point";
}

}  // namespace
}  // namespace beatscan
