// tests/support/backends.h — tests that run on every back end, and the signals they share.
//
//   template <class Context> using Peaks = OnBackend<Context>;
//   TYPED_TEST_SUITE(Peaks, Backends, BackendNames);
//   TYPED_TEST(Peaks, ...) { auto x = from_host(this->context(), samples); ... }
//
// Cuda cases are skipped without a GPU. They fail instead if the environment has BEATSCAN_REQUIRE_GPU=1. All tests of a
// process share one context for each back end. After the last test the Cuda pool must hold nothing.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/runtime/context.h"
#ifdef BEATSCAN_WITH_CUDA
#include "kernels/runtime/pool.h"
#endif

namespace beatscan {

#ifdef BEATSCAN_WITH_CUDA
using Backends = testing::Types<Cpu, Cuda>;
#else
using Backends = testing::Types<Cpu>;
#endif

struct BackendNames {
  template <class Context>
  static std::string GetName(int) {
    return std::is_same_v<Context, Cpu> ? "Cpu" : "Cuda";
  }
};

inline bool gpu_is_required() {
  const char* required = std::getenv("BEATSCAN_REQUIRE_GPU");
  return required && std::string_view(required) == "1";
}

// Four threads, also on fewer cores, so that work is always divided.
inline Cpu& shared_context(std::type_identity<Cpu>) {
  static Cpu cpu(4);
  return cpu;
}

#ifdef BEATSCAN_WITH_CUDA
inline std::unique_ptr<Cuda> shared_cuda;

inline Cuda& shared_context(std::type_identity<Cuda>) {
  if (!shared_cuda) shared_cuda = std::make_unique<Cuda>(cuda_availability().first_usable());
  return *shared_cuda;
}

class NothingLeftInPool : public testing::Environment {
  void TearDown() override {
    if (!shared_cuda) return;
    EXPECT_EQ(shared_cuda->pool().held_bytes(), 0) << "a buffer outlived the tests";
    shared_cuda.reset();
  }
};
inline testing::Environment* const nothing_left_in_pool = testing::AddGlobalTestEnvironment(new NothingLeftInPool);
#endif

template <class Context>
class OnBackend : public testing::Test {
 protected:
  void SetUp() override {
    if (std::is_same_v<Context, Cpu>) return;
    const CudaAvailability availability = cuda_availability();
    if (availability.devices > 0) return;
    if (gpu_is_required()) FAIL() << "BEATSCAN_REQUIRE_GPU=1, but: " << availability.reason;
    GTEST_SKIP() << "needs a GPU: " << availability.reason;
  }
  Context& context() { return shared_context(std::type_identity<Context>{}); }
};

// Sizes below, at and above one block of work, and several blocks with a remainder.
inline std::vector<std::int64_t> sizes_around(std::int64_t block) {
  return {1, block - 1, block, block + 1, 5 * block + 7};
}

// A signal with few distinct values, because implementations treat ties differently.
template <class Real = float>
std::vector<Real> random_signal(std::int64_t n, std::uint64_t seed, int distinct = 7) {
  std::mt19937_64 random(seed);
  std::vector<Real> x(n);
  for (Real& value : x) value = static_cast<Real>(static_cast<int>(random() % distinct) - distinct / 2) / 2;
  return x;
}

template <class T>
std::string shape_and_seed(const char* what, T n, std::uint64_t seed) {
  return std::string(what) + "=" + std::to_string(n) + " seed=" + std::to_string(seed);
}

// Bits from a set of positions. Does not use kernels/lists/bits.h.
inline std::vector<std::uint32_t> words_of(const std::vector<bool>& set) {
  std::vector<std::uint32_t> words((set.size() + 31) / 32);
  for (std::size_t i = 0; i < set.size(); ++i)
    if (set[i]) words[i / 32] |= 1u << i % 32;
  return words;
}

// Compares bits: -0 differs from 0, and a NaN is equal to itself.
inline std::vector<std::uint32_t> bits_of(const std::vector<float>& values) {
  std::vector<std::uint32_t> bits;
  for (const float value : values) bits.push_back(value == value ? std::bit_cast<std::uint32_t>(value) : 0x7fc00000u);
  return bits;
}

}  // namespace beatscan
