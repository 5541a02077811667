// stages/model/row_split.h — which rows a model is trained on, and which test it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/model/random.h"
#include "stages/common/rows.h"

namespace beatscan {

// Returns the number of rows that a model may be trained and tested on.
template <class Context>
std::int64_t trainable_count(const Rows<Context>& rows) {
  return rows.trainable.empty() ? rows.count : rows.trainable.size();
}

template <class Context>
struct RowSplit {
  Buffer<std::int32_t, Context> rows;  // the trainable rows in random order; those for training come first
  std::int64_t train = 0;              // number of those
};

// Splits the rows of several leads by beat, because the rows of one beat are alike in all leads: a test row would not
// be new. Takes whole beats while their rows are at most `most`, and at least one.
template <class Context>
RowSplit<Context> split_by_beat(Context& context, const Rows<Context>& rows, std::int64_t most, RandomKey key) {
  const std::int64_t beats = rows.kept.size();
  std::vector<std::uint8_t> is_trainable(rows.count, rows.trainable.empty());
  for (const std::int32_t row : to_host(context, rows.trainable)) is_trainable[row] = 1;
  std::vector<std::int32_t> order(beats), split;
  Cpu cpu(1);  // shuffles alike for every device
  shuffle(cpu, key, {}, order);
  std::int64_t train = 0;
  bool full = false;
  for (const std::int32_t beat : order) {
    for (std::int64_t row = beat; row < rows.count; row += beats)
      if (is_trainable[row]) split.push_back(static_cast<std::int32_t>(row));
    full = full || (train > 0 && std::ssize(split) > most);
    if (!full) train = std::ssize(split);
  }
  return {from_host(context, split), train};
}

// Splits the trainable rows at random. The share `train_fraction` of them, rounded down, is for training, and at least
// one row. With several leads, training takes whole beats while their rows are at most that many, and at least one
// beat.
template <class Context>
RowSplit<Context> split_rows(Context& context, const Rows<Context>& rows, double train_fraction, std::uint64_t seed) {
  const std::int64_t count = trainable_count(rows);
  const auto most = std::max<std::int64_t>(static_cast<std::int64_t>(train_fraction * static_cast<double>(count)), 1);
  const RandomKey key{seed, RandomStream::split};
  if (!rows.kept.empty() && rows.count > rows.kept.size()) return split_by_beat(context, rows, most, key);
  RowSplit<Context> split{Buffer<std::int32_t, Context>(context, count), most};
  shuffle(context, key, rows.trainable, split.rows);
  return split;
}

}  // namespace beatscan
