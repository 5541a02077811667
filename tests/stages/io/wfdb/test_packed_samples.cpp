// Reads samples in WFDB's formats from bytes that were worked out by hand from signal(5).
#include "stages/io/wfdb/packed_samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/recording/input_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

using Values = std::vector<std::int32_t>;

// Reads the next samples of each signal into spans of one length.
void read_into(PackedSamples& packed, const std::vector<std::span<std::int32_t>>& blocks) {
  packed.read(std::ssize(blocks[0]), [&](std::size_t signal, std::int64_t first, std::span<const std::int32_t> values) {
    std::ranges::copy(values, blocks[signal].begin() + first);
  });
}

class PackedSamplesTest : public testing::Test {
 protected:
  Values read(int code, const std::string& bytes, std::int64_t samples, std::int32_t initial = 0) {
    const auto file = std::make_shared<const InputFile>(folder_.write("x.dat", bytes));
    PackedSamples packed(file, {*sample_format(code), 0, 1, 1, {{0, initial}}});
    Values values(static_cast<std::size_t>(samples));
    read_into(packed, {values});
    return values;
  }
  TemporaryFolder folder_;
};

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

TEST_F(PackedSamplesTest, ByHand) {
  EXPECT_EQ(read(8, bytes({1, 0xff, 0x80, 0x7f}), 4, 10), (Values{11, 10, -118, 9}));
  EXPECT_EQ(read(16, bytes({1, 0, 0xff, 0xff, 0, 0x80}), 3), (Values{1, -1, -32768}));
  EXPECT_EQ(read(24, bytes({1, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0x80}), 3), (Values{1, -1, -8388608}));
  EXPECT_EQ(read(32, bytes({1, 2, 3, 4, 0, 0, 0, 0x80}), 2), (Values{0x04030201, INT32_MIN}));
  EXPECT_EQ(read(61, bytes({0, 1, 0xff, 0xff, 0x80, 0}), 3), (Values{1, -1, -32768}));
  EXPECT_EQ(read(80, bytes({0, 128, 129, 255}), 4), (Values{-128, 0, 1, 127}));
  EXPECT_EQ(read(160, bytes({0, 0, 0, 0x80, 0xff, 0xff}), 3), (Values{-32768, 0, 32767}));
  EXPECT_EQ(read(212, bytes({0x23, 0x61, 0x45, 0xff, 0x8f, 0x00}), 4), (Values{0x123, 0x645, -1, -2048}));
  // The samples are 5, -2 and 3 * 32 + 7. The lower bits of the third are in the first word, its upper in the second.
  EXPECT_EQ(read(310, bytes({10, 7 << 3, 0xfc, 0x07 | 3 << 3}), 3), (Values{5, -2, 103}));
  // The word is 5 | 3 << 10 | 1023 << 20.
  EXPECT_EQ(read(311, bytes({5, 0x0c, 0xf0, 0x3f}), 3), (Values{5, 3, -1}));
}

TEST_F(PackedSamplesTest, TheLastGroupMayBeCutShort) {
  EXPECT_EQ(read(212, bytes({0x23, 0x61}), 1), Values{0x123});
  EXPECT_EQ(read(310, bytes({10, 0}), 1), Values{5});
  EXPECT_EQ(read(310, bytes({10, 0, 6, 0}), 2), (Values{5, 3}));
  EXPECT_EQ(read(311, bytes({5, 0}), 1), Values{5});
  EXPECT_EQ(read(311, bytes({5, 0x0c, 0}), 2), (Values{5, 3}));
  expect_error(ErrorKind::input, "x.dat: became shorter while it was read", [&] { read(212, bytes({1}), 1); });
}

TEST(SampleFormats, BytesAndSamples) {
  EXPECT_FALSE(sample_format(0));
  EXPECT_FALSE(sample_format(213));
  for (const int code : {8, 16, 24, 32, 61, 80, 160, 212, 310, 311})
    for (std::int64_t samples = 0; samples < 20; ++samples) {
      const auto format = *sample_format(code);
      const auto size = bytes_for(format, samples);
      EXPECT_GE(size * format.samples, samples * format.bytes) << code;
      EXPECT_GE(samples_in(format, size), samples) << code;
      EXPECT_TRUE(size == 0 || samples_in(format, size - 1) < samples) << code << " " << samples;
    }
  EXPECT_EQ(bytes_for(*sample_format(212), 3), 5);
  EXPECT_EQ(bytes_for(*sample_format(310), 4), 6);
  EXPECT_EQ(bytes_for(*sample_format(310), 5), 8);
  EXPECT_EQ(bytes_for(*sample_format(311), 5), 7);
}

// Signals that are read together are what each of them is alone, in pieces of any size.
TEST_F(PackedSamplesTest, SeveralSignalsAtOnce) {
  constexpr std::int64_t kFrames = 3000;
  std::string text;
  for (int i = 0; i < 2 * 7 * kFrames; ++i) text += static_cast<char>(i * 7919 >> 3);
  const auto file = std::make_shared<const InputFile>(folder_.write("x.dat", text));
  for (const int code : {8, 16, 80, 212, 310, 311})
    for (const std::int64_t per_frame : {1, 2})
      for (const std::size_t piece : {1u, 5u, 1000u, 1u << 20}) {
        SCOPED_TRACE(testing::Message() << "format " << code << ", " << per_frame << " a frame, pieces of " << piece);
        const std::vector<PackedSignal> signals = {{5, 3}, {0, -7}, {2, 0}};
        std::vector<Values> alone, together(3, Values(kFrames * per_frame));
        for (const auto& signal : signals) {
          PackedSamples packed(file, {*sample_format(code), 0, 7, per_frame, {signal}});
          alone.emplace_back(kFrames * per_frame);
          read_into(packed, {alone.back()});
        }
        PackedSamples packed(file, {*sample_format(code), 0, 7, per_frame, signals});
        for (std::size_t at = 0; at < together[0].size(); at += piece) {
          std::vector<std::span<std::int32_t>> blocks;
          for (auto& values : together)
            blocks.push_back(std::span(values).subspan(at, std::min(piece, values.size() - at)));
          read_into(packed, blocks);
        }
        EXPECT_TRUE(together == alone);
      }
}

// Reads frames of several sizes in pieces of several sizes; every sample is in its place.
TEST_F(PackedSamplesTest, AnyLayoutInAnyPieces) {
  struct Case {
    std::int64_t frame, first, per_frame, frames;
  };
  for (const auto& c : {Case{1, 0, 1, 10'000},
                        {1, 0, 1, 100'001},
                        {2, 1, 1, 10'000},
                        {7, 2, 3, 3000},
                        {3'000'001, 5, 2'999'990, 2},
                        {600'000, 599'999, 1, 4}}) {
    std::string text;
    Values expected;
    for (std::int64_t i = 0; i < c.frame * c.frames; ++i) {
      const auto value = static_cast<std::int16_t>(i * 7919);
      text += static_cast<char>(value & 0xff);
      text += static_cast<char>(value >> 8 & 0xff);
      const std::int64_t in_frame = i % c.frame;
      if (in_frame >= c.first && in_frame < c.first + c.per_frame) expected.push_back(value);
    }
    const auto file = std::make_shared<const InputFile>(folder_.write("x.dat", "head" + text));
    for (const std::size_t piece : {1u, 1000u, 4096u, 1u << 20}) {
      if (piece == 1 && expected.size() > 100'000) continue;
      SCOPED_TRACE(testing::Message() << "frames of " << c.frame << ", pieces of " << piece);
      PackedSamples packed(file, {*sample_format(16), 4, c.frame, c.per_frame, {{c.first, 0}}});
      Values values(expected.size());
      for (std::size_t at = 0; at < values.size(); at += piece) {
        read_into(packed, {std::span(values).subspan(at, std::min(piece, values.size() - at))});
      }
      EXPECT_TRUE(values == expected);
    }
  }
}

}  // namespace
}  // namespace beatscan
