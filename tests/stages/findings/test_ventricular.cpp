#include "stages/findings/ventricular.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stages/findings/finding_options.h"
#include "stages/findings/template_facts.h"

namespace beatscan {
namespace {

using Flags = std::vector<std::uint8_t>;
using Places = std::vector<std::int64_t>;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Facts of templates, of which the first is usual. All distances are `apart`, but for those that a test sets.
Facts facts_with(const std::vector<TemplateFacts>& templates, float apart) {
  const std::size_t count = templates.size();
  Facts facts{templates, std::vector<std::vector<float>>(count, std::vector<float>(count, apart)), 1};
  for (std::size_t k = 0; k < count; ++k) facts.distances[k][k] = 0;
  return facts;
}

void set_distance(Facts& facts, int a, int b, float distance) {
  facts.distances[a][b] = facts.distances[b][a] = distance;
}

TEST(VentricularTemplates, ByHand) {
  // z = 0.5 * 1 + 0.4 * 0.5 + 1.5 * 0.2 + 0.9 * early
  const TemplateFacts usual{900}, wide{50, 0.5, 0.2, 0.1}, wide_on_time{50, 0.5, 0.2, 0}, small{50, -3, -3, 1};
  const auto judged = ventricular_templates(facts_with({usual, wide, wide_on_time, small}, 1.2f), {}, 1050, {});
  EXPECT_EQ(judged.ventricular, (Flags{0, 1, 0, 0})) << "the second is at 1 exactly";
  EXPECT_EQ(judged.usual, (Places{0, 2})) << "the last is early, so it is not usual";
}

// z = 0.5 * 1 + 0.9 * 0.4 + 0.25 * (next_ratio - 1) / 0.4, the last term at most 0.25
TEST(VentricularTemplates, APauseBehindItsBeatsCounts) {
  const auto is_ventricular = [](double next_ratio, const VentricularOptions& options = {}) {
    const TemplateFacts usual{900}, odd{50, 0, 0, 0.4, next_ratio};
    return ventricular_templates(facts_with({usual, odd}, 1.2f), {}, 950, options).ventricular[1] == 1;
  };
  EXPECT_TRUE(is_ventricular(1.23));
  EXPECT_FALSE(is_ventricular(1.22));
  EXPECT_FALSE(is_ventricular(1)) << "it is on time";
  EXPECT_FALSE(is_ventricular(0.5)) << "an interval that is short takes nothing away";
  EXPECT_FALSE(is_ventricular(5, {.late_weight = 0.13}));
  EXPECT_TRUE(is_ventricular(5, {.late_weight = 0.15}));
}

TEST(VentricularTemplates, NearAUsualTemplateNoneIsVentricular) {
  const TemplateFacts usual{900}, wide{50, 1.5, 0.6, 1};
  EXPECT_EQ(ventricular_templates(facts_with({usual, wide}, 0.29f), {}, 950, {}).ventricular, (Flags{0, 0}));
  EXPECT_EQ(ventricular_templates(facts_with({usual, wide}, 0.31f), {}, 950, {}).ventricular, (Flags{0, 1}));
}

TEST(VentricularTemplates, AVeryOddAndWideOneMayBeNear) {
  const auto is_ventricular = [](float apart, float odd, double log_width = 0.2) {
    const std::vector<float> odd_of{0, odd};
    const TemplateFacts usual{900}, early{50, 1.5, log_width, 1};
    return ventricular_templates(facts_with({usual, early}, apart), odd_of, 950, {}).ventricular[1] == 1;
  };
  EXPECT_TRUE(is_ventricular(0.16f, 4.5f));
  EXPECT_FALSE(is_ventricular(0.16f, 4.4f));
  EXPECT_FALSE(is_ventricular(0.14f, 9));
  EXPECT_FALSE(is_ventricular(0.16f, 9, 0.19)) << "an early beat on a T wave";
  EXPECT_TRUE(is_ventricular(0.31f, 9, 0.19));
}

// A beat that is near a second usual template is not odd, however far it is from the first.
TEST(VentricularTemplates, ASecondUsualTemplateCounts) {
  const TemplateFacts usual{900}, second{100, 0, 0, 0}, third{60, 1.5, 0.6, 1};
  auto facts = facts_with({usual, second, third}, 1);
  set_distance(facts, 1, 2, 0.28f);
  EXPECT_EQ(ventricular_templates(facts, {}, 1060, {}).ventricular, (Flags{0, 0, 0}));
  EXPECT_EQ(ventricular_templates(facts, {}, 1060, {.usual_share = 0.2}).ventricular, (Flags{0, 0, 1}));
}

// A late template that looks like an early ventricular one is ventricular too, and usual no longer.
TEST(VentricularTemplates, SiblingsAreVentricular) {
  const TemplateFacts usual{900}, late{60, 0, 0, 0}, early{50, 1, 0.5, 1};
  auto facts = facts_with({usual, late, early}, 1);
  set_distance(facts, 1, 2, 0.24f);
  auto judged = ventricular_templates(facts, {}, 1010, {.usual_share = 1});
  EXPECT_EQ(judged.ventricular, (Flags{0, 1, 1}));
  set_distance(facts, 1, 2, 0.26f);
  judged = ventricular_templates(facts, {}, 1010, {.usual_share = 1});
  EXPECT_EQ(judged.ventricular, (Flags{0, 0, 1}));
}

TEST(VentricularTemplates, OfOneTemplateThatIsUsual) {
  const auto judged = ventricular_templates(facts_with({{5, 0, 0, 1}}, 0), {}, 5, {});
  EXPECT_EQ(judged.ventricular, Flags{0});
  EXPECT_EQ(judged.usual, Places{0});
}

// 0.5 * 1 + 0.4 * 0.5 + 0.3 * 0.1 + 0.9 * 0.5 + 0.3 * 0.5 = 1.33
TEST(AloneBeats, ByHand) {
  const AloneBeat beat{0.5, 0.1, 1.5, 0.88, 1.2};
  EXPECT_TRUE(is_ventricular_alone(beat, {.alone_least = 1.329}));
  EXPECT_FALSE(is_ventricular_alone(beat, {.alone_least = 1.331}));
  AloneBeat unknown = beat;
  unknown.ratio = unknown.next_ratio = kNone;
  EXPECT_TRUE(is_ventricular_alone(unknown, {.alone_least = 0.729}));
  EXPECT_FALSE(is_ventricular_alone(unknown, {.alone_least = 0.731}));
  AloneBeat usual = beat;
  usual.from_usual = 0.3;
  EXPECT_FALSE(is_ventricular_alone(usual, {.alone_least = -10}));
}

// Template 2 is 0.4 of the way from the usual template to the ventricular one, template 3 beside that way.
TEST(FusionTemplates, ByHand) {
  const std::vector<std::int16_t> centres{0, 100, 100, 0, 40, 60, 97, 97};
  const TemplateFacts usual{900}, ventricular{50, 1, 0.5, 1}, between{40}, aside{40};
  const auto facts = facts_with({usual, ventricular, between, aside}, 1);
  const VentricularTemplates judged{{0, 1, 0, 0}, {0}};
  EXPECT_EQ(fusion_templates(facts, judged, centres, 2, {}), (Flags{0, 0, 1, 0}));
  EXPECT_EQ(fusion_templates(facts, judged, centres, 2, {.most_share = 0.4}), Flags(4, 0));
  auto early = facts;
  early.templates[2].early_share = 0.26;
  EXPECT_EQ(fusion_templates(early, judged, centres, 2, {}), Flags(4, 0));
  auto late = facts;
  late.templates[1].early_share = 0.2;
  EXPECT_EQ(fusion_templates(late, judged, centres, 2, {}), Flags(4, 0)) << "the ventricular beats are on time";
  auto many = facts;
  many.templates[2].beats = 51;
  EXPECT_EQ(fusion_templates(many, judged, centres, 2, {}), Flags(4, 0)) << "more than the ventricular beats";
  auto near = facts;
  set_distance(near, 0, 2, 0.2f);
  EXPECT_EQ(fusion_templates(near, judged, centres, 2, {}), Flags(4, 0)) << "it is as good as usual";
}

TEST(LeastOdd, IsMoreForABeatOnTimeInANoisyShape) {
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  VentricularOptions options{.early_ratio = 0.9, .least_odd = 1.5, .noisy_shape = 2, .least_odd_in_noise = 3};
  EXPECT_EQ(least_odd_of(2.1, 1, options), 3);
  EXPECT_EQ(least_odd_of(2.1, 0.9, options), 3);
  EXPECT_EQ(least_odd_of(2.1, unknown, options), 3);
  EXPECT_EQ(least_odd_of(2.1, 0.89, options), 1.5) << "it is early";
  EXPECT_EQ(least_odd_of(2, 1, options), 1.5) << "the shape is not noisy";
  options.least_odd = 5;
  EXPECT_EQ(least_odd_of(2.1, 1, options), 5);
}

}  // namespace
}  // namespace beatscan
