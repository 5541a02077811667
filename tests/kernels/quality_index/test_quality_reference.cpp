// The whole chain on made-up recordings, against the reference in Python: noise, mains, a lead that is off, clipping,
// losses, missing samples, at 128, 360 and 1000 Hz.
#include <algorithm>

#include "kernels/quality_index/features.h"
#include "kernels/quality_index/measure_bands.h"
#include "kernels/quality_index/sampled.h"
#include "stages/recording/recording.h"
#include "tests/kernels/quality_index/quality_reference.h"
#include "tests/support/backends.h"

namespace beatscan::quality_index {
namespace {

struct ReferenceRecording {
  nlohmann::json json;

  double rate_hz() const { return json.at("rate_hz"); }
  std::vector<BridgedLead> leads() const {
    const auto values = int16_of(json.at("samples_int16"));
    const std::size_t leads = json.at("leads"), size = values.size() / leads;
    std::vector<BridgedLead> all;
    for (std::size_t l = 0; l < leads; ++l) {
      std::vector<float> samples;
      for (std::size_t i = 0; i < size; ++i) {
        const std::int16_t value = values[l * size + i];
        samples.push_back(value == -32768 ? NAN : static_cast<float>(value) * json.at("unit_mv").get<float>());
      }
      all.emplace_back(std::move(samples));
    }
    return all;
  }
  // Returns numbers [L][B][width] of a name.
  std::vector<double> numbers(const char* name) const {
    std::vector<double> all;
    for (const auto& lead : json.at(name))
      for (const auto& block : lead)
        for (const auto& value : block) all.push_back(value);
    return all;
  }
};

std::vector<ReferenceRecording> reference_recordings() {
  std::vector<ReferenceRecording> all;
  for (const auto& json : quality_json("tests/kernels/quality_index/quality_reference.json").at("recordings"))
    all.push_back({json});
  return all;
}

template <class Context>
class QualityReference : public OnBackend<Context> {
 protected:
  QualityIndex<Context> index_of(const ReferenceRecording& reference) {
    auto& context = this->context();
    Recording<Context> recording;
    for (const BridgedLead& lead : reference.leads()) {
      auto& recorded = recording.leads.emplace_back();
      recorded.unit = "mV";
      recorded.samples = from_host(context, lead.samples);
      recorded.gap_firsts = from_host(context, lead.firsts);
      recorded.gap_lasts = from_host(context, lead.lasts);
    }
    return quality_index_of(context, recording, trained_quality(), reference.rate_hz());
  }
};
TYPED_TEST_SUITE(QualityReference, Backends, BackendNames);

// The reference computes in float64 and this in float32, of samples that the reference has as multiples of 0.005 in
// float32, too.
TYPED_TEST(QualityReference, BandsOfTheFirstBlockAreEqual) {
  for (const ReferenceRecording& reference : reference_recordings()) {
    SCOPED_TRACE(reference.rate_hz());
    auto& context = this->context();
    const auto samples = from_host(context, reference.leads().front().samples);
    const std::int64_t blocks = block_count(samples.size(), reference.rate_hz());
    Buffer<float, TypeParam> y(context, blocks * kBlock), wave(context, y.size()), qrs(context, y.size()),
        envelope(context, y.size()), measures(context, blocks * kMeasures);
    sample_at_125_hz(context, samples, sampling_table(context, reference.rate_hz()), y);
    measure_bands(context, y, mains_table(context), {wave, qrs, envelope}, measures);
    const auto& expected = reference.json.at("first_blocks");
    const auto compare = [&](const char* name, const Buffer<float, TypeParam>& found) {
      const std::vector<double> values = expected.at(name);
      const auto host = to_host(context, found);
      for (std::size_t k = 0; k < values.size(); ++k) ASSERT_NEAR(host[k], values[k], 3e-6) << name << " " << k;
    };
    compare("values", y);
    compare("wave", wave);
    compare("envelope", envelope);
  }
}

TYPED_TEST(QualityReference, FeaturesAreEqual) {
  for (const ReferenceRecording& reference : reference_recordings()) {
    SCOPED_TRACE(reference.rate_hz());
    const auto index = this->index_of(reference);
    const auto found = to_host(this->context(), index.features);
    const auto expected = reference.numbers("found");
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], expected[i], 2e-4 * std::max(std::abs(expected[i]), 0.05))
          << kFeatureNames[i % kFeatures] << " of block " << i / kFeatures;
  }
}

// A feature that lies beside a threshold may fall on its other side.
TYPED_TEST(QualityReference, ProbabilitiesAreEqual) {
  for (const ReferenceRecording& reference : reference_recordings()) {
    SCOPED_TRACE(reference.rate_hz());
    const auto index = this->index_of(reference);
    const auto found = to_host(this->context(), index.probabilities);
    const auto expected = reference.numbers("p");
    ASSERT_EQ(found.size(), expected.size());
    std::size_t other = 0;
    for (std::size_t i = 0; i < found.size(); ++i) other += std::abs(found[i] - expected[i]) > 1e-5 ? 1 : 0;
    EXPECT_LE(other, found.size() / 20);
    EXPECT_NEAR(index.acceptable, reference.json.at("acceptable").get<double>(), 0.02);
  }
}

// What was made is found: noise, a lead that is off, and clipping.
TYPED_TEST(QualityReference, NamesWhatWasMade) {
  const ReferenceRecording reference = reference_recordings().front();
  const auto index = this->index_of(reference);
  const auto p = to_host(this->context(), index.probabilities);
  const auto of = [&](std::int64_t lead, std::int64_t block, Class c) {
    return p[(lead * index.blocks + block) * kClasses + c];
  };
  EXPECT_GT(of(0, 1, kGood), 0.9F);
  EXPECT_GT(of(1, 1, kGood), 0.9F);
  EXPECT_GT(of(0, 5, kNoise), 0.8F) << "muscle noise from 8 to 14 s";
  EXPECT_GT(of(1, 6, kLost), 0.8F) << "off from 10 to 16 s";
  for (std::size_t i = 0; i < p.size(); i += kClasses) EXPECT_NEAR(p[i] + p[i + 1] + p[i + 2], 1, 1e-6);
}

}  // namespace
}  // namespace beatscan::quality_index
