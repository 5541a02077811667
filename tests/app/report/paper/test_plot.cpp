#include "app/report/paper/plot.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "app/common/numbers.h"
#include "app/report/stored/stored_result.h"
#include "tests/paths/paths.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

TEST(PlotTime, IsReadAsSecondsOrOnAClock) {
  EXPECT_EQ(parsed_time("12.5"), 12.5);
  EXPECT_EQ(parsed_time("0"), 0);
  EXPECT_EQ(parsed_time("600"), 600);
  EXPECT_EQ(parsed_time("5:09.5"), 309.5);
  EXPECT_EQ(parsed_time("1:02:03"), 3723);
  EXPECT_EQ(parsed_time("25:00:00"), 90000);
  for (const char* text : {"", "x", "-1", "1:60", "1:2:3:4", "1.5:00", "1:", ":1", "nan", "1e400", "1:-2"})
    EXPECT_FALSE(parsed_time(text)) << text;
}

// 200 s at 100 Hz with a beat a second, and three episodes.
StoredResult result_to_plot() {
  StoredResult result;
  result.rate_hz = 100;
  result.samples = 20000;
  for (int i = 0; i < 199; ++i) result.beats.sample.push_back(100 * i + 50);
  result.beats.rr_next.assign(199, 1);
  result.beats.beat_class.assign(199, 'N');
  result.beats.beat_class[7] = 'V';
  result.episodes = {{.from = 10, .to = 12, .label = "VT"},
                     {.from = 20, .to = 180, .label = "AFIB"},
                     {.from = 198, .to = 200, .label = "PAUSE"}};
  result.leads = {{.name = "II", .unit = "mV"}};
  result.summary = {{"input", {{"path", "folder/a<b.csv"}, {"unit", "mV"}}}};
  return result;
}

void expect_stretch(const PlotRequest& request, double from, double to) {
  const PlotStretch stretch = plotted_stretch(result_to_plot(), request);
  EXPECT_DOUBLE_EQ(stretch.from, from);
  EXPECT_DOUBLE_EQ(stretch.to, to);
}

TEST(PlotStretch, IsWhatIsAskedFor) {
  expect_stretch({.beat = 50}, 45.5, 55.5);
  expect_stretch({.beat = 0}, 0, 10);
  expect_stretch({.beat = 198}, 190, 200);
  expect_stretch({.episode = 0}, 8.5, 13.5);
  expect_stretch({.episode = 2}, 195, 200);
  expect_stretch({.from = "1:00", .to = "75.5"}, 60, 75.5);
  expect_stretch({.from = "190", .to = "210"}, 190, 200);
  const PlotStretch cut = plotted_stretch(result_to_plot(), {.episode = 1});
  EXPECT_TRUE(cut.cut);
  EXPECT_DOUBLE_EQ(cut.to - cut.from, kLongestPlot_s);
}

TEST(PlotStretch, RefusesWhatIsNotThere) {
  auto result = result_to_plot();
  const auto refused = [&](const std::string& what, const PlotRequest& request) {
    expect_error(ErrorKind::usage, what, [&] { plotted_stretch(result, request); });
  };
  refused("give --beat, or --episode, or --from and --to", {});
  refused("give --beat, or --episode, or --from and --to", {.beat = 1, .episode = 1});
  refused("give both", {.from = "1"});
  refused("beats.csv has the rows 0 to 198", {.beat = 199});
  refused("beats.csv has", {.beat = -1});
  refused("episodes.csv has the rows 0 to 2", {.episode = 3});
  refused("'soon' is no time", {.from = "soon", .to = "5"});
  refused("--to must be after", {.from = "5", .to = "5"});
  refused("beyond the recording's end", {.from = "200", .to = "205"});
  refused("longer than 60 s", {.from = "0", .to = "61"});
  result.episodes.reset();
  refused("episodes.csv does not exist", {.episode = 0});
}

std::size_t count_in(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(PlotSvg, IsTrueToScale) {
  const auto result = result_to_plot();
  const PlotStretch stretch = plotted_stretch(result, {.beat = 7});
  std::vector<float> signal(1000);
  signal[500] = 1;  // 1 mV is 10 mm
  const auto [svg, width_mm, height_mm] = plot_drawing(result, stretch, 250, {signal});
  EXPECT_DOUBLE_EQ(width_mm, 273);
  EXPECT_NE(svg.find("viewBox=\"0 0 273.00 " + fixed(height_mm, 2) + "\""), svg.npos);
  EXPECT_TRUE(svg.starts_with("<?xml")) << svg.substr(0, 200);
  EXPECT_NE(svg.find("width=\"273.00mm\""), svg.npos) << "10 s, the pulse, and a margin";
  EXPECT_NE(svg.find("<title>a&lt;b.csv · beat 7, V · 0:02.5 – 0:12.5</title>"), svg.npos) << svg.substr(0, 600);
  EXPECT_NE(svg.find("25 mm/s, 10 mm/mV"), svg.npos);
  EXPECT_NE(svg.find("h2v-10h5v10h2"), svg.npos) << "1 mV for 0.2 s";
  EXPECT_NE(svg.find("3450L14000 2450L14025 3450L"), svg.npos) << "the sample of 1 mV, in hundredths of a millimetre";
  EXPECT_EQ(count_in(svg, ">V</text>"), 1u);
  EXPECT_EQ(count_in(svg, ">N</text>"), 9u);
  EXPECT_EQ(count_in(svg, ">1000</text>"), 10u) << "intervals in ms";
  EXPECT_EQ(count_in(svg, ">II</text>"), 1u);
}

TEST(PlotSvg, ALongStretchTakesLines) {
  const auto result = result_to_plot();
  const PlotStretch stretch = plotted_stretch(result, {.from = "0", .to = "25"});
  const std::string svg = plot_drawing(result, stretch, 0, {std::vector<float>(2500)}).svg;
  EXPECT_EQ(count_in(svg, ">II</text>"), 3u);
  EXPECT_EQ(count_in(svg, ">N</text>") + count_in(svg, ">V</text>"), 25u);
}

// Two seconds without a signal are 50 mm of grey paper. A gap of 0.3 s is too narrow for words.
TEST(PlotSvg, AGapIsNoSignal) {
  const auto result = result_to_plot();
  const PlotStretch stretch = plotted_stretch(result, {.from = "0", .to = "10"});
  std::vector<float> signal(1000);
  std::fill_n(signal.begin() + 400, 200, NAN);
  std::fill_n(signal.begin() + 800, 30, NAN);
  const std::string svg = plot_drawing(result, stretch, 0, {signal}).svg;
  EXPECT_EQ(count_in(svg, "class=\"gap\""), 2u);
  EXPECT_NE(svg.find("x=\"115.00\" y=\"22.00\" width=\"50.00\""), svg.npos) << "the pulse takes 15 mm";
  EXPECT_EQ(count_in(svg, "no signal"), 1u);
  const auto trace = svg.find("d=\"", svg.find("scale(.01)")), end = svg.find('"', trace + 3);
  EXPECT_EQ(count_in(svg.substr(trace, end - trace), "M"), 3u) << "the trace has three pieces";
}

TEST(PlotPicture, RefusesWhatItCannotWrite) {
  expect_error(ErrorKind::usage, "a.jpg: give a name that ends in .svg or in .png",
               [] { check_picture({.out = "a.jpg"}); });
  expect_error(ErrorKind::usage, "an SVG has no pixels", [] { check_picture({.out = "a.svg", .dpi = 300}); });
  expect_error(ErrorKind::usage, "--dpi: is not from 25 to 2400", [] { check_picture({.out = "a.png", .dpi = 2401}); });
  expect_error(ErrorKind::usage, "--dpi: is not from 25 to 2400",
               [] { check_picture({.out = "a.png", .dpi = std::numeric_limits<double>::quiet_NaN()}); });
  check_picture({.out = "a.png", .dpi = 25});
  check_picture({.out = "a.svg"});
}

std::vector<std::string> plot_arguments(const fs::path& folder, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"plot", folder.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(PlotCommand, WritesAPictureOfAShortRecording) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out";
  ASSERT_EQ(run_program({"run", source_folder() + "/data/mitdb_205.csv", "--rate", "360", "--device", "cpu", "--set",
                         "vae.epochs=1", "--no-report", "--out", out.string()})
                .status,
            0);
  const std::string picture = (folder.path() / "a.svg").string();
  const auto plot = [&](const std::vector<std::string>& more) { return run_program(plot_arguments(out, more)); };
  EXPECT_EQ(plot({"--beat", "457", "--out", picture}).status, 0);
  EXPECT_NE(contents_of(picture).find("beat 457"), std::string::npos);
  EXPECT_EQ(plot({"--beat", "457", "--out", picture}).status, 6) << "it is there already";
  EXPECT_EQ(plot({"--from", "4:50", "--to", "5:10", "--out", picture, "--force"}).status, 0);
  EXPECT_EQ(plot({"--out", picture, "--force"}).status, 2);
  EXPECT_EQ(plot({"--beat", "1", "--out", (folder.path() / "a.jpg").string()}).status, 2);
  EXPECT_EQ(plot({"--beat", "x", "--out", picture}).status, 2);
  EXPECT_EQ(run_program({"plot", (folder.path() / "no").string(), "--beat", "1", "--out", picture}).status, 6);
  EXPECT_EQ(run_program({"plot", (folder.path() / "no").string(), "--beat", "1", "--out", picture, "--force"}).status,
            3);
}

// Of a long recording the folder holds strips alone, so that the recording is read again.
TEST(PlotCommand, ReadsTheRecordingAgainIfItIsTheSame) {
  TemporaryFolder folder;
  const auto out = folder.path() / "out", input = folder.path() / "long.csv";
  ASSERT_EQ(run_program({"generate", "--samples", "1100000", "--out", input.string()}).status, 0);
  ASSERT_EQ(run_program({"run", input.string(), "--rate", "250", "--device", "cpu", "--set", "vae.epochs=1",
                         "--no-report", "--out", out.string()})
                .status,
            0);
  const auto plot = [&](const std::string& name) {
    return run_program(plot_arguments(out, {"--from", "10", "--to", "70", "--out", (folder.path() / name).string()}));
  };
  EXPECT_EQ(plot("a.svg").status, 0);
  EXPECT_NE(contents_of(folder.path() / "a.svg").find("long.csv"), std::string::npos);
  std::string text = contents_of(input);
  text[text.size() / 2] = text[text.size() / 2] == '1' ? '2' : '1';  // the size stays
  std::ofstream(input) << text;
  const auto changed = plot("b.svg");
  EXPECT_EQ(changed.status, 3);
  EXPECT_NE(changed.err.find("the file is not the one that was analysed"), std::string::npos) << changed.err;
  fs::remove(input);
  EXPECT_EQ(plot("c.svg").status, 3);
  EXPECT_FALSE(fs::exists(folder.path() / "b.svg"));
}

}  // namespace
}  // namespace beatscan
