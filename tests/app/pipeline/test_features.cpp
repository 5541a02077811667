// The beat table, in a complete analysis.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "app/output/csv_files.h"
#include "tests/support/analysed.h"

namespace beatscan {
namespace {

template <class Context>
class Features : public AnalysedOn<Context> {};
TYPED_TEST_SUITE(Features, Backends);

TYPED_TEST(Features, AreThoseOfAllBeatsAndChangeNoDecision) {
  const auto without = this->result_of(20'000, {}), with = this->result_of(20'000, {"output.features=true"});
  EXPECT_FALSE(without.classes.table);
  ASSERT_TRUE(with.classes.table);
  EXPECT_EQ(static_cast<std::size_t>(with.classes.table->beats()), with.beats.found.r_peaks.size());
  EXPECT_EQ(without.classes.findings->beat_classes, with.classes.findings->beat_classes);
  EXPECT_EQ(without.scored.scores.score, with.scored.scores.score);
}

TYPED_TEST(Features, AreTheSameBytesAgain) {
  const auto once = this->result_of(20'000, {"output.features=true"}),
             again = this->result_of(20'000, {"output.features=true"});
  ASSERT_EQ(once.classes.table->columns.size(), again.classes.table->columns.size());
  for (std::size_t c = 0; c < once.classes.table->columns.size(); ++c) {
    const auto &of = once.classes.table->columns[c].values, &of_again = again.classes.table->columns[c].values;
    ASSERT_EQ(of.size(), of_again.size());
    EXPECT_EQ(std::memcmp(of.data(), of_again.data(), of.size() * sizeof(float)), 0)
        << once.classes.table->columns[c].name;
  }
}

TEST(FeaturesJson, NamesTheColumns) {
  const BeatFeatures table{.columns = {{"rr_s", "s", "RR interval", {0.8F}}}};
  const std::string text = features_json(table);
  EXPECT_NE(text.find("\"name\": \"rr_s\""), std::string::npos);
  EXPECT_NE(text.find("\"unit\": \"s\""), std::string::npos);
}

}  // namespace
}  // namespace beatscan
