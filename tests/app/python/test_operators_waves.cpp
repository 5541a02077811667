// Calls the operator `delineate`, and compares its tensors with the stages.
#include <cmath>
#include <random>
#include <span>

#include "app/pipeline/models.h"
#include "app/python/results.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "stages/waves/wave_summary.h"
#include "tests/app/python/operators_test.h"

namespace beatscan {
namespace {

using Sizes = std::vector<std::int64_t>;

std::vector<float> as_floats(std::span<const double> values) { return {values.begin(), values.end()}; }

template <class Context>
class OperatorDelineate : public Operators<Context> {
 protected:
  // Returns the waves of all beats from the stages, with the templates of their findings.
  BeatWaves by_stages(const Recording<Context>& recording, const BeatList& beats,
                      const EmbeddedBeats<Context>& embedded) {
    auto& context = this->context();
    const Config config = this->config();
    const auto scored = score_around_r_peaks(context, embedded, VaeModel(), config.score);
    const auto kept = to_host(context, embedded.rows.kept);
    const QualityIndex none;
    const RankedBeats<Context> ranked{recording, embedded, beats, kept, *scored.ranking, none, kRate};
    auto found = delineated_beats(context, ranked, shapes_and_intervals(context, ranked, config.rows), wave_model({}),
                                  config.waves);
    std::vector<std::uint8_t> poor;
    for (const Quality quality : beats.quality) poor.push_back(quality != Quality::good);
    take_waves_off(found, poor);
    return found;
  }
  Columns delineate(const at::Tensor& x, const c10::Stack& beats, OperatorArguments more = {}) {
    more.insert({{"x", x}, {"r_peaks", beats[0]}, {"rate_hz", kRate}, {"blocks", beats[2]}});
    return columns_in(call("delineate", more));
  }
  c10::Stack find(const at::Tensor& x) { return call("find_beats", {{"x", x}, {"rate_hz", kRate}}); }
};
TYPED_TEST_SUITE(OperatorDelineate, Backends, BackendNames);

TYPED_TEST(OperatorDelineate, IsTheStages) {
  const at::Tensor x = this->x();
  const auto recording = this->recording(x);
  const auto beats = this->found(recording, this->config());
  const auto embedded = operators::embed(this->context(), recording, beats, this->config());
  const BeatWaves expected = this->by_stages(recording, beats.list, embedded);
  const Columns found = this->delineate(x, this->find(x));

  const std::int64_t count = std::ssize(beats.list.r_peaks);
  ASSERT_GT(count, 60);
  EXPECT_EQ(found.at("fiducials").sizes().vec(), (Sizes{count, 9}));
  EXPECT_EQ(found.at("fiducials").device(), x.device());
  std::vector<double> samples;
  std::vector<float> intervals;
  const auto rr_s = local_rr_s(beats.list.r_peaks, beats.list.broken, kRate);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto of_beat = expected.fiducials_of(i);
    for (const float value : of_beat) samples.push_back(beats.list.r_peaks[i] + kRate / 250 * value);
    const auto [pr, qrs, qt] = wave_intervals(of_beat);
    intervals.insert(intervals.end(), {pr, qrs, qt, expected.qtc_ms[i]});
    EXPECT_TRUE(std::isnan(qt) || std::isfinite(rr_s[i]));
  }
  EXPECT_EQ(bits_of(as_floats(values_of<double>(found.at("fiducials")))), bits_of(as_floats(samples)));
  EXPECT_EQ(bits_of(values_of<float>(found.at("intervals"))), bits_of(intervals));
  for (const auto& [name, values] : {std::pair{"st_mv", &expected.st_mv},
                                     {"confidence", &expected.confidence},
                                     {"p_evidence", &expected.p_evidence},
                                     {"p_similarity", &expected.p_similarity},
                                     {"lead_tq_mv", &expected.lead_tq_mv}})
    EXPECT_EQ(bits_of(values_of<float>(found.at(name))), bits_of(*values)) << name;
  EXPECT_EQ(found.at("non_conducted_p").sizes().vec(), (Sizes{std::ssize(expected.non_conducted), 3}));
  const auto amplitudes = values_of<float>(found.at("lead_amplitudes"));
  ASSERT_EQ(std::ssize(amplitudes), 3 * count);
  for (std::int64_t i = 0; i < count; ++i)
    EXPECT_EQ(bits_of({amplitudes[3 * i + 2]}),
              bits_of({expected.lead_amplitudes[i * waves::kAmplitudes + waves::kTAmplitude]}));
}

// The generated ECG has a P wave, a QRS complex and a T wave in nearly all beats, in this order.
TYPED_TEST(OperatorDelineate, FindsTheWavesOfAGeneratedEcg) {
  const at::Tensor x = this->x();
  const Columns found = this->delineate(x, this->find(x));
  const auto samples = values_of<double>(found.at("fiducials"));
  std::int64_t complete = 0;
  for (std::size_t beat = 0; beat < samples.size() / 9; ++beat) {
    const auto of_beat = std::span(samples).subspan(9 * beat, 9);
    if (std::ranges::none_of(of_beat, [](double value) { return std::isnan(value); })) {
      ++complete;
      EXPECT_TRUE(std::ranges::is_sorted(of_beat)) << beat;
    }
  }
  EXPECT_GT(complete, std::ssize(samples) / 9 * 3 / 4);
}

TYPED_TEST(OperatorDelineate, ARowWithoutBeatsHasNoWaves) {
  const at::Tensor one = this->x();
  const at::Tensor x = at::stack({at::full_like(one, kNone), one, at::full_like(one, 3), one * -0.5});
  const auto beats = this->find(x);
  const Columns found = this->delineate(x, beats);
  const std::int64_t count = beats[0].toTensor().size(0);
  EXPECT_EQ(found.at("lead_fiducials").sizes().vec(), (Sizes{4, count, 9}));
  EXPECT_EQ(found.at("lead_tq_mv").sizes().vec(), (Sizes{4, count}));
  for (const char* name : {"lead_fiducials", "lead_intervals", "lead_amplitudes", "lead_tq_mv"})
    for (const std::int64_t row : {0, 2}) EXPECT_TRUE(found.at(name)[row].isnan().all().template item<bool>()) << name;
  const at::Tensor qrs = found.at("lead_fiducials").select(2, waves::kQrsOnset);
  for (const std::int64_t row : {1, 3}) EXPECT_FALSE(qrs[row].isnan().any().template item<bool>());
  // In leads that differ only in gain and sign, the QRS complex is at the same place, and so it is over all of them.
  EXPECT_LT((qrs[1] - found.at("fiducials").select(1, waves::kQrsOnset)).abs().max().template item<double>(), 4);
}

TYPED_TEST(OperatorDelineate, BeatsInPoorSignalHaveNoWaves) {
  std::vector<float> samples = synthetic_ecg();
  std::mt19937 random(3);
  for (std::size_t i = 30 * 250; i < 42 * 250; ++i) samples[i] += static_cast<float>(random() % 1000) / 400 - 1.25f;
  const at::Tensor x = this->tensor(samples);
  const auto beats = this->find(x);
  const Columns found = this->delineate(x, beats);
  const auto quality = values_of<std::uint8_t>(beats[1]);
  const auto qrs_onsets = values_of<double>(found.at("fiducials").select(1, waves::kQrsOnset));
  ASSERT_GT(std::ranges::count(quality, std::uint8_t{0}), 40);
  ASSERT_LT(std::ranges::count(quality, std::uint8_t{0}), std::ssize(quality) - 4);
  for (std::size_t beat = 0; beat < quality.size(); ++beat)
    EXPECT_EQ(std::isnan(qrs_onsets[beat]), quality[beat] != 0) << beat;
}

// Beats from another source; there may be only one.
TYPED_TEST(OperatorDelineate, OneBeatStandsForItself) {
  const at::Tensor x = this->x();
  const auto beats = this->find(x);
  const auto one = beats[0].toTensor().narrow(0, 20, 1).clone();
  const Columns found = columns_in(call("delineate", {{"x", x}, {"r_peaks", one}, {"rate_hz", kRate}}));
  const auto samples = values_of<double>(found.at("fiducials"));
  ASSERT_EQ(samples.size(), 9u);
  const double r_peak = values_of<double>(one)[0];
  EXPECT_NEAR(samples[waves::kQrsOnset], r_peak - 0.04 * kRate, 0.04 * kRate);
  EXPECT_NEAR(samples[waves::kQrsOffset], r_peak + 0.06 * kRate, 0.06 * kRate);
  EXPECT_TRUE(std::isnan(values_of<float>(found.at("intervals"))[3])) << "without a neighbour there is no QTc";
}

TYPED_TEST(OperatorDelineate, OptionsAreThoseOfWaves) {
  const at::Tensor x = this->x();
  const auto beats = this->find(x);
  const auto by_default = this->delineate(x, beats);
  const auto bazett = this->delineate(x, beats, {{"waves_qtc", "bazett"}});
  EXPECT_EQ(bits_of_tensor(by_default.at("intervals").narrow(1, 0, 3)),
            bits_of_tensor(bazett.at("intervals").narrow(1, 0, 3)));
  EXPECT_NE(bits_of_tensor(by_default.at("intervals")), bits_of_tensor(bazett.at("intervals")));
}

TYPED_TEST(OperatorDelineate, WhatDoesNotServeIsRefused) {
  const at::Tensor x = this->x();
  const auto r_peaks = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).to(x.device());
  };
  const auto refused = [&](const OperatorArguments& given) {
    OperatorArguments all{{"x", x}, {"r_peaks", r_peaks({100, 300})}, {"rate_hz", kRate}};
    for (const auto& [name, value] : given) all[name] = value;
    return refusal("delineate", all);
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"r_peaks", r_peaks({})}}), "r_peaks: is empty; give a sample a beat");
  EXPECT_NE(refused({{"r_peaks", r_peaks({300, 100})}}).find("r_peaks: "), std::string::npos);
  EXPECT_NE(refused({{"r_peaks", r_peaks({100, 1e9})}}).find("r_peaks: "), std::string::npos);
  EXPECT_NE(refused({{"rate_hz", 59.0}}).find("R peaks can be found at 60"), std::string::npos);
  EXPECT_EQ(refused({{"rate_hz", 5001.0}}),
            "rate_hz: 5001 Hz: waves are found at up to 5000 Hz; resample the recording");
  EXPECT_NE(refused({{"config", "seed"}}).find("the published method finds no waves"), std::string::npos);
  EXPECT_NE(refused({{"waves_model", "no such file"}}).find("no such file"), std::string::npos);
}

}  // namespace
}  // namespace beatscan
