#include "stages/quality/quality_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "app/pipeline/models.h"
#include "stages/io/recording/recording.h"
#include "stages/rhythm/fibrillation.h"
#include "tests/paths/paths.h"
#include "tests/support/backends.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

using namespace quality;

constexpr float kMissingSample = std::numeric_limits<float>::quiet_NaN();

// Decodes base64 of little-endian 16-bit numbers.
std::vector<std::int16_t> decoded_int16(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 255));
  }
  std::vector<std::int16_t> values(bytes.size() / 2);
  bytes.copy(reinterpret_cast<char*>(values.data()), values.size() * 2);
  return values;
}

// Returns all numbers of nested lists in order.
std::vector<float> all_numbers(const nlohmann::json& json) {
  if (json.is_number()) return {json.get<float>()};
  std::vector<float> all;
  for (const auto& item : json)
    for (const float value : all_numbers(item)) all.push_back(value);
  return all;
}

struct ReferenceRecording {
  double rate_hz;
  std::vector<std::vector<float>> leads;  // mV, NaN where a sample is missing
  std::vector<float> features, p, fibrillation;
  double acceptable;
};

// scripts/train_quality --reference writes the file.
std::vector<ReferenceRecording> reference_recordings() {
  std::ifstream file(source_folder() + "/tests/stages/quality/quality_reference.json");
  std::vector<ReferenceRecording> all;
  const auto document = nlohmann::json::parse(file);
  for (const auto& json : document.at("recordings")) {
    ReferenceRecording recording{json.at("rate_hz"),
                                 {},
                                 all_numbers(json.at("found")),
                                 all_numbers(json.at("p")),
                                 all_numbers(json.at("fibrillation")),
                                 json.at("acceptable")};
    const auto samples = decoded_int16(json.at("samples_int16"));
    const std::size_t leads = json.at("leads"), length = samples.size() / leads;
    for (std::size_t l = 0; l < leads; ++l) {
      recording.leads.emplace_back();
      for (std::size_t i = 0; i < length; ++i) {
        const std::int16_t value = samples[l * length + i];
        recording.leads.back().push_back(
            value == -32768 ? kMissingSample : static_cast<float>(value * json.at("unit_mv").get<double>()));
      }
    }
    all.push_back(std::move(recording));
  }
  return all;
}

// Makes a recording in mV, with straight lines over missing samples.
template <class Context>
Recording<Context> recorded_in_mv(Context& context, const std::vector<std::vector<float>>& leads) {
  auto recording = recording_of_leads(context, leads);
  for (std::size_t l = 0; l < leads.size(); ++l) {
    recording.leads[l].unit = "mV";
    recording.leads[l].missing = std::ranges::count_if(leads[l], [](float x) { return std::isnan(x); });
  }
  bridge_and_measure(context, recording, "made");
  return recording;
}

template <class Context>
std::vector<float> features_of_lead(Context& context, const std::vector<float>& x, double rate_hz,
                                    std::int64_t window_blocks = 0) {
  const auto recording = recorded_in_mv(context, {x});
  const auto& lead = recording.leads.front();
  const auto tables = quality_tables(context, rate_hz);
  const auto view = lead_of(tables, lead.samples, lead.gap_firsts, lead.gap_lasts, rate_hz, 1);
  Buffer<float, Context> features(context, view.blocks * kFeatures);
  lead_features(context, view, features, window_blocks);
  return to_host(context, features);
}

template <class Context>
class QualityIndexes : public OnBackend<Context> {
 protected:
  QualityIndex index_of(const std::vector<std::vector<float>>& leads, double rate_hz) {
    return quality_index(this->context(), recorded_in_mv(this->context(), leads), quality_model(""), rate_hz);
  }
};
TYPED_TEST_SUITE(QualityIndexes, Backends, BackendNames);

// The reference computes in double. Beside a rounding of 1e-5, the lag of the leakage may be the next whole number, and
// what is 0 may be a rounding of a millivolt: 1e-6 of it.
TYPED_TEST(QualityIndexes, AreThoseOfThePythonReference) {
  for (const auto& reference : reference_recordings()) {
    SCOPED_TRACE(reference.rate_hz);
    std::vector<float> features;
    for (const auto& lead : reference.leads)
      for (const float value : features_of_lead(this->context(), lead, reference.rate_hz)) features.push_back(value);
    ASSERT_EQ(features.size(), reference.features.size());
    for (std::size_t i = 0; i < features.size(); ++i) {
      const float expected = reference.features[i];
      const std::size_t of = i % kFeatures;
      const double next_lag = expected * expected * 2 / kValuesHz;  // between frequencies
      const double tolerance = of == kLeakage ? 0.02 : of == kHz ? 1.1 * next_lag : 1e-5 * std::abs(expected) + 2e-6;
      EXPECT_NEAR(features[i], expected, tolerance) << kFeatureNames[i % kFeatures] << " of block " << i / kFeatures;
    }
    const QualityIndex index = this->index_of(reference.leads, reference.rate_hz);
    ASSERT_EQ(index.probabilities.size(), reference.p.size());
    for (std::size_t i = 0; i < reference.p.size(); ++i)
      EXPECT_NEAR(index.probabilities[i], reference.p[i], 0.01) << i << ": at most a few leaves are others";
    EXPECT_NEAR(index.acceptable, reference.acceptable, 1e-3);
    std::vector<std::size_t> leads(reference.leads.size());
    std::iota(leads.begin(), leads.end(), 0);
    const auto fibrillation = fibrillation_posteriors(index, leads);
    ASSERT_EQ(fibrillation.size(), reference.fibrillation.size());
    for (std::size_t b = 0; b < fibrillation.size(); ++b)
      EXPECT_NEAR(fibrillation[b], reference.fibrillation[b], 0.01) << b;
  }
}

// Rates with and without code of their own for resampling, windows that end in the lead, and missing samples.
TYPED_TEST(QualityIndexes, AreTheSameBitsOnBothBackEndsAndInAnyWindows) {
  for (const int rate_hz : {100, 125, 250, 360, 500, 1000}) {
    auto x = synthetic_minute(rate_hz, 0.1);
    for (int i = 20 * rate_hz; i < 21 * rate_hz; ++i) x[i] = kMissingSample;
    for (int i = 30 * rate_hz; i < 37 * rate_hz; ++i) x[i] = 0.25F;
    for (const std::size_t length :
         {x.size(), x.size() / 3, std::size_t(2 * rate_hz), std::size_t(3), std::size_t(1)}) {
      SCOPED_TRACE(testing::Message() << rate_hz << " Hz, " << length << " samples");
      const std::vector<float> part(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(length));
      Cpu one_thread(1);
      const auto of_cpu = features_of_lead(one_thread, part, rate_hz);
      for (const std::int64_t window : {0, 1, 7})
        EXPECT_EQ(bits_of(features_of_lead(this->context(), part, rate_hz, window)), bits_of(of_cpu)) << window;
    }
  }
}

TYPED_TEST(QualityIndexes, TellGoodLeadsFromBadOnes) {
  auto good = synthetic_minute(250, 0), noisy = good, off = good;
  unsigned noise = 5;
  for (float& value : noisy)
    value += static_cast<float>(3 * ((noise = noise * 1'664'525 + 1'013'904'223) / 4294967296.0 - 0.5));
  for (std::size_t i = 2500; i < off.size(); ++i) off[i] = 0.2F;
  const QualityIndex index = this->index_of({good, noisy, off}, 250);
  ASSERT_EQ(index.leads, 3);
  ASSERT_EQ(index.blocks, 30);
  EXPECT_GT(quality_shares(index, 0)[kGood], 0.95);
  EXPECT_GT(quality_shares(index, 1)[kNoise], 0.8);
  EXPECT_GT(quality_shares(index, 2)[kLost], 0.75);
  for (std::int64_t l = 0; l < 3; ++l)
    for (std::int64_t b = 0; b < 30; ++b)
      EXPECT_NEAR(index.at(l, b, kGood) + index.at(l, b, kNoise) + index.at(l, b, kLost), 1, 1e-6);
  const double of_all = index.acceptable, of_one = this->index_of({good}, 250).acceptable;
  EXPECT_TRUE(0 <= of_all && of_all < of_one && of_one <= 1) << of_all << " " << of_one;
}

// A flat lead is left out when a recording is read, and still makes the recording less acceptable.
TYPED_TEST(QualityIndexes, CountLeadsThatWereLeftOut) {
  const auto good = synthetic_minute(250, 0);
  auto& context = this->context();
  const auto with_flat = recorded_in_mv(context, {good, std::vector<float>(good.size(), 0.5F)});
  ASSERT_EQ(with_flat.leads.size(), 1U);
  ASSERT_EQ(with_flat.left_out, 1);
  auto both = recorded_in_mv(context, {good, good});
  both.leads[1].samples = from_host(context, std::vector<float>(good.size(), 0.5F));
  const QualityIndex index = quality_index(context, with_flat, quality_model(""), 250),
                     expected = quality_index(context, both, quality_model(""), 250);
  EXPECT_EQ(index.leads, 1);
  EXPECT_EQ(index.acceptable, expected.acceptable);
  EXPECT_LT(index.acceptable, this->index_of({good}, 250).acceptable);
}

TYPED_TEST(QualityIndexes, DoNotExistForRatesThatAreTooLowOrTooHigh) {
  const auto x = synthetic_minute(250, 0);
  EXPECT_FALSE(this->index_of({x}, 19).exists());
  EXPECT_FALSE(this->index_of({x}, 20001).exists());
  EXPECT_FALSE(this->index_of({x}, std::nan("")).exists());
  for (const double rate_hz : {20.0, 59.5, 20000.0}) {
    const QualityIndex index = this->index_of({x}, rate_hz);
    EXPECT_TRUE(index.exists());
    for (const float value : index.probabilities) EXPECT_TRUE(std::isfinite(value));
    EXPECT_TRUE(index.acceptable >= 0 && index.acceptable <= 1);
  }
}

}  // namespace
}  // namespace beatscan
