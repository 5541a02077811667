// Tests which shape of a made-up ECG is the usual one, by the kinds that the program tells.
#include "stages/findings/usual_first.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/files/small_csv.h"
#include "tests/support/backends.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

struct MadeBeat {
  double at_s;
  bool wide;
};

// Returns an ECG at 250 Hz as CSV: narrow beats of 1.2 mV with a T wave, wide ones of 1.4 mV, and a little noise.
std::string ecg_of(const std::vector<MadeBeat>& beats) {
  constexpr double kRate_hz = 250;
  std::vector<double> signal(static_cast<std::size_t>((beats.back().at_s + 1) * kRate_hz));
  const auto add = [&](double at_s, double sigma_s, double height) {
    const auto first = static_cast<std::size_t>(std::max(0.0, (at_s - 4 * sigma_s) * kRate_hz));
    const auto end = std::min(signal.size(), static_cast<std::size_t>((at_s + 4 * sigma_s) * kRate_hz));
    for (std::size_t i = first; i < end; ++i)
      signal[i] += height * std::exp(-0.5 * std::pow((static_cast<double>(i) / kRate_hz - at_s) / sigma_s, 2));
  };
  for (const auto& [at_s, wide] : beats) {
    add(at_s, wide ? 0.04 : 0.01, wide ? 1.4 : 1.2);
    add(at_s + (wide ? 0.09 : 0.025), wide ? 0.04 : 0.009, wide ? -0.5 : -0.25);
    add(at_s + (wide ? 0.3 : 0.25), 0.05, wide ? -0.4 : 0.3);
  }
  std::string text = "ECG\n";
  unsigned noise = 1;
  for (const double value : signal)
    text += std::to_string(value + 0.02 * ((noise = noise * 1'664'525 + 1'013'904'223) / 4294967296.0 - 0.5)) + "\n";
  return text;
}

// Returns how many wide beats and how many narrow ones are V.
template <class Context>
std::pair<std::int64_t, std::int64_t> ventricular_of(const std::vector<MadeBeat>& beats,
                                                     const std::string& setting = "vae.epochs=1") {
  const TemporaryFolder folder;
  const auto out = (folder.path() / "o").string();
  const auto run = run_program({"run", folder.write("ecg.csv", ecg_of(beats)), "--rate", "250", "--out", out,
                                "--no-report", "--device", std::is_same_v<Context, Cpu> ? "cpu" : "cuda", "--set",
                                "vae.epochs=1", "--set", setting});
  EXPECT_EQ(run.status, 0) << run.err;
  std::pair<std::int64_t, std::int64_t> found;
  const std::vector<std::string_view> columns{"r_peak_s", "kind"};
  for_each_row(out + "/beats.csv", columns, [&](auto cells, std::int64_t) {
    const double at_s = parse_double(cells[0]).value();
    const auto made = std::ranges::min_element(beats, {}, [&](auto& beat) { return std::abs(beat.at_s - at_s); });
    EXPECT_NEAR(made->at_s, at_s, 0.05);
    if (cells[1] == "V") ++(made->wide ? found.first : found.second);
  });
  return found;
}

template <class Context>
using UsualFirst = OnBackend<Context>;
TYPED_TEST_SUITE(UsualFirst, Backends, BackendNames);

// Beats at 72 a minute, with intervals that vary a little.
double varied(int beat) { return 60.0 / 72 * (beat + 0.02 * std::sin(1.7 * beat) + 0.015 * std::sin(0.43 * beat)); }

TYPED_TEST(UsualFirst, InABigeminyWithoutEndTheWideEarlyBeatsAreVentricular) {
  for (const int count : {60, 500, 1001, 1024}) {
    std::vector<MadeBeat> beats;
    for (int i = 0; i < count; ++i) beats.push_back({1 + varied(i) - (i % 2 ? 0.25 : 0), i % 2 == 1});
    const auto [wide, narrow] = ventricular_of<TypeParam>(beats);
    EXPECT_GE(wide, count / 2 - 1) << count;
    EXPECT_EQ(narrow, 0) << count;
  }
}

// Couplets between single usual beats: two of three beats are ventricular.
TYPED_TEST(UsualFirst, TheLargestShapeMayBeVentricular) {
  std::vector<MadeBeat> beats;
  for (int i = 0; i < 900; ++i) beats.push_back({1 + varied(i) - (i % 3 ? 0.28 : 0), i % 3 != 0});
  const auto [wide, narrow] = ventricular_of<TypeParam>(beats);
  EXPECT_GE(wide, 570) << "of 600";
  EXPECT_EQ(narrow, 0);
  for (const char* setting : {"findings.usual_narrower=3", "findings.usual_on_time=1"})
    EXPECT_LT(ventricular_of<TypeParam>(beats, setting).first, 100) << setting << ": the largest shape stays usual";
}

// A block that comes and goes makes most beats wide, but none early.
TYPED_TEST(UsualFirst, BeatsOfABlockThatComesAndGoesAreUsual) {
  std::vector<MadeBeat> beats;
  for (int i = 0; i < 900; ++i) beats.push_back({1 + varied(i), i % 100 >= 40});
  const auto [wide, narrow] = ventricular_of<TypeParam>(beats);
  EXPECT_EQ(wide, 0);
  EXPECT_LE(narrow, 360);
}

}  // namespace
}  // namespace beatscan
