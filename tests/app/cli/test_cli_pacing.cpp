// The real program on beats behind pacing spikes: of the ventricles they are Q, and a warning tells of either chamber.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/run_program.h"
#include "tests/support/standstill.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

struct PacedResult {
  ProgramResult program;
  std::string templates, beats;
};

// Analyses two minutes of an ECG with a spike this many seconds before each R peak; 0 for none.
PacedResult analysed_with_spikes(double before_s) {
  auto x = standstill_ecg({.seconds = 120, .is_still = [](double) { return false; }});
  for (double t = 0.5; before_s > 0 && t < 119; t += 0.8) {
    const auto at = static_cast<std::int64_t>((t - before_s) * kStandstillRate);
    x[at] += 0.6F, x[at + 1] += 0.3F;
  }
  std::ostringstream text;
  text << "II";
  for (const float value : x) text << '\n' << value;
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "out").string();
  PacedResult result{
      run_program({"run", folder.write("ecg.csv", text.str()).string(), "--rate", std::to_string(kStandstillRate),
                   "--out", out, "--set", "vae.epochs=1", "--device", "cpu"})};
  result.templates = contents_of(out + "/templates.csv");
  result.beats = contents_of(out + "/beats.csv");
  return result;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(CliPacing, OfTheVentriclesMakesBeatsQ) {
  const auto result = analysed_with_spikes(0.07);
  EXPECT_EQ(result.program.status, 0);
  EXPECT_TRUE(has(result.templates, "\n0,Q,149,")) << result.templates;
  EXPECT_TRUE(has(result.templates, ",ventricles,")) << result.templates;
  EXPECT_TRUE(has(result.beats, ",good,Q,0,"));
  EXPECT_TRUE(has(result.program.err, "pacing spikes of the ventricles before 149 beats")) << result.program.err;
}

TEST(CliPacing, OfTheAtriaKeepsKinds) {
  const auto result = analysed_with_spikes(0.19);
  EXPECT_TRUE(has(result.templates, "\n0,N,149,")) << result.templates;
  EXPECT_TRUE(has(result.templates, ",atria,")) << result.templates;
  EXPECT_TRUE(has(result.program.err, "pacing spikes of the atria")) << result.program.err;
}

TEST(CliPacing, IsNoneWithoutSpikes) {
  const auto result = analysed_with_spikes(0);
  EXPECT_TRUE(has(result.templates, "\n0,N,149,")) << result.templates;
  EXPECT_FALSE(has(result.program.err, "pacing")) << result.program.err;
}

}  // namespace
}  // namespace beatscan
