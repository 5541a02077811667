// Compares the rhythm model with scripts/rhythm, which wrote reference.json (scripts/train_rhythm --reference).
#include "stages/rhythm/rhythms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "stages/classify/beat_table.h"
#include "stages/rhythm/measures.h"
#include "tests/kernels/rhythm/expected_states.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/feature_tables.h"

namespace beatscan {
namespace {

template <class T>
std::vector<T> numbers_of(const nlohmann::json& values) {
  std::vector<T> found;
  for (const auto& value : values)
    found.push_back(value.is_null() ? std::numeric_limits<T>::quiet_NaN() : value.template get<T>());
  return found;
}

struct Reference {
  nlohmann::json document;
  BeatFeatures table;
  std::vector<float> classes;
  RhythmModel model;
};

Reference reference() {
  std::ifstream file(source_folder() + "/tests/stages/rhythm/reference.json");
  Reference found{.document = nlohmann::json::parse(file), .table = {}, .classes = {}, .model = {}};
  const auto& of = found.document;
  for (const auto& name : of["columns"]) found.table.columns.push_back({name.get<std::string>(), "", "", {}});
  const auto table = numbers_of<float>(of["table"]);  // beat by beat
  for (std::size_t i = 0; i < table.size(); ++i)
    found.table.columns[i % found.table.columns.size()].values.push_back(table[i]);
  found.classes = numbers_of<float>(of["classes"]);
  RhythmRegression& regression = found.model.waves.regression;
  for (const auto& feature : of["features"])
    regression.features.push_back(
        {feature[0].get<std::string>(), feature[1].get<std::string>(), feature[2].get<int>()});
  regression.mean = numbers_of<float>(of["mean"]);
  regression.deviation = numbers_of<float>(of["deviation"]);
  regression.weight = numbers_of<float>(of["weight"]);
  regression.intercept = numbers_of<float>(of["intercept"]);
  regression.training_prior = numbers_of<double>(of["training_prior"]);
  found.model.strip_s = 120;
  found.model.waves.sources[0] = {.prior = numbers_of<double>(of["prior"]),
                                  .temperature = of["temperature"],
                                  .balance = of["balance"],
                                  .stay = of["stay"],
                                  .prior_beats = of["prior_beats"],
                                  .rounds = of["rounds"]};
  return found;
}

template <class Context>
using RhythmModels = OnBackend<Context>;
TYPED_TEST_SUITE(RhythmModels, Backends, BackendNames);

// The reference multiplies in float32, this code in double.
TYPED_TEST(RhythmModels, GiveTheRhythmsOfTheReference) {
  auto& context = this->context();
  const auto of = reference();
  const RhythmRegression& regression = of.model.waves.regression;
  const auto table = loaded_table(context, of.table);
  const auto column = [&](const std::string& name) { return table.column(name); };
  const auto log_p =
      to_host(context, rhythm_log_p(context, table.beats(), column, from_host(context, of.classes), regression));
  const auto expected = numbers_of<double>(of.document["log_p"]),
             expected_posterior = numbers_of<double>(of.document["posterior"]);
  const std::size_t states = of.model.waves.sources[0].prior.size();
  ASSERT_EQ(log_p.size() * states, expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(log_p[i / states][i % states], expected[i], 2e-3) << i;
  const auto decoded = rhythms_of(context, table, of.classes, of.model, RecordingSource::automatic, 60);
  const RhythmSource& source = of.model.waves.sources[0];
  const auto posterior = expected_posteriors(
      log_p, {{}, regression.training_prior, source.temperature, source.balance, source.stay, 0, 0}, decoded.prior);
  for (std::size_t i = 0; i < expected_posterior.size(); ++i)
    EXPECT_NEAR(posterior[i / states][i % states], expected_posterior[i], 1e-3) << i;
  EXPECT_EQ(decoded.path, of.document["path"].get<std::vector<int>>());
}

TYPED_TEST(RhythmModels, NeedTheirMeasures) {
  auto of = reference();
  of.model.waves.regression.features[0].measure = "pulse";
  EXPECT_THROW_KIND(rhythms_of(this->context(), loaded_table(this->context(), of.table), of.classes, of.model,
                               RecordingSource::automatic, 60),
                    ErrorKind::input);
}

// A strip is a recording of up to 120 s, unless its source is named.
TEST(Rhythms, DependOnTheSource) {
  auto of = reference();
  of.model.states = {"A", "B", "C", "D"};
  for (std::size_t s = 0; s < kRecordingSources; ++s) {
    of.model.waves.sources[s] = of.model.waves.sources[0];
    of.model.waves.sources[s].prior = {1e-12, 1e-12, 1e-12, 1e-12};
    of.model.waves.sources[s].prior[s] = 1;
    of.model.waves.sources[s].balance = 0;
  }
  Cpu cpu;
  const auto state = [&](RecordingSource source, double duration_s) {
    return rhythms_of(cpu, loaded_table(cpu, of.table), of.classes, of.model, source, duration_s).path.front();
  };
  EXPECT_EQ(state(RecordingSource::automatic, 120), 0);
  EXPECT_EQ(state(RecordingSource::automatic, 121), 1);
  EXPECT_EQ(state(RecordingSource::strip, 1000), 0);
  EXPECT_EQ(state(RecordingSource::holter, 10), 1);
  EXPECT_EQ(state(RecordingSource::monitor, 10), 2);
}

TYPED_TEST(RhythmModels, FindNothingWithoutBeats) {
  EXPECT_TRUE(rhythms_of(this->context(), {}, {}, {}, {}, 0).path.empty());
}

TEST(WindowStatistics, HaveNames) {
  EXPECT_EQ(window_statistic("deviation"), WindowStatistic::deviation);
  EXPECT_THROW_KIND(window_statistic("median"), ErrorKind::input);
}

TEST(RhythmSegments, BeginHalfwayBetweenRPeaks) {
  const DecodedRhythms decoded{.prior = {}, .path = {0, 0, 1}, .probability = {0.8, 0.6, 0.9}};
  const auto segments = rhythm_segments(decoded, std::vector<double>{1, 2, 4}, 5, 1);
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0].start_s, 0);
  EXPECT_EQ(segments[0].end_s, 3);
  EXPECT_NEAR(segments[0].confidence, 0.7, 1e-12);
  EXPECT_EQ(segments[1].end_s, 5);
  EXPECT_EQ(segments[1].state, 1);
}

}  // namespace
}  // namespace beatscan
