#include "kernels/detect/beats.h"

#include <algorithm>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Indices = std::vector<std::int64_t>;

struct GapList {
  Indices firsts, lasts;
};

struct Classified {
  std::vector<Outcome> outcomes;
  std::vector<std::uint32_t> kept;
  bool operator==(const Classified&) const = default;
};

// A gap counts before the length does: of missing samples no length is known.
Classified expected_classes(const Indices& starts, LengthLimits limits, const GapList& gaps) {
  Classified expected;
  std::vector<bool> kept;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    Outcome outcome = Outcome::last;
    if (i + 1 < starts.size()) {
      const std::int64_t length = starts[i + 1] - starts[i];
      outcome = length < limits.min_samples   ? Outcome::too_short
                : length > limits.max_samples ? Outcome::too_long
                                              : Outcome::kept;
      for (std::size_t gap = 0; gap < gaps.firsts.size(); ++gap)
        for (std::int64_t sample = gaps.firsts[gap]; sample <= gaps.lasts[gap]; ++sample)
          if (starts[i] <= sample && sample < starts[i + 1]) outcome = Outcome::in_gap;
    }
    expected.outcomes.push_back(outcome);
    kept.push_back(outcome == Outcome::kept);
  }
  expected.kept = words_of(kept);
  return expected;
}

std::vector<float> expected_rows(const std::vector<float>& signal, const Indices& starts, const Indices& kept,
                                 double step, std::int64_t row_length) {
  std::vector<float> rows;
  for (const std::int64_t k : kept)
    for (std::int64_t j = 0; j < row_length; ++j) {
      const double offset = static_cast<double>(j) * step, length = static_cast<double>(starts[k + 1] - starts[k]);
      const auto before = static_cast<std::int64_t>(offset);
      const auto fraction = static_cast<float>(offset - static_cast<double>(before));
      if (offset >= length) {
        rows.push_back(0);
      } else {
        const float a = signal[starts[k] + before];
        // After the last sample the line stays level.
        const float b = starts[k] + before + 1 < std::ssize(signal) ? signal[starts[k] + before + 1] : a;
        rows.push_back(fraction == 0 ? a : a + fraction * (b - a));
      }
    }
  return rows;
}

template <class Context>
class Beats : public OnBackend<Context> {
 protected:
  Classified classify(const Indices& starts, LengthLimits limits, const GapList& gaps) {
    auto& context = this->context();
    const auto device_starts = from_host(context, starts);
    const auto firsts = from_host(context, gaps.firsts), lasts = from_host(context, gaps.lasts);
    Buffer<Outcome, Context> outcomes(context, std::ssize(starts));
    auto kept = from_host(context, std::vector<std::uint32_t>((starts.size() + 31) / 32, ~0u));
    classify_candidates(context, device_starts, limits, firsts, lasts, outcomes, kept);
    return {to_host(context, outcomes), to_host(context, kept)};
  }
  std::vector<float> embed(const std::vector<float>& signal, const Indices& starts, const Indices& kept, double step,
                           std::int64_t row_length) {
    auto& context = this->context();
    const auto device_signal = from_host(context, signal);
    const auto device_starts = from_host(context, starts), device_kept = from_host(context, kept);
    Buffer<float, Context> rows(context, std::ssize(kept) * row_length);
    embed_rows(context, device_signal, device_starts, device_kept, step, row_length, rows);
    return to_host(context, rows);
  }
};
TYPED_TEST_SUITE(Beats, Backends, BackendNames);

TYPED_TEST(Beats, LimitsAreInclusive) {
  const Indices starts{0, 9, 19, 39, 60};
  EXPECT_EQ(
      this->classify(starts, {10, 20}, {}),
      (Classified{{Outcome::too_short, Outcome::kept, Outcome::kept, Outcome::too_long, Outcome::last}, {0b00110}}));
}

// Each gap is one sample: the beat's first, its last, the one before it and the one after it.
TYPED_TEST(Beats, AGapCountsWhereItTouchesABeatsOwnSamples) {
  const Indices starts{100, 200, 300};
  const auto first_outcome = [&](Indices firsts, Indices lasts) {
    return this->classify(starts, {1, 100}, {firsts, lasts}).outcomes[0];
  };
  EXPECT_EQ(first_outcome({99}, {99}), Outcome::kept);
  EXPECT_EQ(first_outcome({100}, {100}), Outcome::in_gap);
  EXPECT_EQ(first_outcome({199}, {199}), Outcome::in_gap);
  EXPECT_EQ(first_outcome({200}, {200}), Outcome::kept) << "the next start belongs to the next beat";
  EXPECT_EQ(first_outcome({90}, {100}), Outcome::in_gap);
  EXPECT_EQ(first_outcome({0}, {1000}), Outcome::in_gap);
  EXPECT_EQ(first_outcome({0, 50, 99, 200}, {10, 60, 99, 250}), Outcome::kept);
  EXPECT_EQ(first_outcome({0, 50, 150, 200}, {10, 60, 151, 250}), Outcome::in_gap);
  EXPECT_EQ(this->classify(starts, {1, 99}, {{150}, {150}}).outcomes[0], Outcome::in_gap)
      << "though it is too long as well";
}

TYPED_TEST(Beats, OfNothing) {
  EXPECT_EQ(this->classify({}, {1, 2}, {}), (Classified{}));
  EXPECT_EQ(this->classify({5}, {1, 2}, {}), (Classified{{Outcome::last}, {0}}));
  EXPECT_EQ(this->embed({1, 2, 3}, {0, 2}, {}, 1, 10), std::vector<float>{});
  EXPECT_EQ(this->embed({}, {}, {}, 1, 10), std::vector<float>{});
}

TYPED_TEST(Beats, RefusesBadShapes) {
  auto& context = this->context();
  const auto starts = from_host(context, Indices{0, 5, 9}), one = from_host(context, Indices{0});
  const Buffer<std::int64_t, TypeParam> none(context, 0);
  Buffer<Outcome, TypeParam> outcomes(context, 3);
  Buffer<std::uint32_t, TypeParam> kept(context, 2);
  const auto word = kept.span().first(1);
  expect_error(ErrorKind::internal, "bad shape", [&] {
    classify_candidates(context, starts, {1, 9}, none, none, outcomes.span().first(2), word);
  });
  expect_error(ErrorKind::internal, "bad shape", [&] {
    classify_candidates(context, starts, {1, 9}, none, none, outcomes, kept);
  });
  expect_error(ErrorKind::internal, "gap firsts and lasts", [&] {
    classify_candidates(context, starts, {1, 9}, one, none, outcomes, word);
  });

  const Buffer<float, TypeParam> signal(context, 10);
  Buffer<float, TypeParam> rows(context, 4);
  const auto embed = [&](double step, std::int64_t row_length) {
    embed_rows(context, signal, starts, one, step, row_length, rows);
  };
  expect_error(ErrorKind::internal, "embed_rows", [&] { embed(1, 3); });
  expect_error(ErrorKind::internal, "embed_rows", [&] { embed(1, 5); });
  expect_error(ErrorKind::internal, "embed_rows", [&] { embed(0, 4); });
  expect_error(ErrorKind::internal, "embed_rows", [&] { embed(-1, 4); });
  expect_error(ErrorKind::internal, "embed_rows",
               [&] { embed_rows(context, signal, starts, none, 1, 0, rows.span().first(0)); });
}

TYPED_TEST(Beats, ClassesMatchDefinitionOnRandomStarts) {
  for (const std::int64_t size : sizes_around(256))
    for (const unsigned gap_one_in : {1u, 5u, 1000u}) {
      const std::uint64_t seed = size * 7 + gap_one_in;
      SCOPED_TRACE(shape_and_seed("size", size, seed));
      std::mt19937_64 random(seed);
      Indices starts(size);
      for (std::int64_t i = 0, at = 0; i < size; ++i) starts[i] = at += 1 + random() % 12;
      GapList gaps;
      for (std::int64_t at = random() % 9; at < starts.back() + 20; at += 2 + random() % 30) {
        if (random() % gap_one_in) continue;
        gaps.firsts.push_back(at);
        gaps.lasts.push_back(at += random() % 4);
      }
      EXPECT_EQ(this->classify(starts, {4, 9}, gaps), expected_classes(starts, {4, 9}, gaps));
    }
}

TYPED_TEST(Beats, RowsWorkedByHand) {
  const std::vector<float> signal{9, 0, 10, 20, 40, 50, 60, 70};
  const Indices starts{1, 4, 8};
  EXPECT_EQ(this->embed(signal, starts, {0, 1}, 1, 5), (std::vector<float>{0, 10, 20, 0, 0, 40, 50, 60, 70, 0}));
  EXPECT_EQ(this->embed(signal, starts, {1}, 1, 2), (std::vector<float>{40, 50}))
      << "a beat longer than its row is cut";
  // The points are 0, 0.5, … 2.5 samples after the start. The last lies between the beat's last sample and the next
  // beat's first.
  EXPECT_EQ(this->embed(signal, starts, {0}, 0.5, 7), (std::vector<float>{0, 5, 10, 15, 20, 30, 0}));
  EXPECT_EQ(this->embed(signal, starts, {0}, 1.5, 3), (std::vector<float>{0, 15, 0}));
  EXPECT_EQ(this->embed(signal, starts, {1}, 0.5, 9), (std::vector<float>{40, 45, 50, 55, 60, 65, 70, 70, 0}))
      << "after the recording's last sample the line is level";
}

// 1.44 is 360 Hz at 250 points a second: no offset is exact, so a fused multiply-add would change the last bits.
TYPED_TEST(Beats, RowsMatchTheFormulaBitForBit) {
  std::mt19937_64 random(42);
  std::vector<float> signal(60'000);
  for (float& value : signal) value = static_cast<float>(random() % 4096) / 1024 - 2.1f;
  Indices starts{0};
  while (starts.back() < std::ssize(signal))
    starts.push_back(starts.back() + 1 + static_cast<std::int64_t>(random() % 700));
  starts.back() = std::ssize(signal);  // the last beat ends with the recording
  Indices kept;
  for (std::int64_t i = 0; i + 1 < std::ssize(starts); ++i)
    if (random() % 8) kept.push_back(i);
  kept.push_back(std::ssize(starts) - 2);
  for (const double step : {1.0, 1.44, 0.5, 0.7200000000000001, 3.6})
    for (const std::int64_t row_length : {1, 255, 256, 257, 500}) {
      SCOPED_TRACE(shape_and_seed("row_length", row_length, 42) + " step=" + std::to_string(step));
      EXPECT_EQ(bits_of(this->embed(signal, starts, kept, step, row_length)),
                bits_of(expected_rows(signal, starts, kept, step, row_length)));
    }
}

// Property: with step 1 a row holds the raw samples, -0 and subnormals included, and a row does not depend on others.
TYPED_TEST(Beats, StepOneCopies) {
  const std::vector<float> signal{-0.0f, 1e-45f, -1e-45f, 3.4e38f, -3.4e38f, 0.1f, 7};
  const auto row = this->embed(signal, {0, 7}, {0}, 1, 7);
  EXPECT_EQ(bits_of(row), bits_of(signal));
  auto twice = row;
  twice.insert(twice.end(), row.begin(), row.end());
  EXPECT_EQ(bits_of(this->embed(signal, {0, 7}, {0, 0}, 1, 7)), bits_of(twice));
}

}  // namespace
}  // namespace beatscan
