// tests/stages/score/ranking_example.h — beats with rows, and their distances by definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace beatscan {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;
using Flags = std::vector<std::uint8_t>;

inline constexpr std::int64_t kPoints = 256;

// Beats on the host. Their rows are residuals of a median beat, with a few shapes among them, in units of `spread`.
struct Example {
  Floats rows;
  std::vector<std::int64_t> kept;  // every second beat is kept
  std::vector<std::int32_t> trainable;
  struct {
    std::vector<std::int64_t> rows;
    Floats values, median;
    double spread;
  } reference;
  Floats from_median;
  Flags trusted, regular;
  Floats rhythm;  // scores of all beats, kept or not
  Floats noise;   // factors of the kept beats
  Flags heard;    // of the kept beats; empty: all are

  std::int64_t count() const { return std::ssize(kept); }
};

inline Example example(std::int64_t count, std::int64_t references, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Example made;
  made.reference.spread = 0.25;
  for (int j = 0; j < kPoints; ++j) made.reference.median.push_back(std::sin(0.1f * static_cast<float>(j)));
  for (std::int64_t b = 0; b < count; ++b) {
    const float width = 0.3f + static_cast<float>(random() % 4), shape = static_cast<float>(random() % 3);
    double square = 0;
    for (int j = 0; j < kPoints; ++j) {
      made.rows.push_back(width * normal(random) + shape * std::cos(0.05f * static_cast<float>(j)));
      square += std::pow(made.reference.spread * made.rows.back(), 2) / kPoints;
    }
    made.from_median.push_back(static_cast<float>(square));
    made.kept.push_back(2 * b);
    made.rhythm.insert(made.rhythm.end(), {static_cast<float>(random() % 7), 99.0f});
    made.noise.push_back(1);
    made.trusted.push_back(random() % 8 != 0);
    made.regular.push_back(b < 3 || (made.trusted.back() && random() % 4 != 0));
    if (made.regular.back()) made.trainable.push_back(static_cast<std::int32_t>(b));
  }
  made.reference.values.assign(made.rows.begin(), made.rows.begin() + references * kPoints);
  for (std::int64_t r = 0; r < references; ++r) made.reference.rows.push_back(r);
  return made;
}

// Returns z(log(e + 0.001)). Median and MAD are taken over the regular beats; the scale is half of 0.7 and half of
// their own.
inline Doubles expected_z(const Doubles& errors, const Flags& regular) {
  const auto median_of = [](Doubles values) {
    std::ranges::sort(values);
    return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
  };
  Doubles logs, chosen;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    logs.push_back(std::log(errors[i] + 1e-3));
    if (regular[i]) chosen.push_back(logs.back());
  }
  const double median = median_of(chosen);
  for (double& value : chosen) value = std::abs(value - median);
  const double scale = 0.5 * 1.4826 * median_of(chosen) + 0.5 * 0.7;
  for (double& value : logs) value = (value - median) / scale;
  return logs;
}

// Returns the distances from the median beat in the best size from 0.8 to 1.25.
inline Doubles expected_from_median(const Example& beats) {
  const auto& median = beats.reference.median;
  Doubles errors;
  for (std::int64_t b = 0; b < beats.count(); ++b) {
    Doubles beat(kPoints);
    double product = 0, square = 0, error = 0;
    for (int j = 0; j < kPoints; ++j) {
      beat[j] = median[j] + beats.reference.spread * beats.rows[b * kPoints + j];
      product += beat[j] * median[j];
      square += static_cast<double>(median[j]) * median[j];
    }
    const double size = std::clamp(product / square, 0.8, 1.25);
    for (int j = 0; j < kPoints; ++j) error += std::pow(beat[j] - size * median[j], 2) / kPoints;
    errors.push_back(error);
  }
  return errors;
}

// Returns the distances from the last of the nearest tenth of the references, but at least from the sixth nearest. Rows
// are compared as 64 means of neighbouring points.
inline Doubles expected_from_nearest(const Example& beats) {
  const auto references = std::ssize(beats.reference.rows);
  const auto rank = std::min(std::max<std::int64_t>(references / 10, 5), references - 1);
  Doubles errors;
  for (std::int64_t b = 0; b < beats.count(); ++b) {
    Doubles distances(references);
    for (std::int64_t r = 0; r < references; ++r)
      for (int i = 0; i < kPoints; i += 4) {
        double difference = 0;
        for (int j = i; j < i + 4; ++j)
          difference += (beats.rows[b * kPoints + j] - beats.reference.values[r * kPoints + j]) / 4.0;
        distances[r] += difference * difference / 64;
      }
    std::ranges::sort(distances);
    errors.push_back(std::pow(beats.reference.spread, 2) * distances[rank]);
  }
  return errors;
}

}  // namespace beatscan
