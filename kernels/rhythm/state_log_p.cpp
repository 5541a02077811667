#include "kernels/rhythm/state_log_p.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/rhythm/state_row.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/exponential.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"

namespace beatscan {

void check_regression(const WindowRegression& regression) {
  const auto& [measures, first, features, weight, intercept] = regression;
  BEATSCAN_EXPECTS(first.size() == measures.size() + 1 && first.front() == 0 && std::ranges::is_sorted(first) &&
                       first.back() == std::ssize(features) && weight.size() == features.size(),
                   "state_log_p: bad shape of the regression");
  for (std::int64_t m = 0; m < regression.size(); ++m)
    for (int f = first[m], reach = 0; f < first[m + 1]; reach = features[f++].reach)
      BEATSCAN_EXPECTS(reach <= features[f].reach && features[f].reach <= kMostWindowReach, "state_log_p: bad reach");
}

namespace {

constexpr std::int64_t kTileBeats = 128;    // whose features are held at a time
constexpr std::int64_t kWidest = 16;        // floats of a vector
constexpr std::int64_t kThreadBeats = 512;  // that are worth a thread

// A measure at the beats of a tile, and at `reach` beats on either side.
struct MeasureTile {
  std::span<const WindowFeature> features;
  std::int64_t reach;  // the longest of the features
  float* values;       // [kTileBeats + 2 reach + kWidest] NaN where none exists
  float* exists;       // likewise: 1 or 0
  double* known;       // likewise: the values; 0 where none exists
  float* inputs;       // [features][kTileBeats] results
  bool all_exist = false;
};

// Statistics of the windows around W beats. They grow by a beat on either side at a time.
template <int W>
struct GrowingWindows {
  TwoDoubles<W> sum, square;
  Floats<W> count, most, least;

  BEATSCAN_INLINE void begin(const MeasureTile& tile, std::int64_t at) {
    sum = load_doubles<W>(tile.known + at);
    square = {sum.low * sum.low, sum.high * sum.high};
    count = load<W>(tile.exists + at);
    most = Floats<W>{} - std::numeric_limits<float>::infinity();
    least = -most;
    add_extreme(load<W>(tile.values + at));
  }
  BEATSCAN_INLINE void add_extreme(Floats<W> value) {
    most = value > most ? value : most;
    least = value < least ? value : least;
  }
  template <bool kSquares, bool kExtremes>
  BEATSCAN_INLINE void grow(const MeasureTile& tile, std::int64_t before, std::int64_t after) {
    const auto a = load_doubles<W>(tile.known + before), b = load_doubles<W>(tile.known + after);
    sum.low += a.low + b.low, sum.high += a.high + b.high;
    if (!tile.all_exist) count += load<W>(tile.exists + before) + load<W>(tile.exists + after);
    if constexpr (kSquares)
      square.low += a.low * a.low + b.low * b.low, square.high += a.high * a.high + b.high * b.high;
    if constexpr (kExtremes) add_extreme(load<W>(tile.values + before)), add_extreme(load<W>(tile.values + after));
  }
  BEATSCAN_INLINE Floats<W> value(WindowStatistic statistic, const MeasureTile& tile, int reach) const {
    if (statistic == WindowStatistic::most) return most;
    if (statistic == WindowStatistic::least) return least;
    const double of_all = 1.0 / (2 * reach + 1);
    TwoDoubles<W> share{Doubles<W>{} + of_all, Doubles<W>{} + of_all};
    if (!tile.all_exist) {
      const auto counts = widened<W>(count);
      share = {1.0 / counts.low, 1.0 / counts.high};
    }
    const TwoDoubles<W> mean{sum.low * share.low, sum.high * share.high};
    if (statistic == WindowStatistic::mean) return rounded<W>(mean);
    return rounded<W>({deviation(square.low * share.low - mean.low * mean.low),
                       deviation(square.high * share.high - mean.high * mean.high)});
  }
  BEATSCAN_INLINE static Doubles<W> deviation(Doubles<W> variance) {
    for (int lane = 0; lane < W / 2; ++lane) variance[lane] = variance[lane] < 0 ? 0 : std::sqrt(variance[lane]);
    return variance;
  }
};

template <int W>
BEATSCAN_INLINE Floats<W> standardised(const WindowFeature& feature, Floats<W> value) {
  const Floats<W> z = (value - feature.mean) / feature.deviation;
  const Floats<W> clipped = z < -kMostDeviations  ? Floats<W>{} - kMostDeviations
                            : z > kMostDeviations ? Floats<W>{} + kMostDeviations
                                                  : z;
  return z - z == 0.0f ? clipped : Floats<W>{};
}

// Separates the values that exist from the others.
template <int W>
BEATSCAN_INLINE void prepare(MeasureTile& tile) {
  Floats<W> all = Floats<W>{} + 1.0f;
  const std::int64_t used = kTileBeats + 2 * tile.reach;
  for (std::int64_t j = 0; j < used; j += W) {
    const Floats<W> value = load<W>(tile.values + j), none = Floats<W>{};
    const Floats<W> exists = value - value == 0.0f ? none + 1.0f : none;
    const auto known = widened<W>(value - value == 0.0f ? value : none);
    if (j + W <= used) all = exists < all ? exists : all;
    store<W>(tile.values + j, value - value == 0.0f ? value : none + std::numeric_limits<float>::quiet_NaN());
    store<W>(tile.exists + j, exists);
    store<W>(tile.known + j, known.low), store<W>(tile.known + j + W / 2, known.high);
  }
  tile.all_exist = true;
  for (int lane = 0; lane < W; ++lane) tile.all_exist = tile.all_exist && all[lane] == 1.0f;
  for (std::int64_t j = used / W * W; j < used; ++j) tile.all_exist = tile.all_exist && tile.exists[j] == 1.0f;
}

template <int W, bool kSquares, bool kExtremes>
BEATSCAN_INLINE void write_features(const MeasureTile& tile) {
  for (std::int64_t beat = 0; beat < kTileBeats; beat += W) {
    const std::int64_t at = tile.reach + beat;
    GrowingWindows<W> windows;
    windows.begin(tile, at);
    float* input = tile.inputs + beat;
    int reach = 0;
    for (const WindowFeature& feature : tile.features) {
      while (reach < feature.reach) {
        ++reach;
        windows.template grow<kSquares, kExtremes>(tile, at - reach, at + reach);
      }
      store<W>(input, standardised<W>(feature, windows.value(feature.statistic, tile, reach)));
      input += kTileBeats;
    }
  }
}

struct WriteFeatures {
  template <int W>
  BEATSCAN_INLINE static void run(MeasureTile* tile) {
    bool squares = false, extremes = false;
    for (const WindowFeature& feature : tile->features) {
      squares |= feature.statistic == WindowStatistic::deviation;
      extremes |= feature.statistic == WindowStatistic::most || feature.statistic == WindowStatistic::least;
    }
    prepare<W>(*tile);
    if (squares)
      write_features<W, true, true>(*tile);
    else if (extremes)
      write_features<W, false, true>(*tile);
    else
      write_features<W, false, false>(*tile);
  }
};

// Turns rows into the logarithms of their softmax.
struct TakeLogSoftmax {
  template <int W>
  BEATSCAN_INLINE static void run(StateValues* rows, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      auto row = load_row<W>(rows[i].data());
      const float most = greatest(row);
      StateRow<W> powers;
      for (int v = 0; v < StateRow<W>::kVectors; ++v) powers.at[v] = exponential<W>(row.at[v] - most);
      const float all = most + std::log(sum_of_row(powers));
      for (int v = 0; v < StateRow<W>::kVectors; ++v) row.at[v] -= all;
      store_row(row, rows[i].data());
    }
  }
};

// Computes tiles of beats, one after the other, in the same memory.
class TileWork {
 public:
  TileWork(const WindowRegression& regression, std::span<StateValues> log_p)
      : regression_(regression),
        log_p_(log_p),
        longest_(longest_reach(regression)),
        values_(kTileBeats + 2 * longest_ + kWidest),
        exists_(values_.size()),
        known_(values_.size()),
        inputs_(regression.features.size() * kTileBeats),
        sums_(kTileBeats) {}

  // Computes the beats from `first` on, at most kTileBeats of them.
  void compute(std::int64_t first) {
    for (std::int64_t m = 0; m < regression_.size(); ++m) write_features_of(m, first);
    const std::int64_t count = std::min(kTileBeats, std::ssize(log_p_) - first);
    state_sums(inputs_, regression_.weight, regression_.intercept, sums_);
    OnProcessor<TakeLogSoftmax>::run(sums_.data(), count);
    std::copy_n(sums_.begin(), count, log_p_.begin() + first);
  }

 private:
  static std::int64_t longest_reach(const WindowRegression& regression) {
    std::int64_t longest = 0;
    for (const WindowFeature& feature : regression.features) longest = std::max<std::int64_t>(longest, feature.reach);
    return longest;
  }

  void write_features_of(std::int64_t m, std::int64_t first) {
    const std::int64_t from = regression_.first_feature[m], to = regression_.first_feature[m + 1];
    if (from == to) return;
    MeasureTile tile{.features = std::span(regression_.features).subspan(from, to - from),
                     .reach = regression_.features[to - 1].reach,
                     .values = values_.data(),
                     .exists = exists_.data(),
                     .known = known_.data(),
                     .inputs = &inputs_[from * kTileBeats]};
    const float* measure = regression_.measures[m];
    const std::int64_t begin = first - tile.reach, end = first + kTileBeats + tile.reach;
    const std::int64_t low = std::max<std::int64_t>(begin, 0), high = std::min(end, std::ssize(log_p_));
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    std::fill(values_.begin(), values_.begin() + (low - begin), kNan);
    std::copy(measure + low, measure + high, values_.begin() + (low - begin));
    std::fill(values_.begin() + (high - begin), values_.begin() + (end - begin) + kWidest, kNan);
    OnProcessor<WriteFeatures>::run(&tile);
  }

  const WindowRegression& regression_;
  std::span<StateValues> log_p_;
  std::int64_t longest_;
  std::vector<float> values_, exists_;
  std::vector<double> known_;
  std::vector<float> inputs_;  // [F][kTileBeats]
  std::vector<StateValues> sums_;
};

}  // namespace

void state_log_p(Cpu& cpu, const WindowRegression& regression, std::span<StateValues> log_p) {
  check_regression(regression);
  const std::int64_t beats = std::ssize(log_p);
  parallel_each(cpu, (beats + kThreadBeats - 1) / kThreadBeats, [&](std::int64_t part) {
    TileWork work(regression, log_p);
    const std::int64_t end = std::min((part + 1) * kThreadBeats, beats);
    for (std::int64_t first = part * kThreadBeats; first < end; first += kTileBeats) work.compute(first);
  });
}

}  // namespace beatscan
