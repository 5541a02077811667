// The real program on a ventricular standstill: P waves that go on alone are no beats, or a warning tells of them.
// Beats are as small where the gain changed, and stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/standstill.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

class CliStandstill : public testing::Test {
 protected:
  // Runs on a lead at 360 Hz, and returns the summary; fails where the status is not 0.
  nlohmann::json run(const std::vector<float>& x) {
    std::ostringstream text;
    text << "II";
    for (const float value : x) text << '\n' << value;
    const std::string out = (folder_.path() / "out").string();
    const auto result =
        run_program({"run", folder_.write("ecg.csv", text.str()).string(), "--rate", std::to_string(kStandstillRate),
                     "--out", out, "--set", "vae.epochs=1", "--no-report", "--device", "cpu", "--force"});
    EXPECT_EQ(result.status, 0) << result.err;
    return result.status == 0 ? nlohmann::json::parse(contents_of(out + "/summary.json")) : nlohmann::json();
  }
  // P waves of this height go on from one time to another.
  nlohmann::json run(int seconds, double from, double to, double p_height = 0.15) {
    return run(standstill_ecg(
        {.seconds = seconds, .is_still = [=](double t) { return t >= from && t < to; }, .p_height = p_height}));
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(CliStandstill, AfterFewBeatsIsFound) {
  for (const int beats : {20, 30}) {
    const auto summary = run(static_cast<int>(1.2 * beats) + 15, 0.8 * beats, 0.8 * beats + 15);
    EXPECT_NEAR(summary["beats"]["found"].get<double>(), 1.5 * beats, 2) << beats << " beats before it";
    EXPECT_EQ(summary["findings"]["episodes"]["ASYS"]["count"], 1) << summary["findings"];
  }
}

TEST_F(CliStandstill, OfMostOfTheRecordingIsFound) {
  for (const double share : {0.55, 0.7}) {
    const auto summary = run(240, 240 * (0.9 - share), 216);
    EXPECT_NEAR(summary["beats"]["found"].get<double>(), 299 * (1 - share), 3) << share;
  }
}

// A complete heart block: each fifth P wave has a beat.
TEST_F(CliStandstill, FifteenBeatsAMinuteAreReportedAsFifteen) {
  const auto summary =
      run(standstill_ecg({.is_still = [](double t) { return std::lround((t - 0.5) / 0.8) % 5 != 0; }}));
  EXPECT_EQ(summary["beats"]["found"], 60);
  EXPECT_NEAR(summary["beats"]["median_a_minute"].get<double>(), 15, 0.1);
  EXPECT_EQ(summary["findings"]["episodes"]["PAUSE"]["count"], 59);
}

TEST_F(CliStandstill, AHigherGainInHalfOfTheRecordingTakesNoBeats) {
  std::ifstream file(source_folder() + "/data/mitdb_205.csv");
  std::string line;
  std::getline(file, line);
  std::vector<float> x;
  while (std::ssize(x) < 300 * kStandstillRate && std::getline(file, line)) x.push_back(std::stof(line));
  std::vector<float> ordered = x;
  std::ranges::nth_element(ordered, ordered.begin() + std::ssize(ordered) / 2);
  const float middle = ordered[ordered.size() / 2];
  for (float& value : x) value -= middle;
  const auto plain = run(x);
  for (std::size_t i = 0; i < x.size() / 2; ++i) x[i] *= 8;
  const auto changed = run(x);
  EXPECT_EQ(changed["beats"]["found"], plain["beats"]["found"]);
}

}  // namespace
}  // namespace beatscan
