#include "kernels/waves/wave_net.h"

#include <cmath>
#include <functional>

#include "tests/kernels/waves/waves_reference.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/test_stride.h"

namespace beatscan::waves {
namespace {

using Channels = std::vector<std::vector<double>>;

Channels twice_then(const Channels& a, const Channels& b) {
  Channels all;
  for (const auto& row : a) {
    all.emplace_back();
    for (const double value : row) all.back().insert(all.back().end(), 2, value);
  }
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

// The net by its definition in wave_net.h, in double. Reads the weights as it goes.
class PlainNet {
 public:
  explicit PlainNet(const NetModel& model) : model_(model), next_(model.weights.data()) {}

  std::vector<double> masks(const Channels& input) {
    const auto [a, b, c, d] = model_.channels;
    const Channels e1 = layer(layer(input, a, 9, 2), a, 5), e2 = layer(layer(e1, b, 5, 2), b, 5);
    const Channels e3 = layer(layer(e2, c, 5, 2), c, 5);
    const Channels m2 = layer(layer(layer(e3, d, 5, 2), d, 5), d, 5, 1, 2);
    const Channels u3 = layer(twice_then(m2, e3), c, 3), u2 = layer(twice_then(u3, e2), b, 3);
    const Channels out = layer(layer(twice_then(u2, e1), a, 3), 6, 3, 1, 1, false);
    std::vector<double> masks;
    for (int m = 0; m < 3; ++m)
      for (int k = 0; k < kValues; ++k) masks.push_back(1 / (1 + std::exp(-out[2 * m + k % 2][k / 2])));
    return masks;
  }

 private:
  Channels layer(const Channels& x, int outputs, int taps, int stride = 1, int dilation = 1, bool relu = true) {
    const int length = static_cast<int>(x[0].size()), padding = (taps - 1) * dilation / 2;
    const float* w = next_;
    const float* biases = w + outputs * x.size() * taps;
    next_ = biases + outputs;
    Channels y(outputs);
    for (int o = 0; o < outputs; ++o)
      for (int j = 0; j < length / stride; ++j) {
        double sum = biases[o];
        for (std::size_t i = 0; i < x.size(); ++i)
          for (int q = 0; q < taps; ++q) {
            const int at = j * stride + q * dilation - padding;
            if (at >= 0 && at < length) sum += double{w[(o * x.size() + i) * taps + q]} * x[i][at];
          }
        y[o].push_back(relu ? std::max(sum, 0.0) : sum);
      }
    return y;
  }

  const NetModel& model_;
  const float* next_;
};

std::vector<double> expected_masks(const NetModel& model, const float* window, float height, const Marks& marks) {
  Channels input(2);
  for (int k = 0; k < kValues; ++k) {
    input[0].push_back(std::asinh(10.0 * window[k] / height) / 3);
    double sum = 0;
    for (const double mark : {marks.before, marks.at, marks.after}) sum += std::max(0.0, 1 - std::abs(k - mark) / 4);
    input[1].push_back(sum);
  }
  return PlainNet(model).masks(input);
}

template <class Context>
class WaveNet : public OnBackend<Context> {
 protected:
  std::vector<float> masks(const NetModel& model, const std::vector<float>& windows, const std::vector<float>& heights,
                           const std::vector<Marks>& marks) {
    auto& context = this->context();
    Buffer<float, Context> found(context, std::ssize(heights) * kMasks * kValues);
    std::vector<float> poison(found.size(), NAN);
    copy<float>(context, std::span<const float>(poison), found.span());
    wave_masks(context, load_net(context, model), from_host(context, windows), from_host(context, heights),
               from_host(context, marks), found);
    return to_host(context, found);
  }

  void expect_masks(const NetModel& model, std::int64_t count, std::uint64_t seed) {
    SCOPED_TRACE(shape_and_seed("windows", count, seed));
    const auto windows = random_windows(count, seed);
    std::mt19937_64 random(seed);
    std::vector<float> heights;
    std::vector<Marks> marks;
    for (std::int64_t b = 0; b < count; ++b) {
      heights.push_back(0.3f + static_cast<float>(random() % 100) / 50);
      const double rr = 50 + static_cast<double>(random() % 30000) / 100;
      marks.push_back({b % 5 == 0 ? kRValue - kFar : kRValue - rr, kRValue, b % 7 == 3 ? kRValue + kFar : 1.1 * rr});
    }
    const auto found = masks(model, windows, heights, marks);
    double farthest = 0;
    for (std::int64_t b = 0; b < count; ++b) {
      const auto expected = expected_masks(model, windows.data() + b * kValues, heights[b], marks[b]);
      for (int k = 0; k < kMasks * kValues; ++k) {
        const double apart = std::abs(found[b * kMasks * kValues + k] - expected[k]);
        ASSERT_LE(apart, kMaskError) << "window " << b << " value " << k;
        farthest = std::max(farthest, apart);
      }
    }
    testing::Test::RecordProperty("farthest", std::to_string(farthest));
  }
};
TYPED_TEST_SUITE(WaveNet, Backends, BackendNames);

TYPED_TEST(WaveNet, MatchesItsDefinition) {
  for (const std::int64_t count : {1, 2, 15, 16, 17, 40})
    if (!left_out()) this->expect_masks(trained_net(), count, count);
}

// Blocks of 4, 5 and 6 channels with and without unused ones, and nets that leave their factors in global memory.
TYPED_TEST(WaveNet, HasAsManyChannelsAsTheModel) {
  for (const std::array<int, 4> channels :
       {std::array{1, 1, 1, 1}, {2, 3, 4, 5}, {7, 9, 11, 13}, {8, 12, 16, 20}, {12, 20, 24, 24}, {24, 24, 24, 24}})
    if (!left_out()) this->expect_masks(random_net(channels, 5), 5, 9);
}

// Many windows: every group of threads works on several, and the last one on fewer than it could.
TYPED_TEST(WaveNet, TreatsEachWindowAlike) {
  const std::int64_t few = 7, many = 5003;
  const auto of_few = random_windows(few, 3);
  std::vector<float> windows, heights(many, 1.5f);
  for (std::int64_t b = 0; b < many; ++b)
    windows.insert(windows.end(), of_few.begin() + b % few * kValues, of_few.begin() + (b % few + 1) * kValues);
  const std::vector<Marks> marks(many, Marks{-80.5, kRValue, 290.25});
  const auto found = this->masks(trained_net(), windows, heights, marks);
  constexpr int kSize = kMasks * kValues;
  for (std::int64_t b = few; b < many; ++b)
    ASSERT_TRUE(std::equal(found.begin() + b * kSize, found.begin() + (b + 1) * kSize, found.begin() + b % few * kSize))
        << b;
}

// An artifact of 1e30 mV, or a window that is not finite, gives masks all the same.
TYPED_TEST(WaveNet, HasFiniteMasks) {
  for (const float value : {1e6f, 1e30f, INFINITY, -INFINITY, NAN}) {
    auto windows = random_windows(1, 1);
    windows[40] = value;
    windows[41] = -value;
    for (const float mask : this->masks(trained_net(), windows, {0.0011f}, {{0, 125, 300}})) {
      ASSERT_GE(mask, 0) << value;
      ASSERT_LE(mask, 1) << value;
    }
  }
}

TYPED_TEST(WaveNet, SeesNothingInAWindowOfTheLeastHeight) {
  const auto found = this->masks(trained_net(), random_windows(20, 4), std::vector<float>(20, kMinHeight),
                                 std::vector<Marks>(20, Marks{-80.5, kRValue, 290.25}));
  EXPECT_EQ(std::ranges::count(found, 0.0f), std::ssize(found));
}

TYPED_TEST(WaveNet, RefusesBadShapes) {
  NetModel model = trained_net();
  EXPECT_TRUE(this->masks(model, {}, {}, {}).empty());
  EXPECT_THROW_KIND(this->masks(model, std::vector<float>(kValues), {1, 1}, {{}, {}}), ErrorKind::internal);
  model.weights.pop_back();
  EXPECT_THROW_KIND(load_net(this->context(), model), ErrorKind::internal);
  EXPECT_THROW_KIND(number_of_weights({6, 8, 10, 25}), ErrorKind::internal);
  EXPECT_EQ(number_of_weights({6, 8, 10, 12}), 5354);
  EXPECT_EQ(number_of_weights({8, 12, 16, 20}), 13038);
}

}  // namespace
}  // namespace beatscan::waves
