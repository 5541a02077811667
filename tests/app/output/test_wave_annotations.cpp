#include "app/output/annotation_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/evaluation/annotations.h"
#include "app/evaluation/truth.h"
#include "app/evaluation/wave_truth.h"
#include "tests/support/delineated_result.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

std::string words(std::initializer_list<unsigned> halves) {
  std::string text;
  for (const unsigned half : halves) {
    text += static_cast<char>(half & 0xff);
    text += static_cast<char>(half >> 8);
  }
  return text;
}

// Codes: note 22, ( 39, p 24, N 1, t 27, ) 40, number 60, text 63. A number is written where it changes.
TEST(WaveAnnotations, ByHand) {
  RunResult result = delineated_result();
  result.waves.beats->fiducials.resize(waves::kFiducials);
  result.waves.beats->p_evidence.resize(1);
  result.waves.beats->non_conducted.clear();
  const std::string expected =
      words({22 << 10, 63 << 10 | 23}) + "## time resolution: 100" + std::string(1, '\0') +
      words({39 << 10, 24 << 10 | 2, 40 << 10 | 4,                                                   // P 0, 2, 6
             39 << 10 | 5, 60 << 10 | 1, 1 << 10 | 4, 60 << 10, 40 << 10 | 5, 60 << 10 | 1,          // QRS 11, 15, 20
             39 << 10 | 11, 60 << 10 | 2, 27 << 10 | 8, 60 << 10, 40 << 10 | 12, 60 << 10 | 2, 0});  // T 31, 39, 51
  EXPECT_EQ(wave_annotations(result), expected);
}

// Returns the symbols and samples of an annotation file, without its note.
std::string read_back(const std::string& bytes) {
  const TemporaryFolder folder;
  std::string text;
  for (const auto& [sample, symbol, note, subtype] : read_annotations(folder.write("x.waves", bytes), {100}))
    if (note.empty()) text += (text.empty() ? "" : " ") + (symbol + std::to_string(sample));
  return text;
}

TEST(WaveAnnotations, AscendAndDoNotOverlap) {
  EXPECT_EQ(read_back(wave_annotations(delineated_result())),
            "(0 p2 )6 (11 N15 )20 (31 t39 )51 "
            "(61 N65 )70 (81 t89 )99 "
            "(99 p104 )110 "  // from 98: it meets the end of the T wave, 101, in the middle
            "(189 p192 )195 (201 N205 )210 (221 t229 )241 "
            "(289 p292 )295 (301 N305 )310 (321 t329 )341");
}

// The P wave of a fast rhythm begins long before the T wave ends: both keep their peaks, and neither contains the
// other's.
TEST(WaveAnnotations, WavesInOneAnotherKeepTheirPeaks) {
  RunResult result = delineated_result();
  result.waves.beats->non_conducted = {{0, 38, 90}, {1, 84, 86}};
  std::string text = read_back(wave_annotations(result));
  EXPECT_TRUE(
      text.starts_with("(0 p2 )6 (11 N15 )20 (31 t39 )44 (44 p64 )65 (65 N65 )70 (84 p85 )85 (85 t89 )101 (189 "))
      << text;
  result.input.samples = 320;
  text = read_back(wave_annotations(result));
  EXPECT_TRUE(text.ends_with("(301 N305 )310 (319 t319 )319")) << text;
}

TEST(WaveAnnotations, ThePeakLiesWithinTheWave) {
  RunResult result = delineated_result();
  result.waves.beats->fiducials[waves::kQrsOnset] = 10;  // 4 samples behind R
  const std::string text = read_back(wave_annotations(result));
  EXPECT_TRUE(text.starts_with("(0 p2 )6 (19 N19 )20 (31 t39 )51 ")) << text;
}

TEST(WaveAnnotations, AreReadAsBeatsAndAsWaves) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.waves", wave_annotations(delineated_result()));
  EXPECT_EQ(read_truth(path, {100}).size(), 4U);
  const auto truth = read_wave_truth(path, {100}, 100);
  ASSERT_TRUE(truth);
  ASSERT_EQ(truth->waves.size(), 12U);
  EXPECT_EQ(truth->waves[0].type, WaveType::p);
  EXPECT_EQ(truth->waves[0].onset_us, 0);
  EXPECT_EQ(truth->waves[0].end_us, 60'000);
  EXPECT_EQ(truth->last_us, 3'410'000);
}

TEST(WaveAnnotations, WithoutWavesThereIsTheNoteAlone) {
  RunResult result = delineated_result();
  result.waves.beats = BeatWaves();
  EXPECT_EQ(read_back(wave_annotations(result)), "");
}

}  // namespace
}  // namespace beatscan
