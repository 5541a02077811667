#include "kernels/signal/leakage.h"

#include <algorithm>
#include <cmath>

#include "kernels/runtime/parallel.h"
#include "kernels/signal/leakage_common.h"
#include "kernels/signal/wavelets.h"

namespace beatscan {
namespace {

// Rounds taps to whole units. The middle one takes what is missing from their sum.
std::vector<std::int32_t> whole_taps(std::vector<double> taps) {
  std::vector<std::int32_t> whole;
  std::int32_t sum = 0;
  for (const double tap : taps) sum += whole.emplace_back(static_cast<std::int32_t>(std::lround(tap * kTapUnit)));
  whole[whole.size() / 2] += kTapUnit - sum;
  while (whole.size() > 1 && whole.front() == 0) {
    whole.erase(whole.begin());
    whole.pop_back();
  }
  return whole;
}

// Holds the arrays that one window needs after another.
struct WindowWork {
  std::vector<std::int32_t> bits, smoothed, sums, v;
};

// sums[i] = sum over j of taps[j] x[i step + j]; the loop over i is the inner one, because the compiler makes it wide.
void integer_sums(const std::int32_t* x, const std::vector<std::int32_t>& taps, int step,
                  std::vector<std::int32_t>& sums) {
  std::ranges::fill(sums, 0);
  const std::int64_t n = std::ssize(sums);
  for (std::int64_t j = 0; j < std::ssize(taps); ++j)
    for (std::int64_t i = 0; i < n; ++i) sums[i] += taps[j] * x[i * step + j];
}

struct Extremes {
  float min, max;
};

// Finds the extremes of `count` samples.
Extremes extremes_of(const LeakageWindow& window, std::int64_t first, std::int64_t count) {
  Extremes all{window.at(first), window.at(first)};
  for (std::int64_t i = first + 1; i < first + count; ++i) {
    all.min = std::min(all.min, window.at(i));
    all.max = std::max(all.max, window.at(i));
  }
  return all;
}

// Computes v of leakage.h.
void take_band(const LeakageWindow& window, std::int64_t first, const LeakageFilters& filters, WindowWork& work) {
  const std::int64_t begin = window.begin(first), reads = window.reads();
  const auto [min, max] = extremes_of(window, begin, reads);
  const SampleToBits to_bits(min, max);
  work.bits.resize(reads);
  for (std::int64_t i = 0; i < reads; ++i) work.bits[i] = to_bits.of(window.at(begin + i));
  work.smoothed.resize(window.smoothed());
  integer_sums(work.bits.data(), filters.sharp_taps, window.step, work.smoothed);
  for (auto& value : work.smoothed) value >>= kSharpShift;
  work.sums.resize(window.points);
  integer_sums(work.smoothed.data(), filters.blunt_taps, 1, work.sums);
  work.v.resize(window.points);
  std::int64_t sum = 0;
  for (int i = 0; i < window.points; ++i)
    sum += work.v[i] = work.smoothed[i + window.blunt] - (work.sums[i] >> kBluntShift);
  const auto mean = static_cast<std::int32_t>(sum / window.points);
  for (auto& value : work.v) value -= mean;
}

Leakage measure(const LeakageWindow& window, std::int64_t first, const LeakageFilters& filters, WindowWork& work) {
  take_band(window, first, filters, work);
  const auto& v = work.v;
  std::int64_t size = 0, change = 0;
  for (int i = 0; i < window.points; ++i) {
    size += magnitude(v[i]);
    if (i > 0) change += magnitude(v[i] - v[i - 1]);
  }
  Leakage found{lag_of(size, change, window.points), 0, 0, 0};
  for (int i = found.lag; i < window.points; ++i) {
    found.apart += magnitude(v[i] + v[i - found.lag]);
    found.together += magnitude(v[i]) + magnitude(v[i - found.lag]);
  }
  const std::int64_t length = static_cast<std::int64_t>(window.points) * window.step;
  const auto [min, max] = extremes_of(window, first + length / 4, length - 2 * (length / 4));
  found.range = max - min;
  return found;
}

}  // namespace

LeakageFilters leakage_filters(double rate_hz) {
  constexpr double kPoint_hz = 125, kSharp_s = 0.006, kBlunt_s = 0.150;
  const int step = std::max(static_cast<int>(std::lround(rate_hz / kPoint_hz)), 1);
  return {step, whole_taps(gaussian(kSharp_s, rate_hz)), whole_taps(gaussian(kBlunt_s, rate_hz / step))};
}

void leakage(Cpu& cpu, std::span<const float> signal, std::span<const std::int64_t> firsts, int points,
             const LeakageFilters& filters, std::span<Leakage> found) {
  const LeakageWindow window = checked_leakage(signal, firsts, points, filters, found);
  parallel_for(cpu, std::ssize(firsts), 4, [&](std::int64_t begin, std::int64_t end) {
    WindowWork work;
    for (std::int64_t i = begin; i < end; ++i) found[i] = measure(window, firsts[i], filters, work);
  });
}

}  // namespace beatscan
