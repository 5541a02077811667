#include "kernels/lists/bits.h"

#include <cub/block/block_scan.cuh>
#include <cub/device/device_scan.cuh>

#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

constexpr int kSumThreads = 1024, kOfAThread = 8;
constexpr std::int64_t kShort = 8 * kSumThreads * kOfAThread;  // the most counts that one block sums

// One block works on all counts, a part at a time.
__global__ void __launch_bounds__(kSumThreads) short_sum_kernel(std::uint32_t* counts, int size) {
  using Scan = cub::BlockScan<std::uint32_t, kSumThreads>;
  __shared__ Scan::TempStorage scratch;
  std::uint32_t before = 0;
  for (int part = 0; part < size; part += kSumThreads * kOfAThread) {
    const int first = part + static_cast<int>(threadIdx.x) * kOfAThread;
    std::uint32_t own[kOfAThread], sum;
    for (int k = 0; k < kOfAThread; ++k) own[k] = first + k < size ? counts[first + k] : 0;
    Scan(scratch).ExclusiveSum(own, own, sum);
    for (int k = 0; k < kOfAThread; ++k)
      if (first + k < size) counts[first + k] = before + own[k];
    before += sum;
    __syncthreads();  // the next part uses the scratch memory again
  }
}

}  // namespace

// Up to kShort counts are summed by a kernel of our own: CUB launches two, under the runtime's lock (launch.cuh), and
// needs scratch memory.
void exclusive_sum(Cuda& cuda, std::span<std::uint32_t> counts) {
  const auto size = static_cast<std::int64_t>(counts.size());
  if (size <= kShort) return launch(cuda, {1, kSumThreads}, short_sum_kernel, counts.data(), static_cast<int>(size));
  with_scratch(cuda, [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), counts.data(), size, cuda.stream());
  });
}

namespace {

// One thread counts one word. One more thread writes 0, so that the last of the running sums is the total.
__global__ void count_kernel(const std::uint32_t* __restrict__ words, std::int64_t size, Pick pick,
                             std::uint32_t* __restrict__ counts) {
  const std::int64_t i = global_thread();
  if (i <= size) counts[i] = i < size ? __popc(picked_bits(words, size, i, pick)) : 0;
}

__global__ void fill_kernel(const std::uint32_t* __restrict__ words, std::int64_t size, Pick pick,
                            const std::uint32_t* __restrict__ offsets, std::int64_t* __restrict__ positions) {
  const std::int64_t i = global_thread();
  if (i >= size) return;
  std::int64_t* out = positions + offsets[i];
  for (std::uint32_t bits = picked_bits(words, size, i, pick); bits; bits &= bits - 1)
    *out++ = i * 32 + __ffs(static_cast<int>(bits)) - 1;
}

// One thread handles one byte, so one warp makes one word.
__global__ void mark_kernel(const std::uint8_t* __restrict__ bytes, std::int64_t n, std::uint8_t value,
                            std::uint32_t* __restrict__ words) {
  const std::int64_t i = global_thread();
  const std::uint32_t word = __ballot_sync(~0u, i < n && bytes[i] == value);
  if (i < n && i % 32 == 0) words[i / 32] = word;
}

}  // namespace

Buffer<std::int64_t, Cuda> positions(Cuda& cuda, std::span<const std::uint32_t> words, Pick pick) {
  const auto size = static_cast<std::int64_t>(words.size());
  Buffer<std::uint32_t, Cuda> offsets(cuda, size + 1);
  launch(cuda, {blocks_for(size + 1)}, count_kernel, words.data(), size, pick, offsets.data());
  exclusive_sum(cuda, offsets);
  Buffer<std::int64_t, Cuda> result(cuda, fetch(cuda, offsets.data() + size));
  if (result.empty()) return result;
  launch(cuda, {blocks_for(size)}, fill_kernel, words.data(), size, pick, offsets.data(), result.data());
  return result;
}

Buffer<std::int64_t, Cuda> positions_of(Cuda& cuda, std::span<const std::uint8_t> bytes, std::uint8_t value) {
  const auto n = static_cast<std::int64_t>(bytes.size());
  Buffer<std::uint32_t, Cuda> words(cuda, words_for(n));
  launch(cuda, {blocks_for(n)}, mark_kernel, bytes.data(), n, value, words.data());
  return positions(cuda, words, Pick::every);
}

}  // namespace beatscan
