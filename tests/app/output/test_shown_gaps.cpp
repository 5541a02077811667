#include "app/output/report_overview.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/output/report_data.h"

namespace beatscan {
namespace {

// Writes '.' for a value and 'x' for a missing one.
std::string missing_text(const std::vector<float>& values) {
  std::string text;
  for (const float value : values) text += std::isnan(value) ? 'x' : '.';
  return text;
}

std::string bins_with(const GapList& gaps, std::int64_t bin_samples, std::int64_t samples) {
  std::vector<float> bins(values_of_bin(bin_samples) * ((samples - 1) / bin_samples + 1), 1.0f);
  show_gaps_in_bins(gaps, bin_samples, samples, bins);
  if (bin_samples == 1) return missing_text(bins);
  std::vector<float> least, greatest;
  for (std::size_t i = 0; i < bins.size(); ++i) (i % 2 ? greatest : least).push_back(bins[i]);
  EXPECT_EQ(missing_text(least), missing_text(greatest));
  return missing_text(least);
}

TEST(ShownGaps, ABinIsEmptyIfAllOfItIsMissing) {
  EXPECT_EQ(bins_with({{2, 6}, {3, 6}}, 1, 8), "..xx..x.");
  EXPECT_EQ(bins_with({{1}, {6}}, 2, 8), ".xx.");
  EXPECT_EQ(bins_with({{0}, {7}}, 4, 12), "xx.");
  EXPECT_EQ(bins_with({{3}, {4}}, 4, 12), "...");
}

TEST(ShownGaps, TheLastBinMayBeShort) {
  EXPECT_EQ(bins_with({{8}, {8}}, 4, 9), "..x");
  EXPECT_EQ(bins_with({{7}, {9}}, 4, 10), "..x");
  EXPECT_EQ(bins_with({{8}, {8}}, 4, 10), "...");
}

std::string strip_with(const GapList& gaps, std::int64_t first, std::int64_t length) {
  std::vector<float> strip(length, 1.0f);
  show_gaps_in_strip(gaps, first, strip);
  return missing_text(strip);
}

TEST(ShownGaps, AStripHasThePartsOfGapsThatLieInIt) {
  const GapList gaps{{2, 10, 20}, {4, 11, 29}};
  EXPECT_EQ(strip_with(gaps, 0, 12), "..xxx.....xx");
  EXPECT_EQ(strip_with(gaps, 4, 7), "x.....x");
  EXPECT_EQ(strip_with(gaps, -2, 5), "....x");
  EXPECT_EQ(strip_with(gaps, 22, 4), "xxxx");
  EXPECT_EQ(strip_with(gaps, 30, 3), "...");
  EXPECT_EQ(strip_with({}, 0, 3), "...");
}

}  // namespace
}  // namespace beatscan
