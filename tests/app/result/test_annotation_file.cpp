// Compares beats as a WFDB annotation file byte by byte, and reads them back.
#include "app/result/annotation_file.h"

#include <gtest/gtest.h>

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

// Codes: note 22, N 1, ? 30, Q 13, text 63, each in the upper 6 bits of a word.
TEST(AnnotationFile, ByHand) {
  const std::string expected = bytes({22 << 10, 63 << 10 | 23}) + "## time resolution: 100" + std::string(1, '\0') +
                               bytes({1 << 10 | 15, 63 << 10 | 5}) + "-0.25" + std::string(1, '\0') +
                               bytes({30 << 10 | 50, 13 << 10 | 140, 63 << 10 | 3}) + "7.5" + std::string(1, '\0') +
                               bytes({30 << 10 | 60, 30 << 10 | 40, 0});
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
