#include "app/evaluation/wave_truth.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/support/wave_marks.h"

namespace beatscan {
namespace {

class WaveTruths : public testing::Test {
 protected:
  std::optional<WaveTruth> read(const std::string& text) {
    return read_wave_truth(folder_.write("x.q1c", wave_marks(text)), {250}, 250);
  }
  // Returns the waves as "P 90-100-110": onset, peak and end in samples; a missing onset or end is empty.
  std::string waves_of(const std::string& text) {
    std::string all;
    const auto sample = [](std::optional<std::int64_t> us) { return us ? std::to_string(*us / 4000) : ""; };
    const auto truth = *read(text);
    for (const auto& wave : truth.waves)
      all += (all.empty() ? "" : ", ") + (std::string(1, "PQT"[static_cast<int>(wave.type)]) + " ") +
             sample(wave.onset_us) + "-" + sample(wave.peak_us) + "-" + sample(wave.end_us);
    return all;
  }
  TemporaryFolder folder_;
};

TEST_F(WaveTruths, AreOnsetPeakAndEnd) {
  EXPECT_EQ(waves_of("(90 p100 )110 (120 N125 )130 (150 t170 )190"), "P 90-100-110, Q 120-125-130, T 150-170-190");
  const auto truth = *read("(90 p100 )110 (120 V125 )130");
  EXPECT_EQ(truth.first_us, 360'000);
  EXPECT_EQ(truth.last_us, 520'000);
}

// In the QT Database many T waves have no onset, some have two peaks, and U waves follow.
TEST_F(WaveTruths, OnsetsAndEndsMayLack) {
  EXPECT_EQ(waves_of("(120 N125 )130 t170 )190 (200 u210 )220 (250 p260 )270"),
            "Q 120-125-130, T -170-190, P 250-260-270");
  EXPECT_EQ(waves_of("(120 N125 )130 t170 t180 )190"), "Q 120-125-130, T -170-190");
  EXPECT_EQ(waves_of("p100 N125 t170 )190"), "P -100-, Q -125-, T -170-190");
  EXPECT_EQ(waves_of("(90 p100 (120 N125 )130"), "P 90-100-, Q 120-125-130");
  EXPECT_EQ(waves_of("(90 )95 (120 N125 )130"), "Q 120-125-130") << "no peak between the brackets";
  EXPECT_EQ(waves_of(")80 (120 N125 \"126 )130"), "Q 120-125-130") << "a note in between";
}

TEST_F(WaveTruths, AreNoneWithoutMarksOfWaves) {
  EXPECT_FALSE(read("N100 V300 N500"));
  EXPECT_FALSE(read(""));
  EXPECT_FALSE(read_wave_truth(folder_.write("x.csv", "sample,symbol\n1,N\n"), {250}, 250));
  EXPECT_TRUE(read("N100 p260 N300"));
}

TEST_F(WaveTruths, TimesAreThoseOfTheSignal) {
  const auto path = folder_.write("x.q1c", wave_marks("(90 p100 )110"));
  EXPECT_EQ(read_wave_truth(path, {360, 2}, 360)->waves[0].peak_us, 555'556) << "sample 200 at 360 Hz";
}

TEST_F(WaveTruths, CoverWhatTheyWouldHave) {
  const auto covered = [&](const std::string& text) {
    std::string names;
    const auto truth = *read(text);
    for (std::size_t i = 0; i < kWaveFiducialNames.size(); ++i)
      if (truth.covers(static_cast<WaveFiducial>(i)))
        names += (names.empty() ? "" : " ") + std::string(kWaveFiducialNames[i]);
    return names;
  };
  EXPECT_EQ(covered("(120 N125 )130 (150 t170 )190"), "p_onset p_peak p_end qrs_onset qrs_end t_peak t_end")
      << "there are no P waves";
  EXPECT_EQ(covered("p100 p200"), "p_peak") << "other waves are not annotated";
  EXPECT_EQ(covered("N125 t170 )190"), "p_peak p_end qrs_end t_peak t_end");
}

}  // namespace
}  // namespace beatscan
