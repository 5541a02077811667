// Makes rows around the R peaks of an ECG with known beats, and tests what they hold. Which beats become rows is tested
// in test_beat_list.cpp.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/synthetic/generate.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/error.h"
#include "stages/io/recording/recording.h"
#include "stages/windows/embedded_beats.h"
#include "stages/windows/row_options.h"
#include "tests/support/backends.h"
#include "tests/support/beat_lists.h"
#include "tests/support/expect_error.h"

namespace beatscan {
namespace {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

constexpr double kRate = 250;

struct KnownEcg {
  Floats signal;    // 3 minutes in mV
  Doubles r_peaks;  // in samples; only beats whose rows are inside
  Flags is_pvc;
};

KnownEcg known_ecg() {
  const SyntheticEcg ecg(45'000, kRate, 0.08, 5);
  KnownEcg known{.signal = Floats(45'000)};
  ecg.render(0, known.signal);
  for (const auto& beat : ecg.beats()) {
    if (beat.r_peak_s * kRate >= 45'000) continue;
    known.r_peaks.push_back(beat.r_peak_s * kRate);
    known.is_pvc.push_back(beat.is_pvc);
  }
  return known;
}

// The result on the host.
struct Embedded {
  Floats rows;
  std::vector<std::int64_t> kept;
  std::vector<std::int32_t> trainable;
  struct {
    std::vector<std::int64_t> rows;
    Floats values, median;
    double amplitude, spread;
  } reference;
  Floats from_median;
  Flags trusted, regular;

  // Returns point j of row b as (beat - its mean) / amplitude.
  double beat(std::int64_t b, std::int64_t j) const {
    const auto points = std::ssize(reference.median);
    return reference.median[j] + reference.spread * rows[b * points + j];
  }
};

template <class Context>
class RowsOfEcg : public OnBackend<Context> {
 protected:
  // Returns beats that are all kept and trusted, with known intervals.
  static BeatList all_beats(const Doubles& r_peaks) {
    const auto count = r_peaks.size();
    return {r_peaks, std::vector<Quality>(count, Quality::good), std::vector<Outcome>(count, Outcome::kept),
            Flags(count, 1), Flags(count - 1, 0)};
  }
  Embedded embed(const Floats& signal, const BeatList& beats, const RowOptions& options = {}) {
    auto& context = this->context();
    const auto buffers = from_host(context, beats);
    const auto recording = with_one_lead<Context>({.samples = from_host(context, signal)});
    const auto found = embed_leads(context, recording, buffers, {.rows = options}, kRate);
    EXPECT_EQ(found.rows.points, options.points);
    EXPECT_EQ(found.rows.values.size(), found.rows.count * options.points);
    EXPECT_EQ(found.rows.count, found.beats());
    const auto& lead = found.leads.at(0).beats;
    const auto& reference = lead.reference;
    return {to_host(context, lead.rows),
            to_host(context, found.rows.kept),
            to_host(context, found.rows.trainable),
            {to_host(context, reference.rows), to_host(context, reference.values), reference.median,
             reference.amplitude, reference.spread},
            to_host(context, lead.from_median),
            to_host(context, found.trusted),
            to_host(context, gathered(context, found.rhythm.regular, found.rows.kept))};
  }
  Embedded embed(const Floats& signal) { return embed(signal, all_beats(ecg.r_peaks)); }

  const KnownEcg ecg = known_ecg();
};
TYPED_TEST_SUITE(RowsOfEcg, Backends, BackendNames);

// Returns the mean of x around p with Gaussian weights.
double smoothed(const Floats& x, double p, double sigma, double reach) {
  double sum = 0, weights = 0;
  for (auto i = static_cast<std::int64_t>(p - reach * sigma); static_cast<double>(i) <= p + reach * sigma; ++i) {
    const double weight = std::exp(-0.5 * std::pow((static_cast<double>(i) - p) / sigma, 2));
    sum += weight * x[std::clamp<std::int64_t>(i, 0, std::ssize(x) - 1)];
    weights += weight;
  }
  return sum / weights;
}

// Returns the beat in mV: the signal after a low-pass that is at -3 dB at 40 Hz, minus the baseline, which leaves -3 dB
// at 0.5 Hz. The sigmas are those of RowOptions' band.
Doubles expected_beat(const Floats& x, double r_peak) {
  Doubles beat(256);
  for (int j = 0; j < 256; ++j) {
    const double p = r_peak + (0.45 * j / 255 - 0.15) * kRate;
    beat[j] = smoothed(x, p, 0.0033125 * kRate, 5) - smoothed(x, p, 0.49885 * kRate, 5.3);
  }
  const double mean = std::accumulate(beat.begin(), beat.end(), 0.0) / 256;
  for (double& value : beat) value -= mean;
  return beat;
}

// The tolerance is half a hundredth of an R wave, for three simplifications together:
//   - the low-pass is tabulated for 64 places between samples, where an R wave rises by 0.2 mV a sample
//   - the low-pass is cut after 3 sigmas
//   - the baseline is computed on means of 40 ms
TYPED_TEST(RowsOfEcg, RowsAreTheBeatsAroundTheirRPeaks) {
  const auto found = this->embed(this->ecg.signal);
  ASSERT_EQ(found.kept.size(), this->ecg.r_peaks.size());
  for (std::int64_t b = 3; b < std::ssize(found.kept); b += 11) {
    const auto expected = expected_beat(this->ecg.signal, this->ecg.r_peaks[b]);
    for (int j = 0; j < 256; ++j)
      ASSERT_NEAR(found.reference.amplitude * found.beat(b, j), expected[j], 0.0055) << "beat " << b << ", point " << j;
  }
}

TYPED_TEST(RowsOfEcg, TheMedianBeatIsANormalOne) {
  const auto reference = this->embed(this->ecg.signal).reference;
  double sum = 0, squares = 0;
  for (const double value : reference.median) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum, 0, 1e-3);  // float32's last digits of 256 values
  EXPECT_NEAR(squares / 256, 1, 1e-5);
  const auto peak = std::ranges::max_element(reference.median) - reference.median.begin();
  EXPECT_NEAR(static_cast<double>(peak), 85, 1) << "a third of the way";
  EXPECT_NEAR(reference.median[85] * reference.amplitude, 0.95, 0.1) << "mV: 1.1, lower by the filter and the mean";
  EXPECT_GT(reference.spread, 0.01);
  EXPECT_LT(reference.spread, 0.2);
}

TYPED_TEST(RowsOfEcg, ReferenceBeatsAreSomeRegularOnesEvenlySpread) {
  RowOptions options;
  for (const int most : {10, 512}) {
    options.reference_beats = most;
    const auto found = this->embed(this->ecg.signal, this->all_beats(this->ecg.r_peaks), options);
    std::vector<std::int32_t> regular;
    for (std::size_t row = 0; row < found.regular.size(); ++row)
      if (found.regular[row]) regular.push_back(static_cast<std::int32_t>(row));
    const auto& reference = found.reference;
    const auto count = std::min<std::int64_t>(most, std::ssize(regular));
    ASSERT_EQ(std::ssize(reference.rows), count);
    ASSERT_EQ(std::ssize(reference.values), count * 256);
    Doubles squares(count);
    for (std::int64_t i = 0; i < count; ++i) {
      EXPECT_EQ(reference.rows[i], regular[i * std::ssize(regular) / count]);
      for (int j = 0; j < 256; ++j) {
        const double value = reference.values[i * 256 + j];
        ASSERT_NEAR(value, found.rows[reference.rows[i] * 256 + j], 1e-3) << i;  // scaled before or after rounding
        squares[i] += value * value / 256;
      }
    }
    std::ranges::sort(squares);  // the spread is that of all but the farthest 5 %
    const auto usual = static_cast<std::int64_t>(0.95 * static_cast<double>(count));
    EXPECT_NEAR(std::accumulate(squares.begin(), squares.begin() + usual, 0.0) / static_cast<double>(usual), 1, 1e-3);
  }
}

TYPED_TEST(RowsOfEcg, DominantRowsAreRegularAndNotTheFarthest) {
  const auto found = this->embed(this->ecg.signal);
  Doubles distances;
  for (std::int64_t b = 0; b < std::ssize(found.kept); ++b) {
    double sum = 0;
    for (int j = 0; j < 256; ++j) sum += std::pow(found.beat(b, j) - found.reference.median[j], 2) / 256;
    ASSERT_NEAR(found.from_median[b], sum, 1e-4 * sum) << b;  // 256 roundings, one after the other
    if (found.regular[b]) distances.push_back(found.from_median[b]);
    EXPECT_FALSE(this->ecg.is_pvc[b] && found.regular[b]) << "PVCs are premature";
  }
  std::ranges::sort(distances);
  const double farthest = distances[static_cast<std::size_t>(0.95 * static_cast<double>(distances.size() - 1))];
  std::vector<std::int32_t> usual;
  for (std::int64_t b = 0; b < std::ssize(found.kept); ++b)
    if (found.regular[b] && found.from_median[b] <= farthest) usual.push_back(static_cast<std::int32_t>(b));
  EXPECT_EQ(found.trainable, usual);
  EXPECT_GE(usual.size(), 100u);
}

TYPED_TEST(RowsOfEcg, PvcsAreFarFromTheMedianBeat) {
  const auto found = this->embed(this->ecg.signal);
  float farthest_normal = 0, nearest_pvc = INFINITY;
  for (std::size_t b = 0; b < found.kept.size(); ++b)
    if (this->ecg.is_pvc[b])
      nearest_pvc = std::min(nearest_pvc, found.from_median[b]);
    else
      farthest_normal = std::max(farthest_normal, found.from_median[b]);
  EXPECT_LT(nearest_pvc, 100) << "there are some";
  EXPECT_GT(nearest_pvc, 3 * farthest_normal);
}

TYPED_TEST(RowsOfEcg, GainAndPolarityDoNotMatter) {
  const auto expected = this->embed(this->ecg.signal);
  for (const float gain : {4.0f, -0.5f}) {
    auto signal = this->ecg.signal;
    for (float& value : signal) value *= gain;
    auto rows = expected.rows;
    for (float& value : rows) value = gain < 0 ? -value : value;
    const auto found = this->embed(signal);
    EXPECT_EQ(found.rows, rows) << "powers of two keep all digits";
    EXPECT_EQ(found.from_median, expected.from_median);
    EXPECT_EQ(found.trainable, expected.trainable);
    EXPECT_EQ(found.reference.amplitude, std::abs(gain) * expected.reference.amplitude);
    EXPECT_EQ(found.reference.spread, expected.reference.spread);
  }
}

// The tolerance is for steps of 1e-6 mV between values around 8 mV. A row's unit is the spread, which is 0.014 mV here.
TYPED_TEST(RowsOfEcg, OffsetsDoNotMatter) {
  const auto expected = this->embed(this->ecg.signal);
  auto signal = this->ecg.signal;
  for (float& value : signal) value += 8;
  const auto found = this->embed(signal);
  for (std::size_t i = 0; i < found.rows.size(); ++i) ASSERT_NEAR(found.rows[i], expected.rows[i], 2e-3) << i;
}

TYPED_TEST(RowsOfEcg, KeptRowsAloneAreThere) {
  auto beats = this->all_beats(this->ecg.r_peaks);
  const auto all = this->embed(this->ecg.signal, beats);
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < std::ssize(beats.outcomes); ++i) {
    if (i % 10 == 4) {
      beats.outcomes[i] = Outcome::in_gap;
      beats.trusted[i] = 0;
    } else {
      kept.push_back(i);
    }
  }
  const auto found = this->embed(this->ecg.signal, beats);
  ASSERT_EQ(found.kept, kept);
  for (std::size_t row = 0; row < kept.size(); row += 7)
    for (int j = 0; j < 256; j += 5)
      ASSERT_NEAR(found.reference.amplitude * found.beat(row, j), all.reference.amplitude * all.beat(kept[row], j),
                  1e-5);
  EXPECT_EQ(found.trusted, Flags(kept.size(), 1));
}

// Beyond the recording a row is like the median beat: its residual is 0.
TYPED_TEST(RowsOfEcg, BeatsAtTheEndsAreContinuedByTheMedianBeat) {
  auto r_peaks = this->ecg.r_peaks;
  r_peaks.front() = 10;
  r_peaks.back() = 45'000 - 20;
  const auto found = this->embed(this->ecg.signal, this->all_beats(r_peaks));
  const auto last = std::ssize(r_peaks) - 1;
  for (const float value : found.rows) ASSERT_TRUE(std::isfinite(value));
  for (int j = 0; j < 10; ++j) EXPECT_EQ(found.rows[j], 0) << j;
  for (int j = 190; j < 256; ++j) EXPECT_EQ(found.rows[last * 256 + j], 0) << j;
  EXPECT_NE(found.rows[100], 0);
  EXPECT_NE(found.rows[last * 256 + 30], 0);
}

TYPED_TEST(RowsOfEcg, BeatsThatAreAllAlikeAreNotDividedByZero) {
  Floats signal(20'000);
  Doubles r_peaks;
  for (int i = 0; i < 80; ++i) {
    r_peaks.push_back(250 * i + 125);
    for (int t = -60; t <= 60; ++t) signal[250 * i + 125 + t] = static_cast<float>(std::exp(-t * t / 32.0));
  }
  const auto found = this->embed(signal, this->all_beats(r_peaks));
  EXPECT_EQ(found.reference.spread, 1e-3) << "the least";
  for (std::size_t row = 10; row < 70; ++row) EXPECT_LT(found.from_median[row], 1e-6) << row;
}

TYPED_TEST(RowsOfEcg, RefusesWhatHasNoBeatsOrNoShape) {
  auto beats = this->all_beats(this->ecg.r_peaks);
  expect_error(ErrorKind::unanalysable, "no shape", [&] { this->embed(Floats(45'000, 0.0f), beats); });
  beats.trusted.assign(beats.trusted.size(), 0);
  beats.trusted[7] = 1;
  expect_error(ErrorKind::unanalysable, "no beats", [&] { this->embed(this->ecg.signal, beats); });
  beats.trusted[9] = 1;
  EXPECT_NO_THROW(this->embed(this->ecg.signal, beats)) << "two are enough";
}

}  // namespace
}  // namespace beatscan
