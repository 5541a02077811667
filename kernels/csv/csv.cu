#include "kernels/csv/csv.h"
#include "kernels/lists/bits.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {
namespace {

// A thread handles 32 bytes, and a block 8 KiB. Text starts on a 256-byte boundary, as each block of the pool does, so
// that threads can read whole words. Bytes past the end of the text are masked out.
constexpr int kThreadBytes = 32;
constexpr int kBlockBytes = kBlock * kThreadBytes;

// Sets a bit for each '\n' among the 32 bytes from `first` on.
__device__ std::uint32_t line_end_mask(const char* __restrict__ text, std::int64_t size, std::int64_t first) {
  if (first >= size) return 0;
  const auto* words = reinterpret_cast<const uint4*>(text + first);
  std::uint32_t mask = 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    if (first + half * 16 >= size) break;
    const uint4 quad = words[half];  // may read up to 15 bytes past the text, as far as buffers are padded
    const std::uint32_t part[4] = {quad.x, quad.y, quad.z, quad.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      // 0x80 in each byte that equals '\n', gathered into four bits
      const std::uint32_t hit = __vcmpeq4(part[i], 0x0a0a0a0au) & 0x08040201u;
      const std::uint32_t bits = (hit | hit >> 8 | hit >> 16 | hit >> 24) & 0xf;
      mask |= bits << (half * 16 + i * 4);
    }
  }
  const std::int64_t left = size - first;
  return left < 32 ? mask & ((1u << left) - 1) : mask;
}

// Returns the sum of the counts of the block's threads before this one. All threads of the block must call it.
__device__ std::uint32_t sum_of_threads_before(std::uint32_t count) {
  __shared__ std::uint32_t warp_sums[kBlock / 32];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  std::uint32_t sum = count;  // the count of the warp's lanes up to this one
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const std::uint32_t below = __shfl_up_sync(~0u, sum, step);
    if (lane >= step) sum += below;
  }
  if (lane == 31) warp_sums[warp] = sum;
  __syncthreads();
#pragma unroll
  for (int earlier = 0; earlier < kBlock / 32; ++earlier)
    if (earlier < warp) sum += warp_sums[earlier];
  return sum - count;
}

__global__ void count_line_ends_kernel(const char* __restrict__ text, std::int64_t size,
                                       std::uint32_t* __restrict__ counts) {
  const std::uint32_t own = __popc(line_end_mask(text, size, global_thread() * kThreadBytes));
  const std::uint32_t before = sum_of_threads_before(own);
  if (threadIdx.x == kBlock - 1) counts[blockIdx.x] = before + own;
}

// Writes the positions of the line ends. offsets[block] is the number of line ends before the block's bytes.
__global__ void fill_row_ends_kernel(const char* __restrict__ text, std::int64_t size,
                                     const std::uint32_t* __restrict__ offsets, std::uint32_t* __restrict__ row_ends,
                                     std::int64_t rows) {
  const std::int64_t first = global_thread() * kThreadBytes;
  std::uint32_t mask = line_end_mask(text, size, first);
  std::uint32_t row = offsets[blockIdx.x] + sum_of_threads_before(__popc(mask));
  for (; mask && row < rows; mask &= mask - 1)
    row_ends[row++] = static_cast<std::uint32_t>(first + __ffs(static_cast<int>(mask)) - 1);
  if (first == 0) row_ends[rows - 1] = static_cast<std::uint32_t>(size);
}

// One thread parses one row. A warp's rows are neighbours in memory, so its byte reads fall into a few cache lines.
__global__ void parse_column_kernel(const char* __restrict__ text, const std::uint32_t* __restrict__ row_ends,
                                    std::int64_t rows, CsvLayout layout, std::int64_t first_row,
                                    float* __restrict__ values, CsvFindings* __restrict__ findings) {
  const std::int64_t row = global_thread();
  ParsedRow parsed{RowFault::none, false, 0, nullptr, nullptr, 0};
  if (row < rows) {
    const char* begin = text + (row == 0 ? 0 : row_ends[row - 1] + 1);
    parsed = parse_row(begin, text + row_ends[row], layout);
    values[row] = parsed.fault == RowFault::none ? parsed.value : bad_value(parsed.fault);
  }
  // Missing and bad rows are rare, so a warp makes an atomic operation only if it has any.
  const unsigned missing = __ballot_sync(~0u, parsed.missing);
  const unsigned bad = __ballot_sync(~0u, parsed.fault != RowFault::none);
  if ((threadIdx.x & 31) != 0) return;
  auto* counters = reinterpret_cast<unsigned long long*>(findings);
  if (bad) {
    atomicMin(counters, static_cast<unsigned long long>(first_row + row + __ffs(bad) - 1));
    atomicAdd(counters + 2, static_cast<unsigned long long>(__popc(bad)));
  }
  if (missing) atomicAdd(counters + 1, static_cast<unsigned long long>(__popc(missing)));
}

// Counts the line ends before each block of kBlockBytes. The last element is the number of all line ends.
Buffer<std::uint32_t, Cuda> line_end_offsets(Cuda& cuda, std::span<const char> text) {
  const auto size = static_cast<std::int64_t>(text.size());
  const unsigned blocks = blocks_for(size, kBlockBytes);
  Buffer<std::uint32_t, Cuda> offsets(cuda, blocks + 1);
  zero_bytes(cuda, offsets.data() + blocks, sizeof(std::uint32_t));
  launch(cuda, {blocks}, count_line_ends_kernel, text.data(), size, offsets.data());
  exclusive_sum(cuda, offsets);
  return offsets;
}

}  // namespace

void find_row_ends(Cuda& cuda, std::span<const char> text, std::span<std::uint32_t> row_ends) {
  BEATSCAN_EXPECTS(text.size() < (std::uint64_t{1} << 32), "find_row_ends: text of 4 GiB or more");
  BEATSCAN_EXPECTS(!row_ends.empty(), "find_row_ends: row_ends is not [rows]");
  const auto size = static_cast<std::int64_t>(text.size());
  const auto offsets = line_end_offsets(cuda, text);
  launch(cuda, {blocks_for(size, kBlockBytes)}, fill_row_ends_kernel, text.data(), size, offsets.data(),
         row_ends.data(), static_cast<std::int64_t>(row_ends.size()));
}

void parse_column(Cuda& cuda, std::span<const char> text, std::span<const std::uint32_t> row_ends, CsvLayout layout,
                  std::int64_t first_row, std::span<float> values, std::span<CsvFindings> findings) {
  static_assert(sizeof(CsvFindings) == 24, "the kernel counts in three 64-bit words");
  BEATSCAN_EXPECTS(values.size() == row_ends.size(), "parse_column: values and row_ends differ in length");
  BEATSCAN_EXPECTS(findings.size() == 1, "parse_column: findings is not [1]");
  if (values.empty()) return;
  const auto rows = static_cast<std::int64_t>(values.size());
  launch(cuda, {blocks_for(rows)}, parse_column_kernel, text.data(), row_ends.data(), rows, layout, first_row,
         values.data(), findings.data());
}

}  // namespace beatscan
