// Classes by posteriors, and the templates that the user sees.
#include "stages/classify/findings.h"

#include <gtest/gtest.h>

#include "kernels/runtime/context.h"
#include "stages/classify/beat_findings.h"
#include "stages/classify/pacing.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

// Two templates, far from each other, of 6 rows.
BeatTemplates<Cpu> two_templates() {
  BeatTemplates<Cpu> templates{.width = 2, .floor = 0.1};
  templates.template_of = {0, 0, 1, 0, 1, 0};
  templates.distance.assign(6, 0);
  templates.centres = {100, 0, 0, 100};
  templates.counts = {4, 2};
  return templates;
}

// Posteriors of one class each: 0.7, and 0.1 of the others.
std::vector<float> posteriors_of(const std::string& classes) {
  std::vector<float> posteriors;
  for (const char its : classes)
    for (const char other : std::string("NSVX")) posteriors.push_back(its == other ? 0.7f : 0.1f);
  return posteriors;
}

TEST(FindingsOf, ClassesAreThoseOfTheLargestPosteriors) {
  const std::vector<std::int64_t> kept = {0, 1, 2, 4, 5, 6};
  const auto found = findings_of(two_templates(), kept, posteriors_of("NSVVXNN"), {}, 360, {.fewest_beats = 1});
  std::string letters;
  for (const BeatClass beat_class : found.beat_classes) letters += letter_of(beat_class);
  EXPECT_EQ(letters, "NSVVQNN") << "a false detection is Q, and a beat without a row has a class";
  EXPECT_EQ(found.posteriors, posteriors_of("NSVVXNN"));
  EXPECT_EQ(found.templates[3], -1);
  EXPECT_EQ(found.templates[0], found.templates[6]) << "one template and one class";
  EXPECT_NE(found.templates[0], found.templates[1]) << "S of the same shape stands apart";
  EXPECT_NE(found.templates[2], found.templates[5]) << "N of the shape of V";
  EXPECT_EQ(found.groups[found.templates[2]].beat_class, BeatClass::ventricular);
  EXPECT_EQ(found.pacing.size(), found.groups.size());
}

TEST(FindingsOf, NeedsARowOfEachTemplate) {
  const std::vector<std::int64_t> kept = {0, 1};
  EXPECT_THROW_KIND(findings_of(two_templates(), kept, posteriors_of("NN"), {}, 360, {}), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
