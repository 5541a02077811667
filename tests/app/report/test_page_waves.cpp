#include "app/report/page_waves.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "app/report/page_arrays.h"
#include "tests/support/result_with_waves.h"

namespace beatscan {
namespace {

Json arrays_with_waves(const StoredResult& result) {
  PageArrays arrays;
  add_waves(result, arrays);
  std::string text;
  for (const auto& part : arrays.packed.json_parts()) text += part;
  return Json::parse(text);
}

// Strips of ten seconds are around the beat at 100.5 s, 15 s and 300 s. A wave reaches 0.8 s at most from its beat.
TEST(PageWaves, AreThoseOfTheBeatsInStrips) {
  StoredResult result = result_with_waves(1);
  std::vector<std::int64_t> expected;
  for (const auto& [first, last] : {std::pair{9, 20}, {95, 105}, {294, 305}})
    for (int beat = first; beat <= last; ++beat) expected.push_back(beat);
  EXPECT_EQ(beats_with_waves(result), expected);
  const Json arrays = arrays_with_waves(result);
  EXPECT_EQ(arrays["wave_beats"]["count"], expected.size());
  EXPECT_EQ(arrays["p_onset"]["count"], expected.size());
  EXPECT_EQ(arrays["non_conducted"]["count"], 1) << "the one at 20.4 s is in no strip";
}

TEST(PageWaves, NormalBeatsInGoodSignalCountForThePrInterval) {
  StoredResult result;
  auto& beats = result.beats;
  beats.waves.assign(6, WaveTimes{.p_onset = 0.1, .qrs_onset = 0.25});
  beats.kept.assign(6, 1);
  beats.quality.assign(6, Quality::good);
  beats.beat_class.assign(6, 'N');
  EXPECT_EQ(beats_with_pr(result), 6);
  beats.waves[0].p_onset = WaveTimes::kNone;
  beats.waves[1].qrs_onset = WaveTimes::kNone;
  beats.kept[2] = 0;
  beats.quality[3] = Quality::noisy;
  beats.beat_class[4] = 'V';
  EXPECT_EQ(beats_with_pr(result), 1);
}

TEST(PageWaves, OverlappingStripsHaveEachBeatOnce) {
  StoredResult result = result_with_waves(1);
  result.arrays.finding_places = {{2}, {10'300, 9'900}};
  const auto beats = beats_with_waves(result);
  std::vector<std::int64_t> expected(beats.back() - beats.front() + 1);
  std::iota(expected.begin(), expected.end(), beats.front());
  EXPECT_EQ(beats, expected);
}

TEST(PageWaves, AreThoseOfAllBeatsWhereTheSignalIsWhole) {
  StoredResult result = result_with_waves(1);
  result.bin_samples = 1;
  EXPECT_EQ(std::ssize(beats_with_waves(result)), result.beats.size());
  EXPECT_EQ(arrays_with_waves(result)["non_conducted"]["count"], 2);
}

TEST(PageWaves, ThereAreNoneInOlderResults) {
  StoredResult result = result_with_waves(1);
  result.beats.waves.clear();
  EXPECT_TRUE(arrays_with_waves(result).empty());
}

}  // namespace
}  // namespace beatscan
