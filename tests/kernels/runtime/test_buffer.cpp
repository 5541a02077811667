#include "kernels/runtime/buffer.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/page_locked.h"
#include "kernels/runtime/pool.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Numbers = std::vector<std::int32_t>;

static_assert(!std::is_copy_constructible_v<Buffer<float, Cpu>> && !std::is_copy_assignable_v<Buffer<float, Cpu>>);
static_assert(std::is_nothrow_move_constructible_v<Buffer<float, Cpu>>);
static_assert(!std::is_convertible_v<Buffer<float, Cpu>, Buffer<float, Cuda>>, "a host pointer is no device pointer");

template <class Context>
class Buffers : public OnBackend<Context> {};
TYPED_TEST_SUITE(Buffers, Backends, BackendNames);

TYPED_TEST(Buffers, ToTheContextAndBack) {
  for (const int n : {1, 2, 255, 256, 257, 100'000}) {
    Numbers numbers(n);
    std::iota(numbers.begin(), numbers.end(), 3);
    const auto buffer = from_host(this->context(), numbers);
    EXPECT_EQ(buffer.size(), n);
    EXPECT_FALSE(buffer.empty());
    EXPECT_EQ(to_host(this->context(), buffer), numbers);
    EXPECT_EQ(to_host(this->context(), buffer.span().subspan(1)), Numbers(numbers.begin() + 1, numbers.end()));
  }
}

// 12 MB in pieces, and 8 MB at once: more than the memory that a GPU's copies go through.
TYPED_TEST(Buffers, ASourceMayBeChangedWhileItsCopyIsQueued) {
  auto& context = this->context();
  std::vector<Buffer<std::int32_t, TypeParam>> buffers;
  Numbers numbers(50'000);
  for (int i = 0; i < 60; ++i) {
    std::ranges::fill(numbers, i);
    buffers.push_back(from_host(context, numbers));
  }
  for (int i = 0; i < 60; ++i) EXPECT_EQ(to_host(context, buffers[i]), Numbers(50'000, i));
  Numbers many(2'000'003);
  std::iota(many.begin(), many.end(), 7);
  EXPECT_EQ(to_host(context, from_host(context, many)), many);
}

TYPED_TEST(Buffers, Empty) {
  const Buffer<float, TypeParam> none;
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_TRUE(to_host(this->context(), none).empty());
  const auto of_nothing = from_host(this->context(), Numbers{});
  EXPECT_TRUE(of_nothing.empty());
  EXPECT_EQ(of_nothing.span().size(), 0u);
  EXPECT_TRUE(to_host(this->context(), of_nothing).empty());
}

TYPED_TEST(Buffers, BorrowedMemoryStaysItsOwners) {
  const auto owner = from_host(this->context(), Numbers{1, 2, 3});
  {
    using Lent = Buffer<int, TypeParam>;
    auto borrowed = Lent::borrowed({const_cast<int*>(owner.data()), 3});
    EXPECT_EQ(borrowed.data(), owner.data());
    EXPECT_EQ(borrowed.size(), 3);
    auto moved = std::move(borrowed);
    EXPECT_EQ(moved.data(), owner.data());
  }
  EXPECT_EQ(to_host(this->context(), owner), (Numbers{1, 2, 3}));
}

TYPED_TEST(Buffers, MemoryThatIsHandedOverOutlivesTheBuffer) {
  auto& context = this->context();
  int* memory = nullptr;
  {
    auto buffer = from_host(context, Numbers{4, 5, 6});
    buffer.truncate(2);
    memory = buffer.hand_over();
    EXPECT_TRUE(buffer.empty());
    EXPECT_EQ(buffer.data(), nullptr);
  }
  EXPECT_EQ(to_host(context, std::span<int>(memory, 3)), (Numbers{4, 5, 6}));
  if constexpr (std::is_same_v<TypeParam, Cpu>) context.deallocate(memory, sizeof(int) * 3);
#ifdef BEATSCAN_WITH_CUDA
  if constexpr (std::is_same_v<TypeParam, Cuda>)
    context.pool().deallocate(memory, sizeof(int) * 3);  // its bytes are no longer counted
#endif
}

TYPED_TEST(Buffers, AMoveTakesTheMemoryAlong) {
  auto first = from_host(this->context(), Numbers{1, 2, 3});
  const auto* memory = first.data();
  auto second = std::move(first);
  EXPECT_EQ(second.data(), memory);
  EXPECT_TRUE(first.empty());
  EXPECT_EQ(first.data(), nullptr);

  auto third = from_host(this->context(), Numbers{4});
  third = std::move(second);
  EXPECT_EQ(to_host(this->context(), third), (Numbers{1, 2, 3}));
  auto& itself = third;
  third = std::move(itself);
  EXPECT_EQ(to_host(this->context(), third), (Numbers{1, 2, 3})) << "after a move to itself";
  third = {};
  EXPECT_TRUE(third.empty());
}

TYPED_TEST(Buffers, MayBeCutShort) {
  auto buffer = from_host(this->context(), std::vector<int>{1, 2, 3, 4});
  buffer.truncate(9);
  EXPECT_EQ(buffer.size(), 4);
  buffer.truncate(2);
  EXPECT_EQ(to_host(this->context(), buffer), (std::vector<int>{1, 2}));
  const auto moved = std::move(buffer);  // its whole memory is freed, which the pool's check after all tests counts
  EXPECT_EQ(moved.size(), 2);
}

TYPED_TEST(Buffers, CopyWithinTheContext) {
  auto target = from_host(this->context(), Numbers{0, 0, 0, 0});
  const auto source = from_host(this->context(), Numbers{7, 8});
  copy<std::int32_t>(this->context(), source, target.span().subspan(1, 2));
  copy<std::int32_t>(this->context(), source.span().first(0), target.span().first(0));
  EXPECT_EQ(to_host(this->context(), target), (Numbers{0, 7, 8, 0}));
}

TYPED_TEST(Buffers, FreedMemoryMayBeUsedByQueuedWork) {
  auto target = from_host(this->context(), Numbers(50'000, 0));
  for (int round = 1; round <= 20; ++round) {
    const auto source = from_host(this->context(), Numbers(50'000, round));
    copy<std::int32_t>(this->context(), source, target);
  }  // each source is freed while its copy may still be queued
  EXPECT_EQ(to_host(this->context(), target), Numbers(50'000, 20));
}

TYPED_TEST(Buffers, StagingIsKeptAndGrows) {
  auto& context = this->context();
  for (const int size : {1000, 300'000, 1}) {
    const auto staging = context.staging(size);
    ASSERT_EQ(std::ssize(staging), size);
    std::ranges::fill(staging, 'x');
    Buffer<char, TypeParam> buffer(context, size);
    copy<char>(context, staging, buffer);
    EXPECT_EQ(to_host(context, buffer), std::vector<char>(size, 'x'));
    EXPECT_EQ(context.staging(size).data(), staging.data());
  }
}

#ifdef BEATSCAN_WITH_CUDA
using BuffersOnCuda = OnBackend<Cuda>;

// To lock other memory takes long, so all that was locked is used.
TEST_F(BuffersOnCuda, StagingStaysForALittleMore) {
  Cuda cuda(this->context().device());
  const char* const first = cuda.staging(1000).data();
  for (const std::size_t bytes : {std::size_t{100'000}, kPageLockedUnit}) {
    EXPECT_EQ(cuda.staging(bytes).data(), first);
    EXPECT_EQ(cuda.staging(bytes).size(), bytes);
  }
  EXPECT_EQ(cuda.staging(kPageLockedUnit + 1).size(), kPageLockedUnit + 1);
}
#endif

TYPED_TEST(Buffers, TheContextDescribesItself) {
  const DeviceDescription description = describe(this->context());
  EXPECT_FALSE(description.name.empty());
  EXPECT_GT(description.memory_bytes, 0);
  EXPECT_GT(description.multiprocessors, 0);
}

TEST(CpuContext, MemoryIsAlignedForTheWidestVectors) {
  Cpu cpu(1);
  for (const int n : {0, 1, 3, 1000}) {
    const Buffer<float, Cpu> buffer(cpu, n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
  }
}

#ifdef BEATSCAN_WITH_CUDA
class PoolStatisticsTest : public OnBackend<Cuda> {};

TEST_F(PoolStatisticsTest, GrowAndShrink) {
  constexpr std::int64_t kBytes = 10 << 20;
  DevicePool& pool = context().pool();
  const auto before = pool.statistics();
  const auto held_before = pool.held_bytes();
  {
    const Buffer<float, Cuda> buffer(context(), kBytes / 4);
    EXPECT_EQ(pool.held_bytes(), held_before + kBytes);
    EXPECT_GE(pool.statistics().current_bytes, before.current_bytes + kBytes);
    EXPECT_GE(pool.statistics().peak_bytes, before.current_bytes + kBytes);
    EXPECT_GE(pool.statistics().reserved_bytes, pool.statistics().current_bytes);
    EXPECT_EQ(pool.statistics().requests, before.requests + 1);
  }
  EXPECT_EQ(pool.held_bytes(), held_before);
  EXPECT_EQ(pool.statistics().current_bytes, before.current_bytes);
  EXPECT_GE(pool.statistics().peak_bytes, before.current_bytes + kBytes) << "the peak remains";
}

TEST_F(PoolStatisticsTest, FreedMemoryIsUsedAgain) {
  const void* memory = Buffer<char, Cuda>(context(), 3 << 20).data();
  const Buffer<char, Cuda> again(context(), 3 << 20);
  EXPECT_EQ(again.data(), memory);
}

TEST_F(PoolStatisticsTest, TooMuchIsADeviceError) {
  const auto held_before = context().pool().held_bytes();
  expect_error(ErrorKind::device, "out of device memory",
               [&] { Buffer<char, Cuda>(context(), std::int64_t{1} << 50); });
  EXPECT_EQ(context().pool().held_bytes(), held_before);
}
#endif

}  // namespace
}  // namespace beatscan
