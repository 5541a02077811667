#include "kernels/lists/bits.h"
#include "kernels/runtime/launch.cuh"
#include "kernels/templates/shape_distances.h"
#include "kernels/templates/shape_distances_common.h"

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

}  // namespace beatscan
