// Compares the classes of blocks with hand-worked ones, and tests them on an ECG with poor stretches. Their facts are
// tested in tests/kernels/detect/test_block_facts.cpp.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/pipeline/models.h"
#include "app/synthetic/generate.h"
#include "stages/detect/detect.h"
#include "stages/detect/detect_options.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_index.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {

bool operator==(const QualityStretch& a, const QualityStretch& b) {
  return a.kind == b.kind && a.first == b.first && a.last == b.last;
}
void PrintTo(const QualityStretch& stretch, std::ostream* out) {
  *out << static_cast<int>(stretch.kind) << " " << stretch.first << " " << stretch.last;
}

namespace {

using Floats = std::vector<float>;
using Facts = std::vector<BlockFacts>;
using Classes = std::vector<Quality>;
using Stretches = std::vector<QualityStretch>;

// --- classes ---

constexpr double kBlocksRate = 100;  // in Hz, so a plateau of 0.06 s has 6 samples

// Returns a block of 200 samples that spans [low, high]. Its QRS band has a sixth of this range.
BlockFacts block_of(float low, float high, int at_min = 0, int at_max = 0) {
  return {low, high, at_min, at_max, 20, 20, 200, (high - low) / 6};
}
Classes classes_of(const Facts& facts) { return classify_blocks(facts, 200, {}, kBlocksRate).blocks; }

TEST(ClassifyBlocks, FlatSpansATwentiethOfTheUpperQuartile) {
  // The recording's ends are those of the first block. The ranges are 4, 2, 2, 0.11, 0.09 and 0; the upper quartile of
  // those that are not 0 is 2.
  EXPECT_EQ(classes_of({block_of(-2, 2), block_of(0, 2), block_of(0, 2), block_of(0, 0.11f), block_of(0, 0.09f),
                        block_of(1, 1), block_of(1, 1), block_of(1, 1), block_of(1, 1), block_of(1, 1)}),
            (Classes{Quality::good, Quality::good, Quality::good, Quality::good, Quality::flat, Quality::flat,
                     Quality::flat, Quality::flat, Quality::flat, Quality::flat}));
  EXPECT_EQ(classes_of({block_of(1, 1), block_of(2, 2)}), (Classes{Quality::flat, Quality::flat})) << "none moves";
}

TEST(ClassifyBlocks, AnElectrodeMayBeOffForMostOfARecording) {
  Facts facts(10, block_of(0, 0.005f));  // noise of one step of the converter
  for (int i = 0; i < 4; ++i) facts[i] = block_of(-0.5f, 1);
  const auto classes = classes_of(facts);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(classes[i], i < 4 ? Quality::good : Quality::flat) << i;
}

// Returns the class of a block after two blocks that stay at -2 and 2.
Quality clipped_class(const BlockFacts& block) {
  return classes_of({block_of(-2, 1, 20, 0), block_of(-1, 2, 0, 20), block})[2];
}

TEST(ClassifyBlocks, ClippedStaysAtAnEndOfTheRecordingsRange) {
  EXPECT_EQ(clipped_class(block_of(-1, 2, 0, 6)), Quality::good);
  EXPECT_EQ(clipped_class(block_of(-1, 2, 0, 7)), Quality::clipped);
  EXPECT_EQ(clipped_class(block_of(-2, 1, 7, 0)), Quality::clipped);
  EXPECT_EQ(clipped_class(block_of(-2, 2, 4, 3)), Quality::clipped) << "both ends together";
  EXPECT_EQ(clipped_class(block_of(-1, 1.5f, 100, 100)), Quality::good) << "plateaus within the range";
  EXPECT_EQ(clipped_class(block_of(2, 2, 199, 199)), Quality::flat) << "flat rather than clipped";
  EXPECT_EQ(clipped_class(block_of(-2, 5, 20, 0)), Quality::clipped) << "a single sample further out does not hide it";
}

TEST(ClassifyBlocks, ABaselineIsNoEndOfTheRange) {
  const auto spikes = block_of(0, 2, 150, 0);
  EXPECT_EQ(classes_of({spikes, spikes, spikes, block_of(-0.1f, 2)}),
            (Classes{Quality::good, Quality::good, Quality::good, Quality::good}));
}

TEST(ClassifyBlocks, ARailIsNoBaseline) {
  // 190 of 200 samples at the smallest value are a baseline, and 191 are the end of a range. The result distinguishes
  // them.
  const auto quality_of = [](int at_min) { return classify_blocks(Facts(5, block_of(0, 2, at_min, 0)), 200, {}, 100); };
  EXPECT_EQ(quality_of(190).blocks, Classes(5, Quality::good));
  EXPECT_DOUBLE_EQ(quality_of(190).nature.rests_at_end, 0.95) << "it is reported nevertheless";
  EXPECT_EQ(quality_of(191).blocks, Classes(5, Quality::clipped));
  EXPECT_EQ(quality_of(191).nature.rests_at_end, 0) << "the blocks say it";
  EXPECT_EQ(classes_of(Facts(5, block_of(-2, 0, 0, 198))), Classes(5, Quality::clipped)) << "at the largest value";
  EXPECT_EQ(classes_of(Facts(5, block_of(0, 2, 20, 0))), Classes(5, Quality::clipped)) << "no baseline: a tenth of it";
}

TEST(ClassifyBlocks, ConstantBlocksHideNoBaseline) {
  Facts facts(10, block_of(0, 0, 199, 199));
  for (int i = 0; i < 3; ++i) facts[i] = block_of(0, 2, 150, 0);
  const auto classes = classes_of(facts);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(classes[i], i < 3 ? Quality::good : Quality::flat) << i;
}

TEST(SignalNature, IsOfTheBlocksThatMove) {
  const auto nature_of_blocks = [](const Facts& facts) { return classify_blocks(facts, 200, {}, 100).nature; };
  EXPECT_EQ(nature_of_blocks({}).qrs_share, 1);
  EXPECT_EQ(nature_of_blocks({block_of(1, 1), block_of(2, 2)}).qrs_share, 1);
  EXPECT_NEAR(nature_of_blocks(Facts(4, block_of(-1, 1))).qrs_share, 1.0 / 6, 1e-7);
  auto square = block_of(-1, 1);
  square.near_min = 100, square.near_max = 61;
  EXPECT_EQ(nature_of_blocks({square, square, block_of(-1, 1), block_of(-1, 1), block_of(0, 0)}).two_levels, 0.5);
  square.near_max = 60;
  EXPECT_EQ(nature_of_blocks({square}).two_levels, 0) << "a fifth of the time lies between";
  square.near_min = 178, square.near_max = 20;
  EXPECT_EQ(nature_of_blocks({square}).two_levels, 0) << "hardly ever at the other level";
  auto sawtooth = block_of(-1, 1);
  sawtooth.near_min = 40, sawtooth.near_max = 41;  // of 200
  EXPECT_EQ(nature_of_blocks({sawtooth, sawtooth, block_of(-1, 1), block_of(0, 0)}).even, 2.0 / 3);
  EXPECT_FALSE(nature_of_blocks({sawtooth, sawtooth, block_of(-1, 1)}).may_be_ecg());
  EXPECT_TRUE(nature_of_blocks({sawtooth, block_of(-1, 1)}).may_be_ecg());
  sawtooth.near_max = 53;
  EXPECT_EQ(nature_of_blocks({sawtooth}).even, 0) << "it rests near one end";
}

TEST(IsBridged, UpToTheLongestGap) {
  EXPECT_TRUE(is_bridged(7, 11, 0.020, 250)) << "5 samples are 20 ms";
  EXPECT_FALSE(is_bridged(7, 12, 0.020, 250));
  EXPECT_FALSE(is_bridged(7, 7, 0, 250)) << "0 bridges nothing";
}

TEST(MarkMissing, IsMostOfABlock) {
  SignalQuality quality{{Quality::good, Quality::noisy, Quality::flat, Quality::good}, 10};
  const std::vector<std::int64_t> firsts = {2, 9, 20, 38}, lasts = {4, 15, 25, 44};
  const SignalQuality before = quality;
  mark_missing(quality, firsts, lasts, 45);
  // 4, 6, 6 and 7 samples of the blocks are missing, and the last block has 15.
  EXPECT_EQ(quality.blocks, (Classes{Quality::good, Quality::missing, Quality::missing, Quality::good}));
  quality = before;
  const std::vector<std::int64_t> longer = {4, 15, 25, 45};
  mark_missing(quality, firsts, longer, 46);
  EXPECT_EQ(quality.blocks[3], Quality::good) << "8 of 16";
  mark_missing(quality, firsts, std::vector<std::int64_t>{4, 15, 25, 46}, 47);
  EXPECT_EQ(quality.blocks[3], Quality::missing) << "9 of 17";
}

TEST(ClassifyBlocks, OfNothing) {
  const auto quality = classify_blocks({}, 200, {}, kBlocksRate);
  EXPECT_EQ(quality.blocks, Classes{});
}

constexpr auto kGoodBlock = Quality::good, kFlatBlock = Quality::flat, kClippedBlock = Quality::clipped,
               kNoisyBlock = Quality::noisy;

TEST(PoorStretches, ByHand) {
  EXPECT_EQ(poor_stretches({{kFlatBlock, kFlatBlock, kGoodBlock, kNoisyBlock, kClippedBlock, kClippedBlock}, 100}, 640),
            (Stretches{{kFlatBlock, 0, 200}, {kNoisyBlock, 300, 400}, {kClippedBlock, 400, 640}}));
  EXPECT_EQ(poor_stretches({{kGoodBlock, kGoodBlock}, 100}, 210), Stretches{});
  EXPECT_EQ(poor_stretches({{kNoisyBlock}, 100}, 30), (Stretches{{kNoisyBlock, 0, 30}}));
  EXPECT_EQ(poor_stretches({}, 30), Stretches{});
}

// Property: the stretches give each sample the quality of its block, and no two of them could be one.
TEST(PoorStretches, SayTheSameAsTheBlocks) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    SignalQuality quality{Classes(1 + random() % 20), 10};
    for (Quality& kind : quality.blocks) kind = static_cast<Quality>(random() % 4);
    const std::int64_t n = 10 * std::ssize(quality.blocks) + random() % 5;
    Classes found(n, kGoodBlock);
    std::int64_t end = -1;
    for (const auto& [kind, first, last] : poor_stretches(quality, n)) {
      ASSERT_TRUE(first < last && last <= n && first >= end);
      EXPECT_FALSE(first == end && kind == found[first - 1]);
      std::fill(found.begin() + first, found.begin() + last, kind);
      end = last;
    }
    for (std::int64_t i = 0; i < n; ++i)
      ASSERT_EQ(found[i], quality.blocks[std::min(i / 10, std::ssize(quality.blocks) - 1)]) << i;
  }
}

// --- on an ECG, where blocks last 2 s ---

template <class Context>
class QualityOfEcg : public OnBackend<Context> {
 protected:
  // Returns 80 s at 250 Hz; a fourth of the beats are PVCs.
  static Floats ecg() {
    Floats x(80 * 250);
    SyntheticEcg(std::ssize(x), 250, 0.25, 5).render(0, x);
    return x;
  }
  Stretches poor(const Floats& x) {
    auto& context = this->context();
    const auto recording = recording_of_leads(context, {x});
    const LeadSignal lead{recording.leads[0].samples};
    auto quality = detect_r_peaks<Context>(context, {&lead, 1}, {}, {}, 250).quality[0];
    mark_noise(quality, quality_index(context, recording, quality_model({}), 250), 0, std::ssize(x), 5);
    return poor_stretches(quality, std::ssize(x));
  }
};
TYPED_TEST_SUITE(QualityOfEcg, Backends, BackendNames);

TYPED_TEST(QualityOfEcg, IsGood) { EXPECT_EQ(this->poor(this->ecg()), Stretches{}); }

// 200 narrow complexes a minute.
TYPED_TEST(QualityOfEcg, AFastRhythmIsGood) {
  Floats x(40 * 250);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = static_cast<double>(i % 75) - 37;  // samples from the R peak
    x[i] = static_cast<float>(std::exp(-t * t / 18) - 0.2 * std::exp(-(t - 8) * (t - 8) / 8) +
                              0.002 * static_cast<double>(i % 7));
  }
  EXPECT_EQ(this->poor(x), Stretches{});
}

TYPED_TEST(QualityOfEcg, FindsWhatIsPoor) {
  auto x = this->ecg();
  std::mt19937 random(2);
  std::normal_distribution<float> noise(0, 0.5f);
  std::fill(x.begin() + 10 * 250, x.begin() + 14 * 250, 0.2f);
  for (int i = 30 * 250; i < 36 * 250; ++i) x[i] += noise(random);
  std::fill(x.begin() + 60 * 250 + 50, x.begin() + 60 * 250 + 100, 4.0f);  // 0.2 s at the amplifier's end
  EXPECT_EQ(this->poor(x),
            (Stretches{{kFlatBlock, 2500, 3500}, {kNoisyBlock, 7500, 9000}, {kClippedBlock, 15'000, 15'500}}));
  for (float& value : x) value = -7 * value + 3;
  EXPECT_EQ(this->poor(x),
            (Stretches{{kFlatBlock, 2500, 3500}, {kNoisyBlock, 7500, 9000}, {kClippedBlock, 15'000, 15'500}}))
      << "whatever gain, polarity and offset";
}

}  // namespace
}  // namespace beatscan
