// The real program on signals that are not an ECG, or not of one person: advisories report that.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "app/synthetic/generate.h"
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
  // Runs on leads, and returns the summary; fails if the status is not 0.
  nlohmann::json run(const std::vector<Signal>& leads, const std::string& setting = "vae.epochs=1") {
    const std::string names = leads.size() > 1 ? R"(["L0","L1"])" : R"(["L0"])";
    const auto result = run_program({"run", written(leads), "--rate", std::to_string(kSilentRate), "--out", out(),
                                     "--set", "vae.epochs=1", "--no-report", "--device", "cpu", "--force", "--set",
                                     "ingest.leads=" + names, "--set", setting});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? nlohmann::json::parse(contents_of(out() + "/summary.json")) : nlohmann::json();
  }
  static bool warns(const nlohmann::json& summary, const std::string& words) {
    return std::ranges::any_of(summary["advisories"], [&](const auto& advisory) {
      return advisory["message"].template get<std::string>().find(words) != std::string::npos;
    });
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CliSilent, AnEcgHasNoAdvisories) { EXPECT_EQ(run({four_minutes()})["advisories"], nlohmann::json::array()); }

TEST_F(CliSilent, ASawtoothBesideAnEcgAddsNoBeat) {
  const auto x = four_minutes();
  const std::int64_t beats = run({x})["beats"]["found"];
  Signal sawtooth(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sawtooth[i] = static_cast<float>(i % 250) / 250 - 0.5F;
  const auto summary = run({x, sawtooth});
  EXPECT_TRUE(warns(summary, "may not be an ECG")) << summary["advisories"];
  EXPECT_NEAR(summary["beats"]["found"].get<double>(), static_cast<double>(beats), 2);
}

TEST_F(CliSilent, TheLeadOfAnotherPersonIsReported) {
  const auto summary = run({four_minutes(5), four_minutes(6)});
  EXPECT_TRUE(warns(summary, "leads 'L0' and 'L1' show different beats")) << summary["advisories"];
}

TEST_F(CliSilent, AdvisoriesOnStderrAreThoseOfTheSummary) {
  const auto x = four_minutes();
  const Signal flat(x.size(), 0.5F);
  const auto result = run_program({"run", written({x, flat}), "--rate", std::to_string(kSilentRate), "--out", out(),
                                   "--set", "vae.epochs=1", "--device", "cpu"});
  const auto advisories = nlohmann::json::parse(contents_of(out() + "/summary.json"))["advisories"];
  EXPECT_FALSE(advisories.empty());
  for (const auto& its : advisories)
    EXPECT_NE(result.err.find(its["message"].get<std::string>()), std::string::npos) << its;
}

// In microvolts the training diverges, and the error explains why.
TEST_F(CliSilent, ThePublishedMethodAsksForMillivolts) {
  auto x = four_minutes();
  for (float& value : x) value *= 1000;
  const auto result = run_program({"run", written({x}), "--config", "seed", "--set", "ingest.column=L0", "--set",
                                   "vae.epochs=2", "--no-report", "--device", "cpu", "--out", out()});
  const std::string said = result.status == 0 ? contents_of(out() + "/summary.json") : result.err;
  EXPECT_NE(said.find("the published method needs samples in mV"), std::string::npos) << said;
}

}  // namespace
}  // namespace beatscan
