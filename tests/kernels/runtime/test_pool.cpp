// Tests the pool's limit, spilling, managed memory, the log, and failures of single requests.
#include "kernels/runtime/pool.h"

#include <algorithm>
#include <fstream>
#include <numeric>

#include "kernels/runtime/error.h"
#include "kernels/windows/log_scores.h"
#include "stages/detect/detect_options.h"
#include "stages/io/csv/ingest.h"
#include "stages/io/recording/input_file.h"
#include "stages/methods/around_r_peaks.h"
#include "stages/model/vae.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_index.h"
#include "stages/score/scores.h"
#include "stages/windows/embedded_beats.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_stride.h"

namespace beatscan {
namespace {

#ifdef BEATSCAN_WITH_CUDA

class Pool : public OnBackend<Cuda> {};

std::vector<float> numbers(std::int64_t size, float first) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::filesystem::path record_205() { return std::filesystem::path(source_folder()) / "data/mitdb_205.csv"; }

// Results of all stages that would be in beats.csv.
struct Analysis {
  std::vector<double> r_peaks;
  std::vector<float> scores;
  bool operator==(const Analysis&) const = default;
};
template <class Context>
Analysis analysis(Context& context, const std::filesystem::path& input) {
  constexpr double kRate = 360;
  const auto recording = ingest(context, InputFile(input), {});
  const RowOptions rows;
  const auto found = find_around_r_peaks(context, recording, {}, {}, {}, rows, kRate);
  const auto embedded = embed_leads(context, recording, found.beats, {.rows = rows}, kRate);
  const auto trained = train_vae(context, embedded.rows, {.epochs = 1}, {1, {}});
  const auto scored = score_around_r_peaks(context, embedded, trained.model, {});
  return {to_host(context, found.beats).r_peaks, scored.scores.score};
}

TEST_F(Pool, WhatDoesNotFitIsPutIntoTheHostsMemory) {
  Cuda cuda(0, {.limit_bytes = 64 << 20});
  constexpr std::int64_t kSize = 12 << 20;  // 48 MB as floats
  {
    const auto first = from_host(cuda, numbers(kSize, 1)), second = from_host(cuda, numbers(kSize, 2));
    EXPECT_EQ(cuda.pool().held_bytes(), 2 * kSize * 4);
    EXPECT_GE(cuda.pool().statistics().spilled_bytes, kSize * 4);
    Buffer<float, Cuda> sum(cuda, kSize);
    add(cuda, first, second, sum);  // kernels read and write either kind of memory
    const auto found = to_host(cuda, sum);
    for (const std::int64_t i : {std::int64_t{0}, std::int64_t{1}, kSize / 2}) EXPECT_EQ(found[i], 2.0f * i + 3);
  }
  EXPECT_EQ(cuda.pool().held_bytes(), 0);
}

TEST_F(Pool, LargeArraysLeaveRoomForSmallOnes) {
  Cuda cuda(0, {.limit_bytes = 256 << 20});
  const Buffer<char, Cuda> large(cuda, 240 << 20);
  EXPECT_EQ(cuda.pool().statistics().spilled_bytes, 240 << 20) << "more than seven eighths";
  EXPECT_GE(cuda.room_bytes(), 200 << 20);
  const Buffer<char, Cuda> small(cuda, 1 << 20);
  EXPECT_EQ(cuda.pool().statistics().spilled_bytes, 240 << 20);
}

TEST_F(Pool, ALimitChangesNoResult) {
  const Analysis expected = analysis(context(), record_205());
  ASSERT_GT(expected.r_peaks.size(), 2000u);
  for (const std::int64_t limit : {4 << 20, 8 << 20}) {
    if (left_out()) continue;
    Cuda cuda(0, {.limit_bytes = limit});
    EXPECT_EQ(analysis(cuda, record_205()), expected) << limit;
    EXPECT_GT(cuda.pool().statistics().spilled_bytes, 0);
    EXPECT_EQ(cuda.pool().held_bytes(), 0);
  }
}

TEST_F(Pool, ManagedMemoryChangesNoResult) {
  const Analysis expected = analysis(context(), record_205());
  Cuda cuda(0, {.kind = PoolKind::managed});
  EXPECT_EQ(analysis(cuda, record_205()), expected);
  EXPECT_GT(cuda.pool().statistics().peak_bytes, 2 << 20);
  EXPECT_EQ(cuda.pool().held_bytes(), 0);
}

TEST_F(Pool, TheLogHasEveryRequest) {
  start_pool_log();
  const void* address = nullptr;
  {
    const Buffer<char, Cuda> buffer(context(), 3 << 20);
    address = buffer.data();
  }
  const auto log = take_pool_log();
  const auto at_address = [&](PoolRequest::Action action) {
    return std::ranges::count_if(log, [&](const PoolRequest& request) {
      return request.action == action && request.address == reinterpret_cast<std::uintptr_t>(address) &&
             request.bytes == 3 << 20;
    });
  };
  EXPECT_EQ(at_address(PoolRequest::Action::allocate), 1);
  EXPECT_EQ(at_address(PoolRequest::Action::free), 1);
  EXPECT_TRUE(std::ranges::is_sorted(log, {}, &PoolRequest::time_s));
  const Buffer<char, Cuda> later(context(), 3 << 20);
  EXPECT_TRUE(take_pool_log().empty()) << "after it was taken nothing is logged";
}

// Each request of an analysis fails once. Each time there is an error of the device, no memory is held, and the next
// analysis gives the normal result. Two minutes make the same requests as half an hour.
TEST_F(Pool, EveryRequestMayFail) {
  std::ifstream file(record_205());
  std::string text, line;
  for (int i = 0; i < 120 * 360 && std::getline(file, line); ++i) text += line + "\n";
  TemporaryFolder folder;
  const auto input = folder.write("two_minutes.csv", text);
  Cuda cuda(0);
  const Analysis expected = analysis(cuda, input);
  ASSERT_GT(expected.r_peaks.size(), 100u);
  int failures = 0;
  for (bool failed = true; failed; failures += failed ? test_stride() : 0) {
    ASSERT_LT(failures, 5000);
    failed = false;
    cuda.pool().fail_after(failures);
    try {
      EXPECT_EQ(analysis(cuda, input), expected);
    } catch (const Error& error) {
      failed = true;
      ASSERT_EQ(error.kind(), ErrorKind::device) << error.what();
    }
    ASSERT_EQ(cuda.pool().held_bytes(), 0) << "after request " << failures;
  }
  EXPECT_GT(failures, 50 / test_stride());
  cuda.pool().fail_after(-1);
  EXPECT_EQ(analysis(cuda, input), expected);
}

#endif

}  // namespace
}  // namespace beatscan
