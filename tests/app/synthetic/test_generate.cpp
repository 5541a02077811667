#include "app/synthetic/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "app/evaluation/truth.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

constexpr std::int64_t kBlock = 1 << 16;  // the same as in generate.cpp

const GenerateStyle kStyles[] = {GenerateStyle::decimal3, GenerateStyle::decimal6, GenerateStyle::exponent18};
const char* printf_format(GenerateStyle style) {
  return style == GenerateStyle::decimal3 ? "%.3f" : style == GenerateStyle::decimal6 ? "%.6f" : "%.18e";
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<float> render_all(const SyntheticEcg& ecg) {
  std::vector<float> mV(static_cast<std::size_t>(ecg.samples()));
  ecg.render(0, mV);
  return mV;
}

// --- the signal ---

TEST(SyntheticEcg, IsTheSameInPieces) {
  const SyntheticEcg ecg(5000, 250, 0.2, 3);
  const auto whole = render_all(ecg);
  for (const std::size_t piece : {1, 7, 100, 173, 999, 5000}) {
    std::vector<float> joined(whole.size());
    for (std::size_t first = 0; first < whole.size(); first += piece)
      ecg.render(static_cast<std::int64_t>(first),
                 std::span(joined).subspan(first, std::min(piece, whole.size() - first)));
    ASSERT_EQ(joined, whole) << "in pieces of " << piece;
  }
}

TEST(SyntheticEcg, BeatsDoNotDependOnRateOrLength) {
  const SyntheticEcg slow(30'000, 100, 0.1, 4), fast(300'000, 1000, 0.1, 4), longer(90'000, 100, 0.1, 4);
  ASSERT_EQ(slow.beats().size(), fast.beats().size());
  for (std::size_t i = 0; i < slow.beats().size(); ++i) {
    EXPECT_EQ(slow.beats()[i].r_peak_s, fast.beats()[i].r_peak_s);
    EXPECT_EQ(slow.beats()[i].r_peak_s, longer.beats()[i].r_peak_s);
  }
}

TEST(SyntheticEcg, DependsOnTheSeed) {
  const SyntheticEcg one(1000, 250, 0.1, 1), again(1000, 250, 0.1, 1), other(1000, 250, 0.1, 2);
  EXPECT_EQ(render_all(one), render_all(again));
  EXPECT_NE(render_all(one), render_all(other));
}

TEST(SyntheticEcg, RPeaksAreLocalMaximaAtEveryRate) {
  for (const double rate_hz : {100.0, 128.0, 250.0, 360.0, 500.0, 1000.0}) {
    SCOPED_TRACE(rate_hz);
    const SyntheticEcg ecg(static_cast<std::int64_t>(200 * rate_hz), rate_hz, 0.2, 11);
    const auto mV = render_all(ecg);
    int beats = 0;
    for (const auto& beat : ecg.beats()) {
      const std::int64_t peak = ecg.r_peak_sample(beat), around = std::llround(0.12 * rate_hz);
      if (peak < around || peak + around >= ecg.samples()) continue;
      const auto first = mV.begin() + (peak - around), last = mV.begin() + (peak + around + 1);
      // The noise moves the maximum on the flat top of a PVC. 20 ms from the top the wave is lower by 0.18 mV, which is
      // 15 times the noise.
      EXPECT_NEAR(static_cast<double>(std::max_element(first, last) - mV.begin() - peak) / rate_hz, 0, 0.020);
      ++beats;
    }
    EXPECT_GT(beats, 270);
    // The signal spans at most a few mV. A wrong sum of waves would exceed that.
    EXPECT_GT(*std::min_element(mV.begin(), mV.end()), -1.5f);
    EXPECT_LT(*std::max_element(mV.begin(), mV.end()), 2.5f);
  }
}

TEST(SyntheticEcg, HasTheRhythmOfAHeart) {
  const SyntheticEcg ecg(1'000'000, 250, 0.02, 1);
  const auto beats = ecg.beats();
  double before_pvc = 0, after_pvc = 0;
  int pvcs = 0, usual = 0;
  for (std::size_t i = 1; i + 1 < beats.size(); ++i) {
    const double rr_s = beats[i].r_peak_s - beats[i - 1].r_peak_s;
    ASSERT_GT(rr_s, 0.3);
    ASSERT_LT(rr_s, 1.25);
    usual += 0.4 <= rr_s && rr_s <= 1.024;
    if (beats[i].is_pvc && !beats[i - 1].is_pvc && !beats[i + 1].is_pvc) {
      before_pvc += rr_s;
      after_pvc += beats[i + 1].r_peak_s - beats[i].r_peak_s;
      ++pvcs;
    }
  }
  const auto count = static_cast<double>(beats.size());
  EXPECT_NEAR(4000 / count, 0.695, 0.01) << "mean RR interval";
  EXPECT_GT(usual / count, 0.99) << "long enough and short enough for the published pipeline";
  ASSERT_GT(pvcs, 50);
  EXPECT_NEAR(before_pvc / pvcs, 0.70 * 0.695, 0.03) << "early";
  EXPECT_NEAR((before_pvc + after_pvc) / pvcs, 2 * 0.695, 0.03) << "compensatory pause";
}

// --- the text ---

TEST(FormatSample, IsWhatPrintfWrites) {
  std::mt19937 random(1);
  std::normal_distribution<float> voltage(0, 0.5f);
  for (const auto style : kStyles)
    for (int i = 0; i < 350'000; ++i) {
      // Two of three values resemble an ECG, and the others have random bits.
      float mV = i % 3 != 0 ? voltage(random) : std::bit_cast<float>(static_cast<std::uint32_t>(random()));
      if (!std::isfinite(mV)) mV = -0.0f;
      char ours[kLongestSample + 1] = {}, theirs[kLongestSample + 1] = {};
      format_sample(mV, style, ours);
      std::snprintf(theirs, sizeof theirs, printf_format(style), static_cast<double>(mV));
      ASSERT_STREQ(ours, theirs);
    }
}

TEST(FormatSample, LongestFits) {
  char text[kLongestSample];
  for (const auto style : kStyles) EXPECT_LE(format_sample(-3.4028235e38f, style, text) - text, kLongestSample);
}

// --- the files ---

class Generate : public testing::Test {
 protected:
  GenerateResult generate_as(const std::string& name, const GenerateOptions& options, int threads = 2,
                             bool force = false) {
    return generate(Cpu(threads), options, folder_.path() / name, force);
  }
  std::string contents(const std::string& name) const { return contents_of(folder_.path() / name); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_.path()), std::filesystem::directory_iterator()));
  }

  TemporaryFolder folder_;
};

TEST_F(Generate, BytesDoNotDependOnTheNumberOfThreads) {
  for (const std::int64_t samples : {std::int64_t{1}, kBlock - 1, kBlock, kBlock + 1, 5 * kBlock + 17}) {
    SCOPED_TRACE(samples);
    const GenerateOptions options{.samples = samples};
    generate_as("one.csv", options, 1, true);
    const auto expected = contents("one.csv");
    for (const int threads : {2, 3, 8}) {
      const auto result = generate_as("many.csv", options, threads, true);
      ASSERT_TRUE(contents("many.csv") == expected) << threads << " threads";
      ASSERT_EQ(contents("many.truth.csv"), contents("one.truth.csv"));
      EXPECT_EQ(result.bytes, std::ssize(expected));
    }
  }
  EXPECT_EQ(files(), 4u) << "only the results are left";
}

TEST_F(Generate, EveryStyleWritesTheSameSignal) {
  const auto samples = render_all(SyntheticEcg(kBlock + 100, 250, 0.02, 1));
  for (const auto style : kStyles) {
    SCOPED_TRACE(printf_format(style));
    generate_as("x.csv", {.samples = kBlock + 100, .style = style}, 2, true);
    const auto lines = lines_of(folder_.path() / "x.csv");
    ASSERT_EQ(lines.size(), samples.size() + 1);
    EXPECT_EQ(lines[0], "heartbeats");
    for (std::size_t i = 0; i < samples.size(); ++i) {
      char expected[kLongestSample];
      std::snprintf(expected, sizeof expected, printf_format(style), static_cast<double>(samples[i]));
      ASSERT_EQ(lines[i + 1], expected) << "sample " << i;
      if (style == GenerateStyle::exponent18) {
        ASSERT_EQ(std::strtof(lines[i + 1].c_str(), nullptr), samples[i]);
      }
    }
    EXPECT_EQ(contents("x.csv").back(), '\n');
  }
}

TEST_F(Generate, SizesAreThoseOfTheContract) {
  // The sizes in generate.h are for 20 M samples, and are accurate to 4 %.
  const double bytes_per_sample[] = {6.5, 9.3, 25.25};
  for (const auto style : kStyles) {
    const auto result = generate_as("x.csv", {.samples = 300'000, .style = style}, 2, true);
    const double expected = bytes_per_sample[static_cast<int>(style)];
    EXPECT_NEAR(static_cast<double>(result.bytes) / 300'000, expected, 0.04 * expected) << printf_format(style);
  }
}

TEST_F(Generate, TruthNamesTheBeats) {
  const GenerateOptions options{.samples = 200'000, .sample_rate_hz = 100, .abnormal_share = 0.1, .seed = 5};
  const auto result = generate_as("x.csv", options);
  EXPECT_EQ(result.truth_path, folder_.path() / "x.truth.csv");
  const auto truth = read_truth(result.truth_path);
  const SyntheticEcg ecg(200'000, 100, 0.1, 5);
  ASSERT_EQ(std::ssize(truth), result.beats);
  ASSERT_LE(truth.size(), ecg.beats().size());
  for (std::size_t i = 0; i < truth.size(); ++i) {
    EXPECT_EQ(truth[i].sample, ecg.r_peak_sample(ecg.beats()[i]));
    EXPECT_EQ(truth[i].symbol, ecg.beats()[i].is_pvc ? 'V' : 'N');
    EXPECT_LT(truth[i].sample, options.samples);
  }
}

TEST_F(Generate, AbnormalShareIsAboutWhatWasAsked) {
  for (const double share : {0.0, 0.02, 0.1, 0.5, 1.0}) {
    SCOPED_TRACE(share);
    const auto result =
        generate_as("x.csv", {.samples = 400'000, .sample_rate_hz = 100, .abnormal_share = share}, 2, true);
    const auto beats = static_cast<double>(result.beats);
    // The tolerance is four standard deviations of a binomial count.
    EXPECT_NEAR(static_cast<double>(result.abnormal_beats), share * beats, 4 * std::sqrt(beats * share * (1 - share)));
  }
}

TEST_F(Generate, ReplacesNothingUnlessForced) {
  folder_.write("x.csv", "precious");
  const auto attempt = [&] { generate_as("x.csv", {.samples = 10}); };
  expect_error(ErrorKind::output, "x.csv: exists", attempt);
  EXPECT_EQ(contents("x.csv"), "precious");
  std::filesystem::rename(folder_.path() / "x.csv", folder_.path() / "x.truth.csv");
  expect_error(ErrorKind::output, "x.truth.csv: exists", attempt);
  EXPECT_EQ(files(), 1u);
  generate_as("x.csv", {.samples = 10}, 1, true);
  EXPECT_EQ(lines_of(folder_.path() / "x.csv").size(), 11u);
  EXPECT_EQ(contents("x.truth.csv"), "sample,symbol\n") << "too short for a beat";
}

TEST_F(Generate, NamesWhatCannotBeWritten) {
  expect_error(ErrorKind::output, "missing/x.csv: cannot be made (No such file or directory)",
               [&] { generate_as("missing/x.csv", {.samples = 10}); });
  std::filesystem::create_directory(folder_.path() / "folder.csv");
  expect_error(ErrorKind::output, "folder.csv: is a folder",
               [&] { generate_as("folder.csv", {.samples = 10}, 1, true); });
  EXPECT_EQ(files(), 1u);
}

TEST_F(Generate, RefusesOptionsOutOfRange) {
  const auto expect_usage = [&](const std::string& part, const GenerateOptions& options, const char* name = "x.csv") {
    expect_error(ErrorKind::usage, part, [&] { generate_as(name, options); });
  };
  expect_usage("--samples", {.samples = 0});
  expect_usage("--samples", {.samples = -1});
  expect_usage("--rate", {.samples = 10, .sample_rate_hz = 0});
  expect_usage("--rate", {.samples = 10, .sample_rate_hz = NAN});
  expect_usage("--abnormal", {.samples = 10, .abnormal_share = 1.01});
  expect_usage("--abnormal", {.samples = 10, .abnormal_share = NAN});
  expect_usage("does not end in .csv", {.samples = 10}, "x.csv.gz");
  EXPECT_EQ(files(), 0u);
}

TEST(GenerateStyles, HaveNames) {
  EXPECT_EQ(generate_style("decimal3"), GenerateStyle::decimal3);
  EXPECT_EQ(generate_style("decimal6"), GenerateStyle::decimal6);
  EXPECT_EQ(generate_style("exponent18"), GenerateStyle::exponent18);
  EXPECT_EQ(generate_style("decimal4"), std::nullopt);
}

}  // namespace
}  // namespace beatscan
