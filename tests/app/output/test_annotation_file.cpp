// Compares beats as a WFDB annotation file byte by byte, and reads them back.
#include "app/output/annotation_file.h"

#include <gtest/gtest.h>

#include "app/evaluation/annotations.h"
#include "app/evaluation/truth.h"
#include "tests/support/small_result.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

std::string bytes(std::initializer_list<unsigned> halves) {
  std::string text;
  for (const unsigned half : halves) {
    text += static_cast<char>(half & 0xff);
    text += static_cast<char>(half >> 8);
  }
  return text;
}

// Codes: note 22, N 1, ? 30, Q 13, measurement 23, text 63, each in the upper 6 bits of a word. The heart rate is that
// of four intervals in 2.9 s.
TEST(AnnotationFile, ByHand) {
  const std::string expected =
      bytes({22 << 10, 63 << 10 | 23}) + "## time resolution: 100" + std::string(1, '\0') +
      bytes({1 << 10 | 15, 30 << 10 | 50, 13 << 10 | 140, 30 << 10 | 60, 30 << 10 | 40, 23 << 10 | 1, 63 << 10 | 4}) +
      "82.8" + bytes({0});
  EXPECT_EQ(annotation_file(small_result()), expected);
}

TEST(AnnotationFile, LongIntervalsAndNoRate) {
  RunResult result = small_result();
  result.input.sample_rate_hz.reset();
  result.beats.kept.clear();
  result.beats.found.r_peaks = {1023, 2047, 2047 + 100'000};  // 1,023, 1,024 and 100,000 = 0x1'86a0 samples
  EXPECT_EQ(annotation_file(result),
            bytes({30 << 10 | 1023, 59 << 10, 0, 1024, 30 << 10, 59 << 10, 1, 0x86a0, 30 << 10, 0}));
}

// An episode in the notation of the format: the label, start and end.
Episode episode(EpisodeLabel label, double start, double end) { return {.start = start, .end = end, .label = label}; }

// Codes: rhythm 28, V 5, S 9, F 6, Q 13. Without a sampling rate there are no heart rates.
TEST(AnnotationFile, ClassesAndARhythm) {
  const std::vector<BeatMark> beats = {{10, 'N'}, {20, 'V'}, {30, 'S'}, {40, 'F'}, {50, 'Q'}};
  const std::string expected = bytes({1 << 10 | 10, 28 << 10 | 10, 63 << 10 | 5}) + "(AFIB" + std::string(1, '\0') +
                               bytes({5 << 10, 9 << 10 | 10, 28 << 10 | 10, 63 << 10 | 2}) + "(N" +
                               bytes({6 << 10, 13 << 10 | 10, 0});
  EXPECT_EQ(annotation_file(beats, {episode(EpisodeLabel::atrial_fibrillation, 20, 40)}, {}), expected);
}

// Codes: [ 32, ] 33. The mark of VF stands after the last beat.
TEST(AnnotationFile, VentricularFibrillationHasBrackets) {
  const std::string expected = bytes({28 << 10 | 4, 63 << 10 | 3}) + "(VF" + std::string(1, '\0') +
                               bytes({32 << 10, 1 << 10 | 1, 28 << 10 | 4, 63 << 10 | 2}) + "(N" + bytes({33 << 10, 0});
  EXPECT_EQ(annotation_file({{5, 'N'}}, {episode(EpisodeLabel::ventricular_fibrillation, 4, 9)}, {}), expected);
}

// Reads the texts of rhythm changes with their samples.
std::string rhythms_of(const std::vector<Episode>& episodes) {
  const std::string file = annotation_file({}, episodes, {});
  std::string text;
  int sample = 0;
  for (std::size_t i = 0; i + 4 <= file.size();) {
    const auto half = [&](std::size_t at) {
      return static_cast<unsigned char>(file[at]) | static_cast<unsigned char>(file[at + 1]) << 8;
    };
    sample += half(i) & 1023;
    const int size = half(i + 2) & 1023;
    text += (text.empty() ? "" : " ") + std::to_string(sample) + file.substr(i + 4, size);
    i += 4 + size + size % 2;
  }
  return text;
}

// An asystole is also a pause, between the same beats.
TEST(AnnotationFile, AnAsystoleIsMarkedAndNotThePauseThatItIs) {
  using enum EpisodeLabel;
  EXPECT_EQ(rhythms_of({episode(pause, 10, 500), episode(asystole, 10, 500), episode(pause, 600, 810)}),
            "10(ASYS 500(N 600(PAUSE 810(N");
}

// A couplet does not end the surrounding atrial fibrillation.
TEST(AnnotationFile, EpisodesWithinEpisodes) {
  using enum EpisodeLabel;
  EXPECT_EQ(rhythms_of({episode(atrial_fibrillation, 10, 100), episode(ventricular_couplet, 40, 50)}),
            "10(AFIB 40V2 100(N")
      << "a couplet is a note, at which the fibrillation goes on";
  EXPECT_EQ(rhythms_of({episode(bigeminy, 10, 50), episode(trigeminy, 40, 80)}), "10(B 40(T 80(N")
      << "the later one is reported";
  EXPECT_EQ(rhythms_of({episode(bigeminy, 10, 50), episode(trigeminy, 50, 80)}), "10(B 50(T 80(N");
  EXPECT_EQ(rhythms_of({episode(bradycardia, 10, 90), episode(pause, 10, 40)}), "10(PAUSE 40(SBR 90(N");
  EXPECT_EQ(rhythms_of({episode(supraventricular_tachycardia, 10, 10.4)}), "") << "no sample long";
  EXPECT_EQ(rhythms_of({episode(supraventricular_tachycardia, 10, 20)}), "10(SVTA 20(N");
  EXPECT_EQ(rhythms_of({}), "");
}

// Returns the annotations but beats and the rate, such as "10~U 20~": shutdown from 10 to 20.
std::string marks_of(const std::string& file) {
  const TemporaryFolder folder;
  std::string text;
  for (const auto& [sample, symbol, note, subtype] : read_annotations(folder.write("x.vae", file), {100})) {
    if (symbol == ' ') continue;
    text += (text.empty() ? "" : " ") + std::to_string(sample) + symbol + note;
    if (symbol == '~' && subtype != 0) text += subtype == kUnreadable ? "U" : "?";
  }
  return text;
}

// bxb takes the next annotation for the end of shutdown, so a beat within interrupts it.
TEST(AnnotationFile, NoiseAndGapsAreShutdown) {
  using enum EpisodeLabel;
  EXPECT_EQ(marks_of(annotation_file({}, {episode(noise, 10, 30)}, {})), "10+(NOISE 10~U 30~ 30+(N");
  EXPECT_EQ(marks_of(annotation_file({{20, 'N'}}, {episode(noise, 10, 30)}, {})),
            "10+(NOISE 10~U 20~ 20N 20~U 30~ 30+(N");
  EXPECT_EQ(marks_of(annotation_file({{10, 'N'}, {40, 'V'}}, {episode(noise, 10, 30), episode(gap, 30, 40)}, {})),
            "10+(NOISE 10N 10~U 30~ 30+(GAP 30~U 40~ 40+(N 40V");
  EXPECT_EQ(marks_of(annotation_file({}, {episode(bradycardia, 10, 30)}, {})), "10+(SBR 30+(N");
}

TEST(AnnotationFile, HeartRatesOutsideOfShutdown) {
  using enum EpisodeLabel;
  const std::vector<BeatMark> beats = {{100, 'N'}, {200, 'N'}, {400, 'N'}, {500, 'N'}, {1050, 'N'}, {1150, 'N'}};
  EXPECT_EQ(marks_of(annotation_file(beats, {episode(noise, 250, 350)}, 100)),
            "100N 200N 250+(NOISE 250~U 350~ 350+(N 400N 500N 501=60.0 1050N 1150N 1151=18.5");
  EXPECT_EQ(marks_of(annotation_file({{100, 'N'}, {200, 'N'}}, {}, {})), "100N 200N") << "no sampling rate";
}

TEST(AnnotationFile, ReadsBackAsTheSameBeats) {
  TemporaryFolder folder;
  RunResult result = small_result();
  result.beats.found.r_peaks = {0, 7, 3'000, 70'000, 2'000'000'000};
  const auto beats = read_truth(folder.write("x.vae", annotation_file(result)));
  ASSERT_EQ(beats.size(), 5u);
  const std::string symbols = "N?Q??";
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(beats[i].sample, static_cast<std::int64_t>(result.beats.found.r_peaks[i])) << i;
    EXPECT_EQ(beats[i].symbol, symbols[i]) << i;
  }
}

}  // namespace
}  // namespace beatscan
