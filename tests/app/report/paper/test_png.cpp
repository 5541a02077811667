#include "app/report/paper/png.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/paths/paths.h"
#include "tests/support/expect_error.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

TEST(Png, ResolutionIsReportedInWholePixelsAMetre) {
  EXPECT_EQ(pixels_per_metre(300), 11811);
  EXPECT_EQ(pixels_per_metre(25.4), 1000);
  EXPECT_EQ(pixels_per_metre(96), 3780);
}

TEST(Png, SaysWhatToInstall) {
  expect_error(
      ErrorKind::output,
      "a.png: PNG needs libnone.so.0, which is not on this machine; install it (Debian: apt install librsvg2-2)", [] {
        png_of({"<svg/>", 10, 10}, 300, "a.png", "libnone.so.0");
      });
}

TEST(Png, RefusesMorePixelsThanThereMayBe) {
  expect_error(ErrorKind::usage, "a.png: the picture would have 118110 x 119 pixels", [] {
    png_of({"<svg/>", 10000, 10}, 300, "a.png");
  });
  expect_error(ErrorKind::usage, "give a smaller --dpi", [] { png_of({"<svg/>", 2000, 2000}, 300, "a.png"); });
}

std::uint32_t number_at(const std::string& png, std::size_t place) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(png.at(place + i));
  return number;
}

// A result of data/, of which pictures are made by the program.
class PngOfData : public testing::Test {
 protected:
  void SetUp() override {
    const auto run = run_program({"run", source_folder() + "/data/mitdb_205.csv", "--rate", "360", "--device", "cpu",
                                  "--set", "vae.epochs=1", "--no-report", "--out", out_.string()});
    ASSERT_EQ(run.status, 0) << run.err;
  }
  // Skips the test where librsvg is missing: then the program says so, which SaysWhatToInstall looks at.
  std::string picture(const std::vector<std::string>& more) {
    const auto path = folder_.path() / "a.png";
    std::vector<std::string> arguments{"plot", out_.string(), "--from",      "10",     "--to",
                                       "20",   "--out",       path.string(), "--force"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto plot = run_program(arguments);
    missing_ = plot.err.find("apt install librsvg2-2") != plot.err.npos;
    if (missing_) return "";
    EXPECT_EQ(plot.status, 0) << plot.err;
    return contents_of(path);
  }
  TemporaryFolder folder_;
  fs::path out_ = folder_.path() / "out";
  bool missing_ = false;
};

// 10 s with the pulse and the margin are 273 mm wide. The chunk pHYs states how many pixels a metre has.
TEST_F(PngOfData, IsTrueToScale) {
  for (const int dpi : {300, 96}) {
    const std::vector<std::string> more = {"--dpi", std::to_string(dpi)};
    const std::string png = picture(dpi == 300 ? std::vector<std::string>() : more);
    if (missing_) GTEST_SKIP() << "no librsvg on this machine";
    ASSERT_GT(png.size(), 10'000u);
    EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
    EXPECT_EQ(png.substr(12, 4), "IHDR");
    const double per_mm = pixels_per_metre(dpi) / 1000.0;
    EXPECT_EQ(number_at(png, 16), static_cast<std::uint32_t>(std::ceil(273 * per_mm)));
    EXPECT_EQ(png.substr(33 + 4, 4), "pHYs");
    EXPECT_EQ(number_at(png, 33), 9u);
    EXPECT_EQ(number_at(png, 41), static_cast<std::uint32_t>(pixels_per_metre(dpi)));
    EXPECT_EQ(number_at(png, 45), static_cast<std::uint32_t>(pixels_per_metre(dpi)));
    EXPECT_EQ(png[49], 1) << "the unit is the metre";
    EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
  }
}

TEST_F(PngOfData, IsTheSameEachTime) {
  const std::string png = picture({});
  if (missing_) GTEST_SKIP() << "no librsvg on this machine";
  EXPECT_EQ(picture({}), png);
}

// The signal with three seconds without values at 20 s.
std::string with_a_gap(const fs::path& whole) {
  std::ifstream file(whole);
  std::string text, line;
  for (int row = -1; std::getline(file, line); ++row) text += (row >= 5000 && row < 5750 ? "nan" : line) + "\n";
  return text;
}

// The folder holds the signal of a short recording; a long one is read again. Both show the gap, in strip and page.
TEST(PlotCommand, ShowsAGap) {
  TemporaryFolder folder;
  for (const std::string samples : {"20000", "1100000"}) {
    const auto whole = folder.path() / ("whole_" + samples + ".csv"), out = folder.path() / ("out_" + samples);
    ASSERT_EQ(run_program({"generate", "--samples", samples, "--out", whole.string()}).status, 0);
    const std::string input = folder.write("gap_" + samples + ".csv", with_a_gap(whole));
    const auto run =
        run_program({"run", input, "--rate", "250", "--device", "cpu", "--set", "vae.epochs=1", "--out", out.string()});
    ASSERT_EQ(run.status, 0) << run.err;
    const auto picture = folder.path() / ("gap_" + samples + ".svg");
    ASSERT_EQ(run_program({"plot", out.string(), "--from", "18", "--to", "28", "--out", picture.string()}).status, 0);
    const std::string svg = contents_of(picture);
    EXPECT_NE(svg.find("class=\"gap\" fill=\"#d5d9dd\" x=\"65.00\""), svg.npos) << "2 s after the pulse";
    EXPECT_NE(svg.find("width=\"75.00\""), svg.npos) << "3 s";
  }
}

}  // namespace
}  // namespace beatscan
