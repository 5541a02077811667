#include "kernels/waves/cut_windows.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/runtime/vectors.h"
#include "kernels/waves/medians.h"

namespace beatscan::waves {

namespace {

constexpr int kHalfWidth = 4;            // of the sinc, in periods of min(rate, 250 Hz)
constexpr double kPass = 0.8;            // of min(rate / 2, 125 Hz)
constexpr double kRowsASecond = 131072;  // at least
constexpr int kMostTaps = 2 * kHalfWidth * static_cast<int>(kMostRateHz / kValuesHz) + 4;

double half_width(double rate_hz) { return kHalfWidth * rate_hz / std::min(rate_hz, kValuesHz); }

double weight_at(double distance, double rate_hz) {
  const double half = half_width(rate_hz), cutoff = kPass * std::min(rate_hz / 2, kValuesHz / 2) / rate_hz;
  if (std::abs(distance) >= half) return 0;
  const double z = std::numbers::pi * 2 * cutoff * distance;
  return (z == 0 ? 1 : std::sin(z) / z) * (0.5 + 0.5 * std::cos(std::numbers::pi * distance / half));
}

using Four = Floats<4>;

// Sums of products for values that share their weights: values[0], values[apart] ..., whose samples are `shift` apart.
// Each sum has four parts, whatever the processor's vectors. Fours is the number of weights / 4, or 0 for any.
template <int Fours>
void weigh_values(const Four* shared, int any, const float* samples, int shift, float* values, int apart, int count) {
  Four weights[Fours > 0 ? Fours : 1];
  for (int t = 0; t < Fours; ++t) weights[t] = shared[t];
  for (int n = 0; n < count; ++n, samples += shift) {
    Four sum = {};
    if constexpr (Fours > 0) {
#pragma GCC unroll 8
      for (int t = 0; t < Fours; ++t) sum += weights[t] * load<4>(samples + 4 * t);
    } else {
      for (int t = 0; t < any; ++t) sum += shared[t] * load<4>(samples + 4 * t);
    }
    const Four pairs = sum + __builtin_shufflevector(sum, sum, 2, 3, 0, 1);
    values[n * apart] = pairs[0] + pairs[1];
  }
}

using WeighValues = void (*)(const Four*, int, const float*, int, float*, int, int);
WeighValues weigh_values_of(int fours) {
  switch (fours) {
    case 2:
      return weigh_values<2>;  // up to 250 Hz
    case 3:
      return weigh_values<3>;  // 360 Hz
    case 4:
      return weigh_values<4>;  // 500 Hz
    case 8:
      return weigh_values<8>;  // 1000 Hz
    default:
      return weigh_values<0>;
  }
}

// The same for one value where samples are missing (NaN). Returns NaN if there is too little.
float weigh_present(const Four* weights, const float* samples, int taps) {
  float sum = 0, total = 0;
  for (int t = 0; t < taps; ++t) {
    const float weight = weights[t / 4][t % 4];
    if (std::isnan(samples[t])) continue;
    sum += weight * samples[t];
    total += weight;
  }
  return total >= kLeastWeight ? sum / total : NAN;
}

// Replaces missing values by the median of the others.
void fill(std::span<float> window) {
  std::vector<float> present;
  for (const float value : window)
    if (!std::isnan(value)) present.push_back(value);
  if (present.size() == window.size()) return;
  float median = 0;
  if (!present.empty()) {
    std::ranges::sort(present);
    median = (present[(present.size() - 1) / 2] + present[present.size() / 2]) / 2;
  }
  for (float& value : window)
    if (std::isnan(value)) value = median;
}

// Cuts one window after the other. After so many values as the period has, places have the same fraction again (25 at
// 360 Hz, 1 at 500 Hz), so these values share their weights.
class Cutter {
 public:
  Cutter(const BaselinedLead& lead, const SamplingTable<Cpu>& table, double rate_hz)
      : lead_(lead),
        table_(table),
        step_(rate_hz / kValuesHz),
        y_(samples_of_window(rate_hz, table.taps)),
        weigh_values_(weigh_values_of(table.taps / 4)) {
    while (period_ < kValues && period_ * step_ != std::floor(period_ * step_)) ++period_;
    shift_ = static_cast<int>(period_ * step_);
  }

  void cut(double r, std::span<float> window) {
    const WindowPlaces places = places_of(r, step_, table_.before);
    const std::int64_t last = places.first + std::ssize(y_) - 1;
    read(places.first);
    const bool gaps = lead_.gaps.any(lead_.inside(places.first), lead_.inside(last));
    if (gaps) mark_missing(places.first);
    for (int k = 0; k < std::min(period_, kValues); ++k) {
      const TableRows rows = rows_of(places.at_zero + k * places.step, table_.before, table_.phases);
      weigh(rows);
      const float* y = y_.data() + rows.sample;
      const int count = (kValues - 1 - k) / period_ + 1;
      if (!gaps) weigh_values_(weights_, table_.taps / 4, y, shift_, window.data() + k, period_, count);
      for (int n = 0; gaps && n < count; ++n)
        window[k + n * period_] = weigh_present(weights_, y + n * shift_, table_.taps);
    }
    if (gaps) fill(window);
    take_off_median(window.data());
  }

 private:
  // Reads the window's samples, minus their baseline. Beyond the ends of the recording they are the first and the last.
  void read(std::int64_t first) {
    const std::int64_t size = std::ssize(y_), last = first + size - 1;
    const std::int64_t begin = lead_.inside(first), end = lead_.inside(last) + 1;  // samples of the recording
    const auto origin = static_cast<float>(lead_.levels[std::max<std::int64_t>(lead_.block_before(begin), 0)]);
    for (std::int64_t i = begin, block = lead_.block_before(begin); i < end; ++block) {
      const BaselinePiece piece = piece_of(lead_, block);
      const std::int64_t piece_end = block + 1 < lead_.blocks ? std::min(end, lead_.from_centre(block + 1)) : end;
      read_piece(piece, i, static_cast<int>(piece_end - i), std::clamp<std::int64_t>(i - first, 0, size - 1), origin);
      i = piece_end;
    }
    const std::int64_t start = std::clamp<std::int64_t>(-first, 0, size - 1);
    const std::int64_t stop = std::clamp<std::int64_t>(lead_.count - first, 1, size);
    std::fill(y_.begin(), y_.begin() + start, y_[start]);
    std::fill(y_.begin() + stop, y_.end(), y_[stop - 1]);
  }

  // Reads `count` samples from sample i on, on one piece of the baseline. Less `origin`, a level nearby, samples and
  // baseline are small, and floats are exact enough.
  void read_piece(const BaselinePiece& piece, std::int64_t i, int count, std::int64_t to, float origin) {
    const double at_start = piece.level + (static_cast<double>(i) - piece.centre) * piece.slope;
    const auto level = static_cast<float>(at_start - origin), slope = static_cast<float>(piece.slope);
    const auto factor = static_cast<float>(lead_.mv_per_unit);
    const float* x = lead_.samples + i;
    float* y = y_.data() + to;
    for (int n = 0; n < count; ++n) y[n] = ((x[n] - origin) - (level + static_cast<float>(n) * slope)) * factor;
  }

  void mark_missing(std::int64_t first) {
    std::int64_t gap = lead_.gaps.reaching(lead_.inside(first));
    for (std::int64_t i = 0; i < std::ssize(y_); ++i)
      if (lead_.gaps.missing(lead_.inside(first + i), gap)) y_[i] = NAN;
  }

  void weigh(const TableRows& rows) {
    const float* a = table_.weights.data() + static_cast<std::int64_t>(rows.row) * table_.taps;
    const float* b = a + table_.taps;
    for (int t = 0; t < table_.taps / 4; ++t) {
      const Four low = load<4>(a + 4 * t);
      weights_[t] = low + rows.share * (load<4>(b + 4 * t) - low);
    }
  }

  const BaselinedLead& lead_;
  const SamplingTable<Cpu>& table_;
  double step_;
  int period_ = 1, shift_;  // values, and the samples that they take
  std::vector<float> y_;
  WeighValues weigh_values_;
  Four weights_[kMostTaps / 4];
};

}  // namespace

SamplingTable<Cpu> shape_of_table(double rate_hz) {
  BEATSCAN_EXPECTS(rate_hz >= kLeastRateHz && rate_hz <= kMostRateHz, "sampling_table: rate out of range");
  const int side = static_cast<int>(std::ceil(half_width(rate_hz)));
  SamplingTable<Cpu> table;
  table.taps = (2 * side + 3) / 4 * 4;
  table.before = side - 1;
  for (table.phases = 1; table.phases * rate_hz < kRowsASecond;) table.phases *= 2;
  return table;
}

std::vector<float> table_weights(double rate_hz) {
  const SamplingTable<Cpu> shape = shape_of_table(rate_hz);
  std::vector<float> weights;
  std::vector<double> row(shape.taps);
  for (int q = 0; q <= shape.phases; ++q) {
    double sum = 0;
    for (int t = 0; t < shape.taps; ++t)
      sum += row[t] = weight_at(t - shape.before - static_cast<double>(q) / shape.phases, rate_hz);
    for (const double weight : row) weights.push_back(static_cast<float>(weight / sum));
  }
  return weights;
}

SamplingTable<Cpu> sampling_table(Cpu& cpu, double rate_hz) {
  SamplingTable<Cpu> table = shape_of_table(rate_hz);
  table.weights = from_host(cpu, table_weights(rate_hz));
  return table;
}

BaselinedLead checked_lead(const LeadSignal& lead, std::span<const double> levels, int taps, std::int64_t r,
                           std::int64_t windows) {
  check_lead(lead);
  const auto count = static_cast<std::int64_t>(lead.samples.size());
  const std::int64_t blocks = baseline_blocks(count, lead.rate_hz);
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(levels.size()) == blocks && windows == r * kValues &&
                       taps == shape_of_table(lead.rate_hz).taps,
                   "cut_windows: bad shape");
  return {lead.samples.data(), count,           baseline_block(lead.rate_hz), blocks, levels.data(),
          gaps_of(lead),       lead.mv_per_unit};
}

void cut_windows(Cpu& cpu, const LeadSignal& lead, std::span<const double> levels, const SamplingTable<Cpu>& table,
                 std::span<const double> r, std::span<float> windows) {
  const BaselinedLead baselined = checked_lead(lead, levels, table.taps, std::ssize(r), std::ssize(windows));
  parallel_for(cpu, std::ssize(r), 64, [&](std::int64_t first, std::int64_t last) {
    Cutter cutter(baselined, table, lead.rate_hz);
    for (std::int64_t b = first; b < last; ++b) cutter.cut(r[b], windows.subspan(b * kValues, kValues));
  });
}

}  // namespace beatscan::waves
