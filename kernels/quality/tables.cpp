#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include "kernels/quality/lead.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kHalfWidth = 4;  // of the sinc, in periods of the smaller of the rate and 125 Hz
constexpr double kWaveHz = 35, kMuscleHz = 15, kQrsLowHz = 8, kQrsHighHz = 20, kMainsHz[] = {50, 60};

double sinc(double x) { return x == 0 ? 1 : std::sin(kPi * x) / (kPi * x); }

// Returns half of the taps of a low-pass, from the middle one on: a sinc with a Hann window, whose sum is 1.
std::vector<double> low_pass(double cutoff_hz, int reach) {
  std::vector<double> taps;
  double sum = 0;
  for (int j = 0; j <= reach; ++j) {
    taps.push_back(sinc(2 * cutoff_hz / kValuesHz * j) * (0.5 + 0.5 * std::cos(kPi * j / (reach + 1))));
    sum += j == 0 ? taps[j] : 2 * taps[j];
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}

Filters filters() {
  Filters all{};
  std::ranges::copy(low_pass(kWaveHz, kWaveReach), all.wave);
  std::ranges::copy(low_pass(kMuscleHz, kMuscleReach), all.muscle);
  const auto high = low_pass(kQrsHighHz, kQrsReach), low = low_pass(kQrsLowHz, kQrsReach);
  for (int j = 0; j <= kQrsReach; ++j) all.qrs[j] = static_cast<float>(high[j] - low[j]);
  for (int j = -kBaselineReach; j <= kBaselineReach; ++j)  // cosines of a whole turn: their sum is the length's half
    all.baseline[j + kBaselineReach] =
        static_cast<float>((0.5 + 0.5 * std::cos(kPi * j / (kBaselineReach + 1))) / (kBaselineReach + 1));
  for (int i = 0; i < kBlockValues; ++i) {
    const double hann = 0.5 - 0.5 * std::cos(2 * kPi * (i + 0.5) / kBlockValues);
    for (int f = 0; f < 2; ++f) {
      const double turn = 2 * kPi * i * kMainsHz[f] / kValuesHz;
      all.mains[2 * f][i] = static_cast<float>(hann * std::cos(turn));
      all.mains[2 * f + 1][i] = static_cast<float>(hann * std::sin(turn));
    }
  }
  return all;
}

}  // namespace

HostTables host_tables(double rate_hz) {
  BEATSCAN_EXPECTS(rate_hz >= kLeastRateHz && rate_hz <= kMostRateHz, "quality_tables: rate out of range");
  const double slower_hz = std::min(rate_hz, kValuesHz), half = kHalfWidth * rate_hz / slower_hz;  // half in samples
  const int reach = static_cast<int>(std::ceil(half));
  HostTables tables{.taps = (2 * reach + 7) / 8 * 8, .before = reach - 1, .weights = {}, .filters = {}};
  std::vector<double> row(tables.taps);
  for (int phase = 0; phase <= kPhases; ++phase) {
    double sum = 0;
    for (int t = 0; t < tables.taps; ++t) {
      const double distance = t - tables.before - static_cast<double>(phase) / kPhases;
      row[t] = std::abs(distance) < half
                   ? sinc(slower_hz / rate_hz * distance) * (0.5 + 0.5 * std::cos(kPi * distance / half))
                   : 0;
      sum += row[t];
    }
    for (const double weight : row) tables.weights.push_back(static_cast<float>(weight / sum));
  }
  const Filters all = filters();
  tables.filters.resize(sizeof all / sizeof(float));
  std::memcpy(tables.filters.data(), &all, sizeof all);
  return tables;
}

std::int64_t block_count(std::int64_t samples, double rate_hz) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(samples) / (kBlockS * rate_hz)));
}

Tables<Cpu> quality_tables(Cpu& cpu, double rate_hz) {
  const HostTables tables = host_tables(rate_hz);
  return {tables.taps, tables.before, from_host(cpu, tables.weights), from_host(cpu, tables.filters)};
}

}  // namespace beatscan::quality
