// Tests how distances become scores, element by element.
#include "kernels/windows/log_scores.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;

template <class Context>
class LogScores : public OnBackend<Context> {};
TYPED_TEST_SUITE(LogScores, Backends, BackendNames);

// A CPU thread takes 4,096 values, a Cuda block 256.
TYPED_TEST(LogScores, MatchTheirDefinitions) {
  auto& context = this->context();
  for (const std::int64_t n : {0, 1, 255, 256, 257, 8191, 12'289}) {
    SCOPED_TRACE(n);
    Floats values(n);
    for (std::int64_t i = 0; i < n; ++i) values[i] = static_cast<float>(i % 1000) / 100;
    auto logs = from_host(context, values);
    take_logs(context, 1e-3f, logs);
    Buffer<float, TypeParam> sums(context, n), both(context, n);
    const StandardTerm terms[] = {{logs, 0.5f, -2}, {logs, 10, 0.25f}, {logs, 0, 1}};
    weighted_sum(context, terms, sums);
    add(context, logs, sums, both);
    const auto found_logs = to_host(context, logs), found_sums = to_host(context, sums),
               found_both = to_host(context, both);
    for (std::int64_t i = 0; i < n; ++i) {
      const double expected = std::log(values[i] + 1e-3);
      ASSERT_NEAR(found_logs[i], expected, 1e-5) << i;  // float32 argument and logarithm of up to 7 in size
      ASSERT_NEAR(found_sums[i], -1.5 - 0.75 * found_logs[i], 1e-5) << i;
      ASSERT_EQ(found_both[i], found_logs[i] + found_sums[i]) << i;
    }
  }
}

TYPED_TEST(LogScores, LogsAreFinite) {
  auto& context = this->context();
  auto values = from_host(context, Floats{INFINITY, NAN, 3e38f, 0});
  take_logs(context, 1e-3f, values);
  const auto found = to_host(context, values);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(found[i], std::log(3e38), 1e-4) << i;
  EXPECT_NEAR(found[3], std::log(1e-3), 1e-5);
}

TYPED_TEST(LogScores, AWaveformBelowZeroCountsLittle) {
  auto& context = this->context();
  Buffer<float, TypeParam> scores(context, 4);
  score_sums(context, from_host(context, Floats{2, 0, -4, -4}), from_host(context, Floats{1, 1, 1, 0}), 0.25f, scores);
  EXPECT_EQ(to_host(context, scores), (Floats{3, 1, 0, -1}));
}

TYPED_TEST(LogScores, BadShapesThrow) {
  auto& context = this->context();
  auto two = from_host(context, Floats{1, 2}), three = from_host(context, Floats{1, 2, 3});
  EXPECT_THROW_KIND(take_logs(context, 0, two), ErrorKind::internal);
  EXPECT_THROW_KIND(score_sums(context, two, three, 1, two), ErrorKind::internal);
  EXPECT_THROW_KIND(weighted_sum(context, {}, two), ErrorKind::internal);
  const StandardTerm of_two{two, 0, 1};
  EXPECT_THROW_KIND(weighted_sum(context, std::span(&of_two, 1), three), ErrorKind::internal);
  const StandardTerm four[] = {of_two, of_two, of_two, of_two};
  EXPECT_THROW_KIND(weighted_sum(context, four, two), ErrorKind::internal);
  EXPECT_THROW_KIND(add(context, two, three, two), ErrorKind::internal);
}

}  // namespace
}  // namespace beatscan
