#include "kernels/templates/shape_distances.h"

#include "kernels/lists/bits.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

namespace {

constexpr int kTile = 32;                             // shapes on either side of a tile of products
constexpr int kWarps = 8;                             // of a block
constexpr int kColumns = kTile / kWarps;              // products of a thread
constexpr int kWords = kShapePoints / 2;              // values of one lead, two in a word
constexpr int kLoads = kTile * kWords / 32 / kWarps;  // words that a lane loads of one lead of a tile

struct ShapeSide {
  const std::uint32_t* words;  // [count][width / 2]
  const std::int64_t* squares;
  std::int64_t count;
};

ShapeSide side_of(const ShapeList& shapes) {
  return {reinterpret_cast<const std::uint32_t*>(shapes.values.data()), shapes.squares.data(),
          static_cast<std::int64_t>(shapes.squares.size())};
}

// One lead of a tile's shapes. The pad puts the words of one column into 32 banks.
struct TileMemory {
  std::uint32_t rows[kTile][kWords + 1], columns[kTile][kWords + 1];
};

__device__ int product_of_pairs(std::uint32_t a, std::uint32_t b) {
  return static_cast<short>(a & 0xffff) * static_cast<short>(b & 0xffff) +
         (static_cast<int>(a) >> 16) * (static_cast<int>(b) >> 16);
}

__device__ void load_lead(const ShapeSide& side, std::int64_t first, int lead, int leads,
                          std::uint32_t (&tile)[kTile][kWords + 1]) {
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const int row = i * kWarps + static_cast<int>(threadIdx.y), word = static_cast<int>(threadIdx.x);
    tile[row][word] = first + row < side.count ? side.words[((first + row) * leads + lead) * kWords + word] : 0;
  }
}

// The block computes the products of kTile rows and kTile columns. Lane x of warp y has row x and kColumns columns from
// y * kColumns on.
__device__ void tile_products(const ShapeSide& rows, std::int64_t first_row, const ShapeSide& columns,
                              std::int64_t first_column, int leads, TileMemory& memory,
                              std::int64_t (&products)[kColumns]) {
  static_assert(kWords == 32, "a lane loads one word of each row");
#pragma unroll
  for (int c = 0; c < kColumns; ++c) products[c] = 0;
  for (int lead = 0; lead < leads; ++lead) {
    __syncthreads();
    load_lead(rows, first_row, lead, leads, memory.rows);
    load_lead(columns, first_column, lead, leads, memory.columns);
    __syncthreads();
    int sums[kColumns] = {};
#pragma unroll 8
    for (int word = 0; word < kWords; ++word) {
      const std::uint32_t row = memory.rows[threadIdx.x][word];
#pragma unroll
      for (int c = 0; c < kColumns; ++c)
        sums[c] += product_of_pairs(row, memory.columns[threadIdx.y * kColumns + c][word]);
    }
#pragma unroll
    for (int c = 0; c < kColumns; ++c) products[c] += sums[c];
  }
}

// A block finds the nearest centres of kTile shapes. Each warp has its share of the centres; then the first warp
// chooses among the warps' finds. Of equal distances the lowest centre wins.
__global__ void nearest_shapes_kernel(ShapeSide shapes, ShapeSide centres, int leads, double floor,
                                      std::uint8_t* __restrict__ nearest, float* __restrict__ distances) {
  __shared__ TileMemory memory;
  __shared__ float found_distance[kWarps][kTile];
  __shared__ int found_centre[kWarps][kTile];
  const std::int64_t first_row = static_cast<std::int64_t>(blockIdx.x) * kTile, row = first_row + threadIdx.x;
  float least = INFINITY;
  int best = static_cast<int>(kMostCentres);
  for (std::int64_t first = 0; first < centres.count; first += kTile) {
    std::int64_t products[kColumns];
    tile_products(shapes, first_row, centres, first, leads, memory, products);
#pragma unroll
    for (int c = 0; c < kColumns; ++c) {
      const std::int64_t k = first + threadIdx.y * kColumns + c;
      if (row >= shapes.count || k >= centres.count) continue;
      const float distance = distance_of_squares(shapes.squares[row], centres.squares[k], products[c], floor);
      if (!(distance < least)) continue;
      least = distance;
      best = static_cast<int>(k);
    }
  }
  found_distance[threadIdx.y][threadIdx.x] = least;
  found_centre[threadIdx.y][threadIdx.x] = best;
  __syncthreads();
  if (threadIdx.y != 0 || row >= shapes.count) return;
  for (int warp = 1; warp < kWarps; ++warp) {
    const float distance = found_distance[warp][threadIdx.x];
    const int centre = found_centre[warp][threadIdx.x];
    if (distance < least || (distance == least && centre < best)) {
      least = distance;
      best = centre;
    }
  }
  nearest[row] = static_cast<std::uint8_t>(best);
  distances[row] = least;
}

// A block computes one word of neighbours of each of kTile shapes.
__global__ void shape_neighbours_kernel(ShapeSide shapes, int leads, double floor, float radius, std::int64_t words,
                                        std::uint32_t* __restrict__ neighbours) {
  __shared__ TileMemory memory;
  __shared__ std::uint32_t found[kTile];
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kTile + threadIdx.x;
  if (threadIdx.y == 0) found[threadIdx.x] = 0;
  std::int64_t products[kColumns];
  tile_products(shapes, row - threadIdx.x, shapes, static_cast<std::int64_t>(blockIdx.y) * kTile, leads, memory,
                products);
  std::uint32_t bits = 0;
#pragma unroll
  for (int c = 0; c < kColumns; ++c) {
    const int place = static_cast<int>(threadIdx.y) * kColumns + c;
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.y) * kTile + place;
    if (row < shapes.count && column < shapes.count &&
        distance_of_squares(shapes.squares[row], shapes.squares[column], products[c], floor) < radius)
      bits |= 1u << place;
  }
  atomicOr(&found[threadIdx.x], bits);
  __syncthreads();
  if (threadIdx.y == 0 && row < shapes.count) neighbours[row * words + blockIdx.y] = found[threadIdx.x];
}

}  // namespace

void nearest_shapes(Cuda& cuda, ShapeList shapes, ShapeList centres, std::int64_t width, double floor,
                    std::span<std::uint8_t> nearest, std::span<float> distances) {
  const auto count = static_cast<std::int64_t>(nearest.size());
  check_nearest_shapes(shapes, centres, width, count, static_cast<std::int64_t>(distances.size()));
  if (count == 0) return;
  launch(cuda, {blocks_for(count, kTile), dim3(kTile, kWarps)}, nearest_shapes_kernel, side_of(shapes),
         side_of(centres), static_cast<int>(width / kShapePoints), floor, nearest.data(), distances.data());
}

void shape_neighbours(Cuda& cuda, ShapeList shapes, std::int64_t width, double floor, float radius,
                      std::span<std::uint32_t> neighbours) {
  check_shape_neighbours(shapes, width, static_cast<std::int64_t>(neighbours.size()));
  const auto count = static_cast<std::int64_t>(shapes.squares.size()), words = words_for(count);
  if (count == 0) return;
  const dim3 grid(blocks_for(count, kTile), static_cast<unsigned>(words));
  launch(cuda, {grid, dim3(kTile, kWarps)}, shape_neighbours_kernel, side_of(shapes),
         static_cast<int>(width / kShapePoints), floor, radius, words, neighbours.data());
}

namespace {

constexpr int kPart = 64;         // points of a row that a block adds up, one a thread
constexpr int kBlockBeats = 128;  // beats of a block

__device__ void add_to(std::int64_t* sum, std::int64_t value) {
  if (value != 0) atomicAdd(reinterpret_cast<unsigned long long*>(sum), static_cast<unsigned long long>(value));
}

// A thread adds up one point of the block's beats, apart for each group, and then adds its sums to those of the other
// blocks. Integers may be added in any order.
template <class T>
__global__ void group_sums_kernel(const T* __restrict__ rows, const std::uint8_t* __restrict__ groups,
                                  std::int64_t beats, std::int64_t width, int count, std::int64_t* __restrict__ sums,
                                  std::int64_t* __restrict__ counts) {
  __shared__ std::int64_t part[kMostGroups][kPart];
  __shared__ std::int64_t part_counts[kMostGroups];
  for (int k = 0; k < count; ++k) part[k][threadIdx.x] = 0;
  if (threadIdx.x < kMostGroups) part_counts[threadIdx.x] = 0;
  __syncthreads();
  const std::int64_t j = static_cast<std::int64_t>(blockIdx.y) * kPart + threadIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kBlockBeats;
#pragma unroll 4
  for (int i = 0; i < kBlockBeats; ++i) {
    const std::int64_t b = first + i;
    const int group = b < beats ? groups[b] : kNoGroup;
    if (group >= count) continue;
    if (j < width) part[group][threadIdx.x] += sum_value(rows[b * width + j]);
    if (threadIdx.x == 0 && blockIdx.y == 0) ++part_counts[group];
  }
  if (j < width)
    for (int k = 0; k < count; ++k) add_to(sums + k * width + j, part[k][threadIdx.x]);
  if (threadIdx.x != 0 || blockIdx.y != 0) return;
  for (int k = 0; k < count; ++k) add_to(counts + k, part_counts[k]);
}

}  // namespace

template <class T>
void group_sums(Cuda& cuda, std::span<const T> rows, std::span<const std::uint8_t> groups, std::span<std::int64_t> sums,
                std::span<std::int64_t> counts) {
  const auto beats = static_cast<std::int64_t>(groups.size());
  const auto width = check_group_sums(static_cast<std::int64_t>(rows.size()), beats,
                                      static_cast<std::int64_t>(sums.size()), static_cast<std::int64_t>(counts.size()));
  zero_bytes(cuda, sums.data(), sums.size_bytes());
  zero_bytes(cuda, counts.data(), counts.size_bytes());
  if (beats == 0) return;
  const dim3 grid(blocks_for(beats, kBlockBeats), blocks_for(width, kPart));
  launch(cuda, {grid, kPart}, group_sums_kernel<T>, rows.data(), groups.data(), beats, width,
         static_cast<int>(counts.size()), sums.data(), counts.data());
}
template void group_sums(Cuda&, std::span<const std::int16_t>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);
template void group_sums(Cuda&, std::span<const float>, std::span<const std::uint8_t>, std::span<std::int64_t>,
                         std::span<std::int64_t>);

}  // namespace beatscan
