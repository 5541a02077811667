// kernels/waves/net_layers.h — the net's layers: shapes of filters, and the order of the factors that outputs are sums
// of.
//
// The GPU multiplies each value with the filter's taps. There is one trick: three taps g on a signal with every value
// twice are two on the signal itself, g0 and g1 + g2 for even outputs, g0 + g1 and g2 for odd ones. That leaves 267,360
// products a window of 286,240.
//
// On the CPU it pays to save products. Two outputs y0 and y1, whose inputs lie one `step` apart, are made of four sums
// a over all input channels:
//   y0 = a0 + a1 + a2,  y1 = a1 - a2 + a3
// A filter is cut into pieces of three and of two taps g on inputs d (Winograd's F(2, 3) and F(2, 2)):
//   three taps  a0 += g0 (d0 - d2)        a1 += (g0 + g1 + g2)/2 (d1 + d2)
//               a2 += (g0 - g1 + g2)/2 (d2 - d1)        a3 += g2 (d3 - d1)
//   two taps    a0 += g0 (d0 - d1)        a1 += (g0 + g1) d1        a3 += g1 (d2 - d1)
// Three taps on a signal with every value twice are two taps g0 and g2 with g0 + g1 + g2 in the place of g0 + g1. So a
// pair takes 7 products in place of 10 (5 taps), 4 in place of 6 (3 taps), 3 in place of 6 (doubled): 187,360 a window.
// The differences of d serve all output channels. The factors of g are computed in double.
#pragma once

#include <array>
#include <vector>

#include "kernels/runtime/portable.h"
#include "kernels/waves/window.h"

namespace beatscan::waves {

// Filters by taps, stride and dilation: 9 taps at stride 2; 5 taps; at stride 2; with dilation 2; 3 taps.
enum class Filter : int { nine_half, five, five_half, five_wide, three };

// Some taps of a filter: `taps` of them from `first` on, `apart` from each other. The inputs begin at `place`, from the
// input of y0 with the same index (twice that at stride 2), and are `step` apart.
struct Piece {
  int taps, first, apart, place, step;
};

template <Filter>
struct ShapeOf;
template <>
struct ShapeOf<Filter::nine_half> {
  static constexpr int kTaps = 9, kStride = 2, kApart = 1, kPieces = 4;
  static constexpr Piece kPiece[] = {{3, 0, 2, -4, 2}, {2, 6, 2, 2, 2}, {2, 1, 2, -3, 2}, {2, 5, 2, 1, 2}};
};
template <>
struct ShapeOf<Filter::five> {
  static constexpr int kTaps = 5, kStride = 1, kApart = 1, kPieces = 2;
  static constexpr Piece kPiece[] = {{3, 0, 1, -2, 1}, {2, 3, 1, 1, 1}};
};
template <>
struct ShapeOf<Filter::five_half> {
  static constexpr int kTaps = 5, kStride = 2, kApart = 1, kPieces = 2;
  static constexpr Piece kPiece[] = {{3, 0, 2, -2, 2}, {2, 1, 2, -1, 2}};
};
template <>
struct ShapeOf<Filter::five_wide> {  // y1 is two values after y0
  static constexpr int kTaps = 5, kStride = 1, kApart = 2, kPieces = 2;
  static constexpr Piece kPiece[] = {{3, 0, 1, -4, 2}, {2, 3, 1, 2, 2}};
};
template <>
struct ShapeOf<Filter::three> {
  static constexpr int kTaps = 3, kStride = 1, kApart = 1, kPieces = 1;
  static constexpr Piece kPiece[] = {{3, 0, 1, -1, 1}};
};

inline constexpr int kTermsOfTwo = 3;      // of doubled channels in pairs
inline constexpr int kTermsOfDoubled = 4;  // directly: g0, g1 + g2, g0 + g1, g2

template <Filter filter>
BEATSCAN_HOST_DEVICE constexpr int terms_of() {
  int terms = 0;
  for (int p = 0; p < ShapeOf<filter>::kPieces; ++p) terms += ShapeOf<filter>::kPiece[p].taps + 1;
  return terms;
}

// To which of the four sums the terms belong.
template <int Terms>
struct SumsOf {
  int of[Terms];
};
BEATSCAN_HOST_DEVICE constexpr SumsOf<kTermsOfTwo> sums_of_two() { return {{0, 1, 3}}; }
template <Filter filter>
BEATSCAN_HOST_DEVICE constexpr SumsOf<terms_of<filter>()> sums_of() {
  SumsOf<terms_of<filter>()> sums{};
  int term = 0;
  for (int p = 0; p < ShapeOf<filter>::kPieces; ++p) {
    const int taps = ShapeOf<filter>::kPiece[p].taps;
    for (int i = 0; i <= taps; ++i) sums.of[term++] = taps == 3 ? i : sums_of_two().of[i];
  }
  return sums;
}

// Computes what is multiplied with the factors of two taps, from the inputs load(place), load(place + step) ...
template <class Value, class Load>
BEATSCAN_INLINE_BOTH void terms_of_two(const Load& load, int place, int step, Value* terms) {
  const Value d1 = load(place + step);
  terms[0] = load(place) - d1;
  terms[1] = d1;
  terms[2] = load(place + 2 * step) - d1;
}

// Computes the terms of a filter, piece by piece.
template <Filter filter, int P = 0, int Term = 0, class Value, class Load>
BEATSCAN_INLINE_BOTH void terms_of(const Load& load, Value* terms) {
  if constexpr (P < ShapeOf<filter>::kPieces) {
    constexpr Piece piece = ShapeOf<filter>::kPiece[P];
    if constexpr (piece.taps == 2) {
      terms_of_two(load, piece.place, piece.step, terms + Term);
    } else {
      const Value d1 = load(piece.place + piece.step), d2 = load(piece.place + 2 * piece.step);
      terms[Term] = load(piece.place) - d2;
      terms[Term + 1] = d1 + d2;
      terms[Term + 2] = d2 - d1;
      terms[Term + 3] = load(piece.place + 3 * piece.step) - d1;
    }
    terms_of<filter, P + 1, Term + piece.taps + 1>(load, terms);
  }
}

// How outputs are computed: pairs of them by the four sums above, or each one directly.
enum class Arrangement { pairs, direct };

// One layer. Its outputs are computed in blocks of 4 to 6 channels; the last block may have channels of zeros. Factors
// lie block after block: the block's biases, then for each doubled input channel, and for each other one, the factors
// [term][channel of the block]; each of these is filled up to a multiple of four floats. A term is one of the products
// above, or a tap.
struct NetLayer {
  Filter filter;
  int doubled, inputs;  // channels
  int outputs;
  int block, blocks;           // channels of a block
  int length;                  // values of the output
  int factors, block_factors;  // the layer's first factor, and how many a block has

  BEATSCAN_HOST_DEVICE int padded() const { return block * blocks; }
};
inline constexpr int kLayers = 13;
enum LayerName : int { kStem, kE1, kD2, kE2, kD3, kE3, kD4, kM1, kM2, kU3, kU2, kU1, kOut };
struct NetPlan {
  NetLayer layers[kLayers];
  int factors;  // of all layers
};

BEATSCAN_HOST_DEVICE constexpr int in_fours(int count) { return (count + 3) / 4 * 4; }

NetPlan plan_of(const std::array<int, 4>& channels, Arrangement arrangement);

// Activations of a channel have so many zeros on either side, as far as filters reach.
inline constexpr int kPad = 4;
BEATSCAN_HOST_DEVICE constexpr int with_pads(int length) { return length + 2 * kPad; }

// Where activations lie, in values of one window. Layers that are not needed at the same time share memory, so each
// layer writes the zeros next to its channels. The input is at 0, with its pads.
struct ActivationPlan {
  int of_layer[kLayers];
  int values;  // of all
};
ActivationPlan activation_plan(const NetPlan& plan);

// Returns the factors of all layers, from the weights of a model. Throws ErrorKind::internal if their number is wrong.
struct NetModel;
std::vector<float> pack(const NetModel& model, Arrangement arrangement);

}  // namespace beatscan::waves
