#include "kernels/waves/net_layers.h"

#include <algorithm>

#include "kernels/runtime/error.h"
#include "kernels/waves/wave_net.h"

namespace beatscan::waves {
namespace {

int taps_of(Filter filter) {
  return filter == Filter::nine_half ? ShapeOf<Filter::nine_half>::kTaps
         : filter == Filter::three   ? ShapeOf<Filter::three>::kTaps
                                     : ShapeOf<Filter::five>::kTaps;
}

template <class Call>
decltype(auto) with_shape(Filter filter, const Call& call) {
  switch (filter) {
    case Filter::nine_half:
      return call(ShapeOf<Filter::nine_half>{});
    case Filter::five:
      return call(ShapeOf<Filter::five>{});
    case Filter::five_half:
      return call(ShapeOf<Filter::five_half>{});
    case Filter::five_wide:
      return call(ShapeOf<Filter::five_wide>{});
    default:
      return call(ShapeOf<Filter::three>{});
  }
}

int term_count(Filter filter, Arrangement arrangement) {
  return with_shape(filter, [arrangement](auto shape) {
    int terms = 0;
    for (const Piece& piece : shape.kPiece) terms += piece.taps + 1;
    return arrangement == Arrangement::pairs ? terms : shape.kTaps;
  });
}

// Returns the block of 4 to 6 channels that leaves the fewest unused, of equals the largest.
int block_of(int outputs) {
  const auto padded = [&](int block) { return (outputs + block - 1) / block * block; };
  int best = 6;
  for (const int block : {5, 4})
    if (padded(block) < padded(best)) best = block;
  return best;
}

using Factors = std::vector<double>;

Factors of_two(double first, double sum, double last) { return {first, sum, last}; }
Factors of_doubled(double g0, double g1, double g2, Arrangement arrangement) {
  return arrangement == Arrangement::pairs ? of_two(g0, g0 + g1 + g2, g2) : Factors{g0, g1 + g2, g0 + g1, g2};
}
Factors of_three(double g0, double g1, double g2) { return {g0, (g0 + g1 + g2) / 2, (g0 - g1 + g2) / 2, g2}; }

// Returns the factors of one output channel for one input channel, term by term.
Factors factors_of(const float* g, Filter filter, Arrangement arrangement) {
  return with_shape(filter, [g, arrangement](auto shape) {
    if (arrangement == Arrangement::direct) return Factors(g, g + shape.kTaps);
    Factors factors;
    for (const Piece& piece : shape.kPiece) {
      const double g0 = g[piece.first], g1 = g[piece.first + piece.apart];
      const Factors more =
          piece.taps == 2 ? of_two(g0, g0 + g1, g1) : of_three(g0, g1, g[piece.first + 2 * piece.apart]);
      factors.insert(factors.end(), more.begin(), more.end());
    }
    return factors;
  });
}

void fill_up(std::vector<float>& packed) { packed.resize(in_fours(static_cast<int>(packed.size()))); }

// Appends a block of a layer, whose weights are w [outputs][inputs][taps] and the biases.
void pack_block(const NetLayer& layer, int b, const float* w, Arrangement arrangement, std::vector<float>& packed) {
  const int inputs = layer.doubled + layer.inputs, taps = taps_of(layer.filter), first = b * layer.block;
  const float* biases = w + layer.outputs * inputs * taps;
  for (int i = 0; i < layer.block; ++i) packed.push_back(first + i < layer.outputs ? biases[first + i] : 0);
  fill_up(packed);
  for (int c = 0; c < inputs; ++c) {
    std::vector<Factors> of_channel;
    for (int i = 0; i < layer.block; ++i) {
      const std::vector<float> none(taps);
      const float* g = first + i < layer.outputs ? w + ((first + i) * inputs + c) * taps : none.data();
      of_channel.push_back(c < layer.doubled ? of_doubled(g[0], g[1], g[2], arrangement)
                                             : factors_of(g, layer.filter, arrangement));
    }
    for (std::size_t term = 0; term < of_channel[0].size(); ++term)
      for (const Factors& factors : of_channel) packed.push_back(static_cast<float>(factors[term]));
    fill_up(packed);
  }
}

}  // namespace

NetPlan plan_of(const std::array<int, 4>& channels, Arrangement arrangement) {
  for (const int count : channels)
    BEATSCAN_EXPECTS(1 <= count && count <= kMostChannels, "net: number of channels out of range");
  const auto [a, b, c, d] = channels;
  NetPlan plan{};
  const auto add = [&](LayerName name, Filter filter, int doubled, int inputs, int outputs, int length) {
    const int block = block_of(outputs), blocks = (outputs + block - 1) / block;
    const int doubled_terms = arrangement == Arrangement::pairs ? kTermsOfTwo : kTermsOfDoubled;
    const int block_factors = in_fours(block) + doubled * in_fours(doubled_terms * block) +
                              inputs * in_fours(term_count(filter, arrangement) * block);
    plan.layers[name] = {filter, doubled, inputs, outputs, block, blocks, length, plan.factors, block_factors};
    plan.factors += blocks * block_factors;
  };
  add(kStem, Filter::nine_half, 0, 2, a, 160);
  add(kE1, Filter::five, 0, a, a, 160);
  add(kD2, Filter::five_half, 0, a, b, 80);
  add(kE2, Filter::five, 0, b, b, 80);
  add(kD3, Filter::five_half, 0, b, c, 40);
  add(kE3, Filter::five, 0, c, c, 40);
  add(kD4, Filter::five_half, 0, c, d, 20);
  add(kM1, Filter::five, 0, d, d, 20);
  add(kM2, Filter::five_wide, 0, d, d, 20);
  add(kU3, Filter::three, d, c, c, 40);
  add(kU2, Filter::three, c, b, b, 80);
  add(kU1, Filter::three, b, a, a, 160);
  add(kOut, Filter::three, 0, a, 2 * kMasks, 160);
  return plan;
}

ActivationPlan activation_plan(const NetPlan& plan) {
  const auto values = [&](LayerName name) { return plan.layers[name].padded() * with_pads(plan.layers[name].length); };
  const int a = values(kE1), b = values(kE2), c = values(kE3), d = values(kM1);
  ActivationPlan of{};
  const int first = std::max(2 * with_pads(kValues), a);  // the input, then e1
  const int second = first + std::max({a, b, c + std::max(c, d)});
  of.of_layer[kE1] = of.of_layer[kOut] = 0;  // there are at least 1,328 values before `second`
  of.of_layer[kStem] = of.of_layer[kD2] = of.of_layer[kD3] = of.of_layer[kD4] = of.of_layer[kM2] = first;
  of.of_layer[kE3] = first + std::max(c, d);
  of.of_layer[kU2] = first;
  of.of_layer[kE2] = of.of_layer[kU1] = second;
  of.of_layer[kM1] = of.of_layer[kU3] = second + b;
  of.values = second + std::max(a, b + std::max(c, d));
  return of;
}

std::int64_t number_of_weights(const std::array<int, 4>& channels) {
  std::int64_t count = 0;
  for (const NetLayer& layer : plan_of(channels, Arrangement::direct).layers)
    count += ((layer.doubled + layer.inputs) * taps_of(layer.filter) + 1) * layer.outputs;
  return count;
}

std::vector<float> pack(const NetModel& model, Arrangement arrangement) {
  BEATSCAN_EXPECTS(std::ssize(model.weights) == number_of_weights(model.channels), "net: wrong number of weights");
  std::vector<float> packed;
  const float* w = model.weights.data();
  for (const NetLayer& layer : plan_of(model.channels, arrangement).layers) {
    for (int b = 0; b < layer.blocks; ++b) pack_block(layer, b, w, arrangement, packed);
    w += ((layer.doubled + layer.inputs) * taps_of(layer.filter) + 1) * layer.outputs;
  }
  return packed;
}

}  // namespace beatscan::waves
