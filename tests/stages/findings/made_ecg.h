// tests/stages/findings/made_ecg.h — an ECG of narrow and wide beats, and which of these the program calls V.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/files/small_csv.h"
#include "kernels/runtime/context.h"
#include "tests/support/run_program.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {

struct MadeBeat {
  double at_s;
  bool wide;
};

// Returns an ECG at 250 Hz as CSV: narrow beats of 1.2 mV with a T wave, wide ones of 1.4 mV, and a little noise.
inline std::string ecg_of(const std::vector<MadeBeat>& beats) {
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

}  // namespace beatscan
