#include "stages/classify/templates.h"

#include <algorithm>

#include "stages/classify/beat_findings.h"
#include "stages/windows/row_options.h"
#include "tests/stages/classify/shaped_beats.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Flags = std::vector<std::uint8_t>;

const std::vector<Lobe> kLobes{kUsualLobe, {8, 25, 100}, {-5, 12, 90}};

// Holds the part of the templates that is on the host.
struct FoundTemplates {
  Flags template_of;
  std::vector<float> distance;
  std::vector<std::int16_t> centres;
  std::vector<std::int64_t> counts;
  double radius;
  bool operator==(const FoundTemplates&) const = default;
};

// Returns the shapes of beats: of each 20 there are three of the second shape and one of the third.
std::vector<int> mixed(int beats) {
  std::vector<int> of;
  for (int b = 0; b < beats; ++b) of.push_back(b % 20 == 7 ? 2 : b % 6 == 3 ? 1 : 0);
  return of;
}

template <class Context>
FoundTemplates found_templates(Context& context, const std::vector<int>& of, int leads, const Flags& good,
                               const TemplateOptions& options = {}) {
  std::vector<float> odd;
  for (const int shape : of) odd.push_back(static_cast<float>(shape));
  const auto embedded = shaped_beats(context, kLobes, of, leads, 5);
  const auto found = templates_of(context, embedded, {}, {good, odd}, options);
  EXPECT_EQ(to_host(context, found.nearest), found.template_of);
  EXPECT_EQ(to_host(context, found.distances), found.distance);
  return {found.template_of, found.distance, found.centres, found.counts, found.radius};
}

template <class Context>
using TemplatesOfBeats = OnBackend<Context>;
TYPED_TEST_SUITE(TemplatesOfBeats, Backends, BackendNames);

// More beats than the sample takes, as many, and fewer.
TYPED_TEST(TemplatesOfBeats, AreTheShapes) {
  for (const int beats : {60, 2048, 5000})
    for (const int leads : {1, 3}) {
      SCOPED_TRACE(testing::Message() << beats << " beats, " << leads << " leads");
      const auto of = mixed(beats);
      const auto found = found_templates(this->context(), of, leads, Flags(beats, 1));
      ASSERT_EQ(found.counts.size(), 3U);
      for (int k = 0; k < 3; ++k) EXPECT_EQ(found.counts[k], std::ranges::count(of, k)) << k;
      for (int b = 0; b < beats; ++b) ASSERT_EQ(found.template_of[b], of[b]) << b;
      EXPECT_LT(std::ranges::max(found.distance), 0.05);
    }
}

// A lead of noise alone, next to a good one, has no influence.
TYPED_TEST(TemplatesOfBeats, LeaveOutALeadOfNoise) {
  EXPECT_GT(clearness(0.3), 0.99);
  EXPECT_GT(clearness(2), 0.4);
  EXPECT_LT(clearness(12), 0.001);
  EXPECT_GT(clearness(1e68), 0) << "of a recording whose leads are all noise each has a weight";
  const auto of = mixed(400);
  auto embedded = shaped_beats(this->context(), kLobes, of, 2, 5);
  const std::vector<float> odd(of.begin(), of.end());
  const Flags good(400, 1);
  embedded.leads[0].beats.reference.spread = 0.5;
  embedded.leads[1].beats.reference.spread = 1;
  EXPECT_GT(templates_of(this->context(), embedded, {}, {good, odd}, TemplateOptions()).lead_weights[1], 0.15);
  embedded.leads[1].beats.reference.spread = 12;
  EXPECT_LT(templates_of(this->context(), embedded, {}, {good, odd}, TemplateOptions()).lead_weights[1], 1e-5);
}

// The same beats give the same bytes on both back ends, and with any number of threads.
TYPED_TEST(TemplatesOfBeats, AreTheSameEverywhere) {
  const auto of = mixed(3000);
  Cpu one(1);
  EXPECT_EQ(found_templates(this->context(), of, 2, Flags(3000, 1)), found_templates(one, of, 2, Flags(3000, 1)));
}

// A shape that only bad beats have makes no template. Its beats are given to the nearest one all the same.
TYPED_TEST(TemplatesOfBeats, BadBeatsMakeNoTemplate) {
  const auto of = mixed(400);
  Flags good;
  for (const int shape : of) good.push_back(shape != 2);
  const auto found = found_templates(this->context(), of, 1, good);
  EXPECT_EQ(found.counts.size(), 2U);
  EXPECT_EQ(found.counts[0] + found.counts[1], 400);
  const auto all = found_templates(this->context(), of, 1, Flags(400, 0));
  EXPECT_EQ(all.counts.size(), 3U) << "of too few good beats all count";
}

TYPED_TEST(TemplatesOfBeats, OneBeatIsOneTemplate) {
  const auto found = found_templates(this->context(), {0}, 1, {1});
  EXPECT_EQ(found.counts, std::vector<std::int64_t>{1});
  EXPECT_EQ(found.template_of, Flags{0});
}

TYPED_TEST(TemplatesOfBeats, OptionsLimitTheirNumber) {
  EXPECT_EQ(found_templates(this->context(), mixed(200), 1, Flags(200, 1), {.most = 1}).counts.size(), 1U);
  EXPECT_EQ(found_templates(this->context(), mixed(200), 1, Flags(200, 1), {.fewest_beats = 20}).counts.size(), 2U);
}

TYPED_TEST(TemplatesOfBeats, BadShapesThrow) {
  EXPECT_THROW_KIND(found_templates(this->context(), mixed(20), 1, Flags(19, 1)), ErrorKind::internal);
  EXPECT_THROW_KIND(found_templates(this->context(), mixed(20), 1, Flags(20, 1), {.most = 41}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
