#include "kernels/waves/wave_net.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"
#include "kernels/waves/net_functions.h"
#include "kernels/waves/net_layers.h"

namespace beatscan::waves {
namespace {

// The channels of a layer's output for W windows in parallel: value t of channel c is row(c)[t], with kPad zeros on
// either side.
template <int W>
struct Plane {
  Floats<W>* values;
  int length;

  BEATSCAN_INLINE Floats<W>* row(int channel) const { return values + channel * with_pads(length) + kPad; }
  BEATSCAN_INLINE void write_pads(int channel) const {
    for (int t = 1; t <= kPad; ++t) row(channel)[-t] = row(channel)[length - 1 + t] = Floats<W>{};
  }
};

// Loads the value that is so many places from an output's own.
template <int W>
struct LoadFrom {
  const Floats<W>* origin;
  BEATSCAN_INLINE Floats<W> operator()(int place) const { return origin[place]; }
};

// Computes two outputs, at t and a little after, of the channels From .. From + Count - 1 of a block of Block.
template <int W, Filter filter, int Block, int From, int Count>
BEATSCAN_INLINE void pair_of_outputs(const NetLayer& layer, const float* factors, Plane<W> doubled, Plane<W> input,
                                     bool relu, int first, int t, Plane<W> output) {
  constexpr int kTerms = terms_of<filter>();
  constexpr auto kSums = sums_of<filter>();
  constexpr auto kSumsOfTwo = sums_of_two();
  Floats<W> sums[Count][4] = {};
  const float* g = factors + in_fours(Block) + From;
  for (int c = 0; c < layer.doubled; ++c, g += in_fours(kTermsOfTwo * Block)) {
    Floats<W> terms[kTermsOfTwo];
    terms_of_two(LoadFrom<W>{doubled.row(c) + t / 2}, -1, 1, terms);
#pragma GCC unroll 16
    for (int n = 0; n < kTermsOfTwo; ++n)
#pragma GCC unroll 16
      for (int i = 0; i < Count; ++i) sums[i][kSumsOfTwo.of[n]] += g[n * Block + i] * terms[n];
  }
  for (int c = 0; c < layer.inputs; ++c, g += in_fours(kTerms * Block)) {
    Floats<W> terms[kTerms];
    terms_of<filter>(LoadFrom<W>{input.row(c) + ShapeOf<filter>::kStride * t}, terms);
#pragma GCC unroll 16
    for (int n = 0; n < kTerms; ++n)
#pragma GCC unroll 16
      for (int i = 0; i < Count; ++i) sums[i][kSums.of[n]] += g[n * Block + i] * terms[n];
  }
#pragma GCC unroll 16
  for (int i = 0; i < Count; ++i) {
    const float bias = factors[From + i];
    const Floats<W> none = {};
    Floats<W> y0 = (sums[i][0] + sums[i][1]) + (sums[i][2] + bias);
    Floats<W> y1 = (sums[i][1] - sums[i][2]) + (sums[i][3] + bias);
    if (relu) {
      y0 = y0 > 0.0f ? y0 : none;
      y1 = y1 > 0.0f ? y1 : none;
    }
    Floats<W>* y = output.row(first + From + i) + t;
    y[0] = y0;
    y[ShapeOf<filter>::kApart] = y1;
  }
}

// The layers keep sums in registers. AVX-512 has 32 of them; with narrower vectors a block is done in two parts.
template <int W, Filter filter, int Block>
BEATSCAN_INLINE void run_layer(const NetLayer& layer, const float* factors, Plane<W> doubled, Plane<W> input, bool relu,
                               Plane<W> output) {
  constexpr int kPart = W == 16 ? Block : (Block + 1) / 2;
  for (int channel = 0; channel < layer.padded(); ++channel) output.write_pads(channel);
  for (int pair = 0; pair < layer.length / 2; ++pair) {
    const int t = ShapeOf<filter>::kApart == 2 ? pair / 2 * 4 + pair % 2 : 2 * pair;
    const float* g = factors + layer.factors;
    for (int b = 0; b < layer.blocks; ++b, g += layer.block_factors) {
      pair_of_outputs<W, filter, Block, 0, kPart>(layer, g, doubled, input, relu, b * Block, t, output);
      if constexpr (kPart < Block)
        pair_of_outputs<W, filter, Block, kPart, Block - kPart>(layer, g, doubled, input, relu, b * Block, t, output);
    }
  }
}

// What the net is to do, for all groups of windows of one thread.
struct NetWork {
  const NetPlan* plan;
  const float* factors;
  const float* windows;
  const float* heights;
  const Marks* marks;
  float* masks;
  std::int64_t first, last;  // windows
};

// One layer as a function of its own: the code of a net in one function would take minutes to compile.
struct LayerWork {
  const NetLayer* layer;
  const float* factors;
  const void* doubled;
  const void* input;
  void* output;
  int doubled_length, input_length;
  bool relu;
};

template <Filter filter, int Block>
struct RunLayer {
  template <int W>
  BEATSCAN_INLINE static void run(const LayerWork* work) {
    const auto plane = [](const void* values, int length) {
      return Plane<W>{static_cast<Floats<W>*>(const_cast<void*>(values)), length};
    };
    run_layer<W, filter, Block>(*work->layer, work->factors, plane(work->doubled, work->doubled_length),
                                plane(work->input, work->input_length), work->relu,
                                plane(work->output, work->layer->length));
  }
};

template <Filter filter>
void run_filter(const LayerWork& work) {
  switch (work.layer->block) {
    case 4:
      return OnProcessor<RunLayer<filter, 4>>::run(&work);
    case 5:
      return OnProcessor<RunLayer<filter, 5>>::run(&work);
    default:
      return OnProcessor<RunLayer<filter, 6>>::run(&work);
  }
}

void run_any(const LayerWork& work) {
  switch (work.layer->filter) {
    case Filter::nine_half:
      return run_filter<Filter::nine_half>(work);
    case Filter::five:
      return run_filter<Filter::five>(work);
    case Filter::five_half:
      return run_filter<Filter::five_half>(work);
    case Filter::five_wide:
      return run_filter<Filter::five_wide>(work);
    case Filter::three:
      return run_filter<Filter::three>(work);
  }
}

// The activations of one group of windows.
class Activations {
 public:
  Activations(const NetPlan& plan, int width) : plan_(activation_plan(plan)), width_(width) {
    const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(plan_.values) * width;
    memory_.reset(static_cast<float*>(::operator new (bytes, std::align_val_t{64})));
  }
  float* input() { return memory_.get(); }
  float* of(int layer) { return memory_.get() + static_cast<std::int64_t>(plan_.of_layer[layer]) * width_; }

 private:
  struct Free {
    void operator()(float* memory) const { ::operator delete (memory, std::align_val_t{64}); }
  };
  ActivationPlan plan_;
  int width_;
  std::unique_ptr<float, Free> memory_;
};

// Writes the net's input for W windows in parallel.
struct GroupWork {
  const NetWork* work;
  std::int64_t first;  // window
  float* activations;
};

// Returns window `lane` of the group. Lanes after the last window repeat it.
inline std::int64_t window_of(const GroupWork& group, int lane) {
  return std::min(group.first + lane, group.work->last - 1);
}

struct WriteInput {
  template <int W>
  BEATSCAN_INLINE static void run(const GroupWork* group) {
    const NetWork& work = *group->work;
    Floats<W> scale, whole[3], rest[3];
    for (int lane = 0; lane < W; ++lane) {
      const std::int64_t w = window_of(*group, lane);
      scale[lane] = kHeightFactor / work.heights[w];
      const double places[3] = {work.marks[w].before, work.marks[w].at, work.marks[w].after};
      for (int m = 0; m < 3; ++m) {
        const MarkPlace place = place_of(places[m]);
        whole[m][lane] = place.whole;
        rest[m][lane] = place.rest;
      }
    }
    const Plane<W> input{reinterpret_cast<Floats<W>*>(group->activations), kValues};
    input.write_pads(0);
    input.write_pads(1);
    for (int k = 0; k < kValues; k += W) {
      Floats<W> block[W];
      for (int lane = 0; lane < W; ++lane) block[lane] = load<W>(work.windows + window_of(*group, lane) * kValues + k);
      transpose<W>(block);
      using Math = SomeVectors<W>;
      for (int j = 0; j < W; j += Math::kCount) {
        typename Math::Value x;
        for (int i = 0; i < Math::kCount; ++i) x.at[i] = block[j + i] * scale;
        x = inverse_sinh<Math>(x) * kSignalFactor;
        for (int i = 0; i < Math::kCount; ++i) input.row(0)[k + j + i] = x.at[i];
      }
      for (int j = 0; j < W; ++j) {
        const auto at = static_cast<float>(k + j);
        input.row(1)[k + j] =
            (mark_at(whole[0], rest[0], at) + mark_at(whole[1], rest[1], at)) + mark_at(whole[2], rest[2], at);
      }
    }
  }
};

struct WriteMasks {
  template <int W>
  BEATSCAN_INLINE static void run(const GroupWork* group) {
    const Plane<W> output{reinterpret_cast<Floats<W>*>(group->activations), kValues / 2};
    const int lanes = static_cast<int>(std::min<std::int64_t>(W, group->work->last - group->first));
    for (int mask = 0; mask < kMasks; ++mask)
      for (int k = 0; k < kValues; k += W) {
        Floats<W> block[W];
        using Math = SomeVectors<W>;
        for (int j = 0; j < W; j += Math::kCount) {
          typename Math::Value x;
          for (int i = 0; i < Math::kCount; ++i) x.at[i] = output.row(2 * mask + i % 2)[k / 2 + (j + i) / 2];
          x = logistic<Math>(x);
          for (int i = 0; i < Math::kCount; ++i) block[j + i] = x.at[i];
        }
        transpose<W>(block);
        for (int lane = 0; lane < lanes; ++lane) {
          const bool flat = !(group->work->heights[group->first + lane] > kMinHeight);
          store<W>(group->work->masks + ((group->first + lane) * kMasks + mask) * kValues + k,
                   flat ? Floats<W>{} : block[lane]);
        }
      }
  }
};

int vector_width() { return vector_bits() >= 512 ? 16 : vector_bits() >= 256 ? 8 : 4; }

// Runs the net on one group of windows after the other.
void run_net(const NetWork& work) {
  Activations activations(*work.plan, vector_width());
  const auto run = [&](LayerName name, float* input, int input_length, float* doubled = nullptr,
                       int doubled_length = 0) {
    run_any({&work.plan->layers[name], work.factors, doubled, input, activations.of(name), doubled_length, input_length,
             name != kOut});
    return activations.of(name);
  };
  for (std::int64_t first = work.first; first < work.last; first += vector_width()) {
    const GroupWork group{&work, first, activations.input()};
    OnProcessor<WriteInput>::run(&group);
    float* e1 = run(kE1, run(kStem, activations.input(), 320), 160);
    float* e2 = run(kE2, run(kD2, e1, 160), 80);
    float* e3 = run(kE3, run(kD3, e2, 80), 40);
    float* m2 = run(kM2, run(kM1, run(kD4, e3, 40), 20), 20);
    float* u2 = run(kU2, e2, 80, run(kU3, e3, 40, m2, 20), 40);
    const GroupWork masks{&work, first, run(kOut, run(kU1, e1, 160, u2, 80), 160)};
    OnProcessor<WriteMasks>::run(&masks);
  }
}

}  // namespace

Net<Cpu> load_net(Cpu& cpu, const NetModel& model) {
  return {model.channels, from_host(cpu, pack(model, Arrangement::pairs))};
}

void wave_masks(Cpu& cpu, const Net<Cpu>& net, std::span<const float> windows, std::span<const float> heights,
                std::span<const Marks> marks, std::span<float> masks) {
  const std::int64_t count = check_wave_masks(windows, heights, marks, masks);
  const NetPlan plan = plan_of(net.channels, Arrangement::pairs);
  const NetWork all{&plan, net.packed.data(), windows.data(), heights.data(), marks.data(), masks.data(), 0, count};
  const int width = vector_width();
  parallel_for(cpu, (count + width - 1) / width, 4, [&](std::int64_t first, std::int64_t last) {
    NetWork work = all;
    work.first = first * width;
    work.last = std::min(last * width, count);
    run_net(work);
  });
}

std::int64_t check_wave_masks(std::span<const float> windows, std::span<const float> heights,
                              std::span<const Marks> marks, std::span<float> masks) {
  BEATSCAN_EXPECTS(windows.size() == heights.size() * kValues && marks.size() == heights.size() &&
                       masks.size() == heights.size() * kMasks * kValues,
                   "wave_masks: bad shape");
  return static_cast<std::int64_t>(heights.size());
}

}  // namespace beatscan::waves
