// kernels/model/vae_mma.cuh — float32 products on tensor cores, and the places of their factors in shared memory.
//
// mma m16n8k8 multiplies a 16 x 8 by an 8 x 8 matrix in TF32, which has 11 bits of mantissa. Every factor is split into
// two such parts, and three of the four products are summed. This gives float32's accuracy: 2^-21 is dropped. The PTX
// manual says which lane holds which element (r = lane / 4, q = lane % 4):
//   a[0..3]: (r, q), (r + 8, q), (r, q + 4), (r + 8, q + 4)     b[0..1]: (q, r), (q + 4, r)
//   d[0..3]: (r, 2q), (r, 2q + 1), (r + 8, 2q), (r + 8, 2q + 1)
// A product waits for the one before it into the same d, and a multiprocessor has few warps here to fill that time.
// Therefore long sums are divided into several chains. The order of the inner index is free, and so is the choice of
// the points of time that a tile takes: they are chosen so that a lane reads and gets consecutive points. Shared memory
// holds vectors of 4 points ("quads"). The functions named quad_of_... permute them within a channel so that few lanes
// meet in a bank.
#pragma once

#include "kernels/model/vae_warp.cuh"

namespace beatscan::vae {

__device__ inline int lane_row() { return lane_id() / 4; }
__device__ inline int lane_column() { return lane_id() % 4; }

struct Split {
  std::uint32_t high, low;
};
__device__ inline Split split(float x) {
  const std::uint32_t high = __float_as_uint(x) & 0xffffe000u;
  return {high, __float_as_uint(x - __uint_as_float(high))};
}

__device__ inline void multiply_add_tf32(float (&d)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
                                         std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// d += a b
__device__ inline void multiply_add(float (&d)[4], Split a0, Split a1, Split a2, Split a3, Split b0, Split b1) {
  multiply_add_tf32(d, a0.low, a1.low, a2.low, a3.low, b0.high, b1.high);
  multiply_add_tf32(d, a0.high, a1.high, a2.high, a3.high, b0.low, b1.low);
  multiply_add_tf32(d, a0.high, a1.high, a2.high, a3.high, b0.high, b1.high);
}

// --- the place of a channel's quad in shared memory, as an index of float4
__device__ inline int quad_of_half0(int channel, int quad) {
  return channel * 32 + (quad ^ channel ^ (channel & 1) << 2);
}
__device__ inline int quad_of_dy1(int channel, int quad) {
  return channel * 32 + (quad ^ quad >> 3 ^ (channel & 1) << 2 ^ (channel >> 1 & 1));
}
__device__ inline int quad_of_half1(int channel, int quad) {
  return channel * 16 + (quad ^ (channel & 1) << 2 ^ (channel >> 1 & 1) ^ quad >> 3 << 1);
}
__device__ inline int quad_of_dhalf1(int channel, int quad) {
  return channel * 16 + (quad ^ channel >> 1 << 1 ^ quad >> 3 ^ (channel & 1) << 1);
}
__device__ inline int quad_of_dy2(int channel, int quad) {
  return channel * 16 + (quad ^ (channel & 1) << 2 ^ (channel & 2) ^ quad >> 3);
}

template <int N>
__device__ void put(float (&target)[N], int first, float4 quad) {
  target[first] = quad.x, target[first + 1] = quad.y, target[first + 2] = quad.z, target[first + 3] = quad.w;
}
template <int N>
__device__ float4 quad_at(const float (&source)[N], int first) {
  return make_float4(source[first], source[first + 1], source[first + 2], source[first + 3]);
}

// Returns a quad with the points next to it. The quads of 16 points lie side by side in lane columns 0 to 3. `before`
// and `behind` are this lane's quads of the 16 points before and after.
__device__ inline void with_neighbours(float4 before, float4 quad, float4 behind, float (&points)[6]) {
  const int q = lane_column(), lane = lane_id();
  points[0] = __shfl_sync(kAllLanes, q == 3 ? before.w : quad.w, q == 0 ? lane + 3 : lane - 1);
  put(points, 1, quad);
  points[5] = __shfl_sync(kAllLanes, q == 0 ? behind.x : quad.x, q == 3 ? lane - 3 : lane + 1);
}

// The last points of the lane row before and the first points of the lane row after. A lane has points in the lower
// and in the upper half of a channel, and row 0 of the upper half follows row 7 of the lower.
struct HalfNeighbours {
  float lower_before, lower_behind, upper_before, upper_behind;
  __device__ HalfNeighbours(float lower_first, float lower_last, float upper_first, float upper_last) {
    const int r = lane_row(), before = (lane_id() + 28) % 32, behind = (lane_id() + 4) % 32;
    const float a = __shfl_sync(kAllLanes, lower_last, before), b = __shfl_sync(kAllLanes, upper_last, before);
    const float c = __shfl_sync(kAllLanes, lower_first, behind), d = __shfl_sync(kAllLanes, upper_first, behind);
    lower_before = r > 0 ? a : 0.0f;
    upper_before = r > 0 ? b : a;
    lower_behind = r < 7 ? c : d;
    upper_behind = r < 7 ? d : 0.0f;
  }
};

}  // namespace beatscan::vae
