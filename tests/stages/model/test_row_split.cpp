// Tests which rows a model is trained on.
#include "stages/model/row_split.h"

#include <algorithm>

#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Numbers = std::vector<std::int32_t>;

template <class Context>
class RowSplits : public OnBackend<Context> {
 protected:
  struct Found {
    Numbers rows;
    std::int64_t train;
  };
  // Splits the rows of `leads` leads with `beats` beats each. No trainable rows stands for all.
  Found split(std::int64_t leads, std::int64_t beats, const Numbers& trainable, double fraction) {
    auto& context = this->context();
    const Rows<Context> rows{.kept = from_host(context, std::vector<std::int64_t>(beats)),
                             .trainable = from_host(context, trainable),
                             .count = leads * beats};
    const auto found = split_rows(context, rows, fraction, 5);
    return {to_host(context, found.rows), found.train};
  }
};
TYPED_TEST_SUITE(RowSplits, Backends, BackendNames);

TYPED_TEST(RowSplits, OneLeadIsSplitByRow) {
  const auto found = this->split(1, 101, {}, 0.75);
  Numbers expected(101);
  Cpu cpu(1);
  shuffle(cpu, {5, RandomStream::split}, {}, expected);
  EXPECT_EQ(found.rows, expected);
  EXPECT_EQ(found.train, 75);
  EXPECT_EQ(this->split(1, 3, {0, 2}, 0.1).train, 1) << "one at least";
}

TYPED_TEST(RowSplits, TheRowsOfABeatAreOnOneSide) {
  constexpr std::int64_t kBeats = 257;
  for (const std::int64_t leads : {2, 3}) {
    Numbers trainable;  // every beat in the first lead, and some in the others
    for (std::int32_t row = 0; row < leads * kBeats; ++row)
      if (row < kBeats || row % 3 != 0) trainable.push_back(row);
    for (const double fraction : {0.25, 0.75}) {
      const auto [rows, train] = this->split(leads, kBeats, trainable, fraction);
      Numbers sorted = rows;
      std::ranges::sort(sorted);
      EXPECT_EQ(sorted, trainable) << "each once";
      std::vector<int> sides(kBeats);  // bits: 1 for training, 2 for the test
      for (std::int64_t i = 0; i < std::ssize(rows); ++i) sides[rows[i] % kBeats] |= i < train ? 1 : 2;
      EXPECT_EQ(std::ranges::count(sides, 3), 0) << leads << " leads";
      const double most = fraction * static_cast<double>(trainable.size());
      EXPECT_LE(static_cast<double>(train), most);
      EXPECT_GT(static_cast<double>(train), most - static_cast<double>(leads) - 1);
    }
  }
}

TYPED_TEST(RowSplits, OneBeatAtLeastIsTrainedOn) {
  const auto found = this->split(2, 2, {}, 0.25);
  EXPECT_EQ(found.train, 2);
  EXPECT_EQ(found.rows[0] % 2, found.rows[1] % 2);
  EXPECT_EQ(this->split(2, 100, {7, 107}, 0.75).train, 2) << "no other beat is fit to learn from";
  EXPECT_EQ(this->split(2, 100, {}, 1).train, 200);
}

}  // namespace
}  // namespace beatscan
