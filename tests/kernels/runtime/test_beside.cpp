// Tests concurrent work on one device.
#include "kernels/runtime/beside.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/machine/host_threads.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/error.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

template <class Context>
class Beside : public OnBackend<Context> {};
TYPED_TEST_SUITE(Beside, Backends, BackendNames);

// Both pieces of work read what was made before, and return their own result.
TYPED_TEST(Beside, BothReadEarlierResults) {
  std::vector<float> values(100'000);
  std::iota(values.begin(), values.end(), 0.0f);
  const auto before = from_host(this->context(), values);
  std::vector<float> first, second;
  for (int round = 0; round < 20; ++round) {
    first.clear(), second.clear();
    run_concurrently(
        this->context(),
        [&](TypeParam& context) {
          Buffer<float, TypeParam> copied(context, before.size());
          copy<float>(context, before, copied);
          first = to_host(context, copied);
        },
        [&](TypeParam& other) {
          Buffer<float, TypeParam> copied(other, before.size());
          copy<float>(other, before, copied);
          second = to_host(other, copied);
        });
    ASSERT_EQ(first, values) << round;
    ASSERT_EQ(second, values) << round;
  }
}

TYPED_TEST(Beside, AnErrorOfEitherIsThrown) {
  const auto nothing = [](TypeParam&) {};
  const auto fails = [](TypeParam&) { throw std::runtime_error("second"); };
  const auto fails_first = [](TypeParam&) { throw std::logic_error("first"); };
  EXPECT_THROW(run_concurrently(this->context(), nothing, fails), std::runtime_error);
  EXPECT_THROW(run_concurrently(this->context(), fails_first, nothing), std::logic_error);
  EXPECT_THROW(run_concurrently(this->context(), fails_first, fails), std::logic_error);
}

TYPED_TEST(Beside, APieceOfWorkMayBeDividedAgain) {
  std::vector<float> values(50'000);
  std::iota(values.begin(), values.end(), 0.0f);
  const auto before = from_host(this->context(), values);
  std::vector<float> copies[3];
  const auto keep = [&](TypeParam& context, int i) {
    Buffer<float, TypeParam> copied(context, before.size());
    copy<float>(context, before, copied);
    copies[i] = to_host(context, copied);
  };
  for (int round = 0; round < 20; ++round) {
    for (auto& copied : copies) copied.clear();
    run_concurrently(
        this->context(), [&](TypeParam& context) { keep(context, 0); },
        [&](TypeParam& other) {
          run_concurrently(
              other, [&](TypeParam& context) { keep(context, 1); }, [&](TypeParam& third) { keep(third, 2); }, 3);
        });
    for (const auto& copied : copies) ASSERT_EQ(copied, values) << round;
  }
  const auto fails = [](TypeParam&) { throw std::runtime_error("innermost"); };
  const auto nothing = [](TypeParam&) {};
  EXPECT_THROW(
      run_concurrently(this->context(), nothing, [&](TypeParam& other) { run_concurrently(other, nothing, fails, 3); }),
      std::runtime_error);
}

// Each piece of work waits for the other one.
TEST(BesideOnCpu, BothRunAtATimeIfThereAreThreads) {
  if (process_threads() == 1) GTEST_SKIP() << "there are no other threads";
  Cpu cpu;
  std::atomic<int> begun = 0;
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  const auto work = [&](Cpu&) {
    ++begun;
    while (begun < 2 && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
    EXPECT_EQ(begun, 2);
  };
  run_concurrently(cpu, work, work);
}

TEST(BesideOnCpu, AThreadWithTooSmallAShareDoesOneAfterTheOther) {
  Cpu cpu;
  for (const int threads : {1, 2}) {
    const Share own = threads;
    const ShareOfThisThread share(&own);
    std::vector<int> order;
    std::vector<std::thread::id> by;
    const auto work = [&](int piece) {
      return [&order, &by, piece](Cpu&) {
        order.push_back(piece);
        by.push_back(std::this_thread::get_id());
      };
    };
    run_concurrently(cpu, work(1), work(2), threads + 1);
    EXPECT_EQ(order, (std::vector{1, 2}));
    EXPECT_EQ(by, std::vector(2, std::this_thread::get_id()));
  }
}

#ifdef BEATSCAN_WITH_CUDA
using BesideOnCuda = OnBackend<Cuda>;

TEST_F(BesideOnCuda, HasAStreamOfItsOwnUnlessMemoryIsLimited) {
  const auto contexts = [](Cuda& cuda) {
    std::pair<Cuda*, Cuda*> both{};
    run_concurrently(
        cuda, [&](Cuda& context) { both.first = &context; }, [&](Cuda& other) { both.second = &other; });
    return both;
  };
  const auto [first, second] = contexts(this->context());
  EXPECT_EQ(first, &this->context());
  EXPECT_NE(second->stream(), first->stream());
  EXPECT_EQ(contexts(this->context()).second, second);  // it is made once
  EXPECT_EQ(statistics_with_beside(this->context()).spilled_bytes, first->pool().statistics().spilled_bytes);
  Cuda limited(first->device(), PoolOptions{.limit_bytes = 1 << 30});
  EXPECT_EQ(contexts(limited).second, &limited);
}

// A piece of work that is divided again has a third context, if the caller has three threads.
TEST_F(BesideOnCuda, HasAThirdStreamForThreeThreads) {
  const auto innermost = [&](int threads) {
    const Share own = threads;
    const ShareOfThisThread share(&own);
    std::pair<Cuda*, Cuda*> both{};
    run_concurrently(
        this->context(), [](Cuda&) {},
        [&](Cuda& other) {
          run_concurrently(
              other, [&](Cuda& context) { both.first = &context; }, [&](Cuda& third) { both.second = &third; }, 3);
        });
    return both;
  };
  const auto [of_two, also_of_two] = innermost(2);
  EXPECT_EQ(of_two, also_of_two);
  const auto [second, third] = innermost(3);
  EXPECT_EQ(second, of_two);
  EXPECT_NE(third->stream(), second->stream());
  EXPECT_NE(third->stream(), this->context().stream());
  EXPECT_EQ(statistics_with_beside(this->context()).spilled_bytes, this->context().pool().statistics().spilled_bytes);
}

// In a batch each recording has a share of the processors.
TEST_F(BesideOnCuda, AThreadWithAShareOfOneDoesBothWithItsOwnContext) {
  const Share one = 1;
  const ShareOfThisThread share(&one);
  Cuda cuda(this->context().device(), PoolOptions{});
  std::vector<const Cuda*> contexts;
  std::vector<std::thread::id> threads;
  const auto work = [&](Cuda& context) {
    contexts.push_back(&context);
    threads.push_back(std::this_thread::get_id());
  };
  run_concurrently(cuda, work, work);
  EXPECT_EQ(contexts, std::vector<const Cuda*>(2, &cuda));
  EXPECT_EQ(threads, std::vector(2, std::this_thread::get_id()));
  EXPECT_EQ(statistics_with_beside(cuda).spilled_bytes, 0);
  EXPECT_EQ(cuda.beside_if_made(), nullptr) << "a second context takes memory";
}

TEST_F(BesideOnCuda, MemoryThatIsStillHeldIsAnError) {
  std::optional<Buffer<float, Cuda>> left;
  EXPECT_THROW(run_concurrently(
                   this->context(), [](Cuda&) {}, [&](Cuda& other) { left.emplace(other, 100); }),
               Error);
  left.reset();
  EXPECT_NO_THROW(run_concurrently(
      this->context(), [](Cuda&) {}, [](Cuda&) {}));
}
#endif

}  // namespace
}  // namespace beatscan
