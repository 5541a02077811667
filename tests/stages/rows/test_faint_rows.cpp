#include "stages/rows/faint_rows.h"

#include <gtest/gtest.h>

#include "stages/beats/faint.h"

namespace beatscan {
namespace {

constexpr double kRate_hz = 100;

// Twenty beats, 1 s apart from 1 s on; those from `first` to before `last` are 3 samples after a wave.
std::vector<FaintRow> rows_of(std::int64_t first, std::int64_t last, bool is_faint, bool is_blunt,
                              std::int64_t samples = 2100) {
  std::vector<double> r_peaks;
  std::vector<FaintWave> waves;
  for (std::int64_t i = 0; i < 20; ++i) {
    r_peaks.push_back(static_cast<double>(100 * (i + 1)));
    if (i >= first && i < last) waves.push_back({100 * (i + 1) - 3, is_faint, is_blunt});
  }
  return faint_rows(waves, r_peaks, samples, kRate_hz);
}

TEST(FaintRows, AreLong) {
  EXPECT_TRUE(faint_rows({}, {}, 100, kRate_hz).empty());
  EXPECT_TRUE(rows_of(5, 7, true, true).empty()) << "two beats, 3 s";
  const auto rows = rows_of(5, 8, true, true);
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(rows[0].first, 5);
  EXPECT_EQ(rows[0].last, 8);
}

TEST(FaintRows, AtAnEndCountTheTimeToIt) {
  EXPECT_EQ(rows_of(0, 3, true, true).size(), 1);
  EXPECT_TRUE(rows_of(17, 20, true, true, 2099).empty());
  EXPECT_EQ(rows_of(17, 20, true, true, 2100).size(), 1);
}

TEST(FaintRows, OfSharpBeatsAreAtMostHalfOfThem) {
  EXPECT_EQ(rows_of(5, 15, true, false).size(), 1);
  EXPECT_TRUE(rows_of(5, 16, true, false).empty());
  EXPECT_EQ(rows_of(0, 20, true, true).size(), 1);
  EXPECT_EQ(rows_of(0, 20, false, true).size(), 1);
}

TEST(FaintRows, BelongToWavesThatAreNear) {
  const std::vector<double> r_peaks{100, 200, 300, 400, 1000};
  const auto rows_beside = [&](std::int64_t apart) {
    const std::vector<FaintWave> waves{{100 + apart, true, true}, {200 - apart, true, true}, {300 + apart, true, true}};
    return faint_rows(waves, r_peaks, 1100, kRate_hz).size();
  };
  EXPECT_EQ(rows_beside(10), 1);
  EXPECT_EQ(rows_beside(11), 0);
}

}  // namespace
}  // namespace beatscan
