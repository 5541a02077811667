// The real program on signals that look like findings and are not, and on signals that hide beats: warnings tell of
// each.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include "app/synthetic/synthetic.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Signal = std::vector<float>;

constexpr std::int64_t kSilentRate = 250;

Signal four_minutes(std::uint64_t seed = 5) {
  Signal x(240 * kSilentRate);
  SyntheticEcg(std::ssize(x), kSilentRate, 0, seed).render(0, x);
  return x;
}

class CliSilent : public testing::Test {
 protected:
  std::string out() const { return (folder_.path() / "out").string(); }
  // Writes the leads as columns L0, L1 and so on.
  std::string written(const std::vector<Signal>& leads) const {
    std::ostringstream text;
    for (std::size_t l = 0; l < leads.size(); ++l) text << (l > 0 ? ",L" : "L") << l;
    for (std::size_t i = 0; i < leads.front().size(); ++i)
      for (std::size_t l = 0; l < leads.size(); ++l) text << (l > 0 ? "," : "\n") << leads[l][i];
    return folder_.write("ecg.csv", text.str()).string();
  }
  // Runs on leads, and returns the summary; fails where the status is not 0.
  nlohmann::json run(const std::vector<Signal>& leads, const std::string& setting = "vae.epochs=1") {
    const std::string names = leads.size() > 1 ? R"(["L0","L1"])" : R"(["L0"])";
    const auto result = run_program({"run", written(leads), "--rate", std::to_string(kSilentRate), "--out", out(),
                                     "--set", "vae.epochs=1", "--no-report", "--device", "cpu", "--force", "--set",
                                     "ingest.leads=" + names, "--set", setting});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? nlohmann::json::parse(contents_of(out() + "/summary.json")) : nlohmann::json();
  }
  static bool warns(const nlohmann::json& summary, const std::string& words) {
    return std::ranges::any_of(summary["warnings"], [&](const auto& warning) {
      return warning.template get<std::string>().find(words) != std::string::npos;
    });
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CliSilent, OfAnEcgNothingIsTold) { EXPECT_EQ(run({four_minutes()})["warnings"], nlohmann::json::array()); }

TEST_F(CliSilent, ASawtoothBesideAnEcgAddsNoBeat) {
  const auto x = four_minutes();
  const std::int64_t beats = run({x})["beats"]["found"];
  Signal sawtooth(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sawtooth[i] = static_cast<float>(i % 250) / 250 - 0.5F;
  const auto summary = run({x, sawtooth});
  EXPECT_TRUE(warns(summary, "lead 'L1': this may be no ECG")) << summary["warnings"];
  EXPECT_NEAR(summary["beats"]["found"].get<double>(), static_cast<double>(beats), 2);
}

TEST_F(CliSilent, TheLeadOfAnotherPersonIsTold) {
  const auto summary = run({four_minutes(5), four_minutes(6)});
  EXPECT_TRUE(warns(summary, "leads 'L0' and 'L1' show different beats")) << summary["warnings"];
}

TEST_F(CliSilent, AGainThatChangesIsTold) {
  auto x = four_minutes();
  for (std::size_t i = x.size() / 2; i < x.size(); ++i) x[i] *= 5;
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, "the usual shape changes at 1")) << summary["warnings"];
}

TEST_F(CliSilent, AGainThatChangesNearTheEndIsTold) {
  auto x = four_minutes();
  for (std::size_t i = x.size() * 9 / 10; i < x.size(); ++i) x[i] *= 3;
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, " s on the signal is ")) << summary["warnings"];
}

// Adds steps that fade, as an electrode makes that is touched.
void add_steps(int steps, int apart_s, Signal& x) {
  for (int step = 0; step < steps; ++step)
    for (int i = 0; i < 200; ++i)
      x[(10 + apart_s * step) * kSilentRate + 13 * step + i] +=
          1.5F * std::exp(-static_cast<float>(i) / (0.13F * kSilentRate));
}

TEST_F(CliSilent, StepsInARegularRhythmAreNoBeats) {
  auto x = four_minutes();
  add_steps(20, 11, x);
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, "touches of an electrode or bursts of noise between beats")) << summary["warnings"];
  EXPECT_GE(summary["quality"]["artefacts_left_out"], 3);
  EXPECT_LE(summary["findings"]["kinds"]["V"].get<int>(), 6) << summary["findings"];
}

TEST_F(CliSilent, StepsInAnIrregularRhythmAreOfUnknownKind) {
  Signal x(240 * kSilentRate);
  SyntheticEcg(std::ssize(x), kSilentRate, 0.3, 5).render(0, x);
  add_steps(40, 5, x);
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, " of the signal, the first at ")) << summary["warnings"];
}

// Adds waves that fade, 0.9 s apart, and tremor, from 100 to 150 s: an electrode moves.
void add_movement(Signal& x) {
  const float rate = kSilentRate;
  for (int wave = 0; wave < 55; ++wave)
    for (int i = 0; i < 200; ++i)
      x[100 * kSilentRate + 225 * wave + i] += 0.8F * std::min(static_cast<float>(i) / 12, 1.0F) *
                                               std::exp(-std::max(static_cast<float>(i) - 12, 0.0F) / (0.13F * rate));
  for (int i = 0; i < 50 * kSilentRate; ++i) {
    const float turns = 2 * std::numbers::pi_v<float> * static_cast<float>(i) / rate;
    x[100 * kSilentRate + i] += 0.08F * std::sin(17 * turns) * std::sin(0.3F * turns);
  }
}

TEST_F(CliSilent, MovementIsNotVentricular) {
  auto x = four_minutes();
  add_movement(x);
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, "are bumps like V beats")) << summary["warnings"];
  EXPECT_LE(summary["findings"]["kinds"]["V"].get<int>(), 1) << summary["findings"];
  EXPECT_GE(summary["findings"]["kinds"]["Q"].get<int>(), 3) << summary["findings"];
}

// In so few beats most may be abnormal, and then the score takes these for usual: bumps cannot be told.
TEST_F(CliSilent, BumpsAreNotToldInFewBeats) {
  auto x = four_minutes();
  add_movement(x);
  const auto summary = run({x}, "findings.usual_few=1000");
  EXPECT_FALSE(warns(summary, "are bumps like V beats")) << summary["warnings"];
  EXPECT_GE(summary["findings"]["kinds"]["V"].get<int>(), 3) << summary["findings"];
}

// The page takes arrays out of the result that a warning of a wide beat needs.
TEST_F(CliSilent, WarningsOnStderrAreThoseOfTheSummary) {
  const auto narrow = four_minutes();
  Signal x(narrow.size());
  for (std::size_t i = 30; i < x.size(); ++i)
    for (int j = 0; j < 30; ++j) x[i] += narrow[i - j] / 30;
  const auto result = run_program({"run", written({x}), "--rate", std::to_string(kSilentRate), "--out", out(), "--set",
                                   "vae.epochs=1", "--device", "cpu"});
  const auto warnings = nlohmann::json::parse(contents_of(out() + "/summary.json"))["warnings"];
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& warning) {
    return warning.starts_with("the usual beat is wide");
  })) << warnings;
  for (const std::string warning : warnings) EXPECT_NE(result.err.find(warning), std::string::npos) << warning;
}

TEST_F(CliSilent, BuffersThatWereWrittenTwiceAreTold) {
  auto x = four_minutes();
  for (int at = 220; at > 10; at -= 5) {
    const std::vector<float> copy(x.begin() + at * kSilentRate, x.begin() + at * kSilentRate + 100);
    x.insert(x.begin() + at * kSilentRate, copy.begin(), copy.end());
  }
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, "0.25 s of samples or more repeat exactly")) << summary["warnings"];
}

TEST_F(CliSilent, AConverterThatWrapsRoundIsTold) {
  auto x = four_minutes();
  for (float& value : x) value = std::fmod(value + 2, 2.6F) - 2;
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, "the signal jumps from one end of its range to the other")) << summary["warnings"];
}

TEST_F(CliSilent, ALossOfCaptureIsTold) {
  auto x = four_minutes();
  for (std::int64_t i = 100 * kSilentRate; i < 110 * kSilentRate; ++i)
    x[i] = 0.01F * std::sin(0.3F * static_cast<float>(i));
  for (std::int64_t i = 100 * kSilentRate + 100; i < 110 * kSilentRate - 100; i += 214) x[i] += 1.5F;
  const auto summary = run({x});
  EXPECT_TRUE(warns(summary, "narrow spikes without a QRS complex")) << summary["warnings"];
  EXPECT_GE(summary["quality"]["spikes_left_out"], 9);
}

// In microvolts the training diverges, and the error says why.
TEST_F(CliSilent, ThePublishedMethodAsksForMillivolts) {
  auto x = four_minutes();
  for (float& value : x) value *= 1000;
  const auto result = run_program({"run", written({x}), "--config", "seed", "--set", "ingest.column=L0", "--set",
                                   "vae.epochs=2", "--no-report", "--device", "cpu", "--out", out()});
  const std::string said = result.status == 0 ? contents_of(out() + "/summary.json") : result.err;
  EXPECT_NE(said.find("the published method takes samples as they are and was made for mV"), std::string::npos) << said;
}

}  // namespace
}  // namespace beatscan
