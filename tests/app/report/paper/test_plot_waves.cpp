#include "app/report/paper/plot_waves.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/report/paper/plot.h"
#include "app/report/stored/stored_result.h"
#include "tests/paths/paths.h"
#include "tests/support/expect_error.h"
#include "tests/support/result_with_waves.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

std::int64_t letters_in(const std::vector<PlotWave>& waves, WaveLetter letter) {
  return std::ranges::count(waves, letter, &PlotWave::letter);
}

std::size_t times_in_picture(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// From 0.35 to 3 s: the P waves of the beats at 0.5 and 1.5 s, as the beat at 2.5 s has none; the first one reaches in.
TEST(PlotWaves, AreThoseOfTheStretch) {
  const auto waves = plotted_waves(result_with_waves(1), 0.35, 3).all;
  EXPECT_EQ(letters_in(waves, WaveLetter::p), 2);
  EXPECT_EQ(letters_in(waves, WaveLetter::qrs), 3);
  EXPECT_EQ(letters_in(waves, WaveLetter::t), 3);
  EXPECT_DOUBLE_EQ(waves[0].from, 0.3);
  EXPECT_DOUBLE_EQ(waves[0].peak, 0.35);
  EXPECT_DOUBLE_EQ(waves[1].peak, 0.51) << "the middle of the QRS complex";
  EXPECT_DOUBLE_EQ(waves[2].from, 0.75) << "a T wave from its peak on";
}

TEST(PlotWaves, PWavesWithoutAQrsComplexAreMarked) {
  const auto waves = plotted_waves(result_with_waves(1), 10, 11).all;
  EXPECT_EQ(letters_in(waves, WaveLetter::p), 2);
  EXPECT_DOUBLE_EQ(waves.back().from, 10.4);
  EXPECT_DOUBLE_EQ(waves.back().to, 10.5);
}

TEST(PlotWaves, LeadsHaveTheirOwn) {
  const TemporaryFolder folder;
  StoredResult result = result_with_waves(1);
  result.folder = folder.path();
  const std::string header = "beat,lead,p_onset_s,p_peak_s,p_end_s,qrs_onset_s,qrs_end_s,t_peak_s,t_end_s\n";
  folder.write("waves.csv", header + "0,1,,,,0.45,0.57,0.8,0.9\n9,1,,,,9.45,9.57,9.8,9.9\n");
  const PlotWaves waves = plotted_waves(result, 0, 1);
  EXPECT_EQ(waves.of(0).size(), 3u) << "over leads";
  ASSERT_EQ(waves.of(1).size(), 2u);
  EXPECT_EQ(waves.of(1)[0].to, 0.57);
  EXPECT_EQ(plotted_waves(result, 5, 6).of(1).size(), 0u) << "the lead has none there";
  const auto refused = [&](const std::string& row, const std::string& what) {
    folder.write("waves.csv", header + row);
    expect_error(ErrorKind::input, "waves.csv:2: " + what, [&] { plotted_waves(result, 0, 1); });
  };
  refused("0,2,,,,0.45,0.57,0.8,0.9\n", "'2' is no lead of the result");
  refused("0,1,,,,x,0.57,0.8,0.9\n", "'x' is not a number");
}

TEST(PlotWaves, AreRefusedWhereTheResultHasNone) {
  StoredResult result = result_with_waves(1);
  result.beats.waves.clear();
  expect_error(ErrorKind::usage, "--waves: the result has no P, QRS and T waves", [&] { plotted_waves(result, 0, 1); });
}

// At 25 mm/s behind 15 mm of calibration pulse. Waves over leads have letters in the first lead alone.
TEST(PlotSvg, MarksWaves) {
  const StoredResult result = result_with_waves(1);
  const PlotStretch stretch{.from = 1, .to = 3};
  const std::vector<std::vector<float>> leads(2, std::vector<float>(200));
  const std::string svg = plot_drawing(result, stretch, 100, leads, plotted_waves(result, 1, 3)).svg;
  EXPECT_EQ(times_in_picture(svg, "class=\"wave\""), 10u) << "P, QRS and T, QRS and T, in two leads";
  EXPECT_NE(svg.find("fill=\"#009e73\" fill-opacity=\"0.16\" x=\"22.50\" y=\"22.00\" width=\"2.50\""), svg.npos)
      << "a P wave 0.3 s into the strip, 0.1 s long";
  for (const auto& [letter, count] : {std::pair{">P</text>", 1u}, {">QRS</text>", 2u}, {">T</text>", 2u}})
    EXPECT_EQ(times_in_picture(svg, letter), count) << letter;
  EXPECT_EQ(times_in_picture(plot_drawing(result, stretch, 100, leads).svg, "class=\"wave\""), 0u);
}

TEST(PlotCommand, MarksTheWavesOfAResult) {
  const TemporaryFolder folder;
  const auto out = (folder.path() / "out").string(), picture = (folder.path() / "a.svg").string();
  ASSERT_EQ(run_program({"run", source_folder() + "/data/mitdb_205.csv", "--rate", "360", "--device", "cpu", "--set",
                         "vae.epochs=1", "--no-report", "--out", out})
                .status,
            0);
  ASSERT_EQ(run_program({"plot", out, "--from", "1:00", "--to", "1:10", "--waves", "--out", picture}).status, 0);
  const std::string svg = contents_of(picture);
  EXPECT_GT(times_in_picture(svg, ">QRS</text>"), 10u) << "88 beats a minute";
  EXPECT_GT(times_in_picture(svg, ">P</text>"), 10u);
  EXPECT_GT(times_in_picture(svg, ">T</text>"), 10u);
}

}  // namespace
}  // namespace beatscan
