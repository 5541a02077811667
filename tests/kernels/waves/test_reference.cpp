// The whole chain on a synthetic recording of two leads and seven beats, against the reference in Python.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/templates/shape_distances.h"
#include "kernels/waves/amplitudes.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/cut_windows.h"
#include "kernels/waves/local_averages.h"
#include "kernels/waves/non_conducted.h"
#include "kernels/waves/wave_confidence.h"
#include "tests/kernels/waves/made_lead.h"
#include "tests/kernels/waves/waves_reference.h"
#include "tests/support/backends.h"

namespace beatscan::waves {
namespace {

using Row = std::vector<float>;
constexpr int kSize = kMasks * kValues;

struct Reference {
  nlohmann::json json = read_json("tests/kernels/waves/waves_reference.json");
  double rate_hz = json.at("rate_hz");
  std::vector<double> r = flat<double>(json.at("r"));
  std::vector<std::int32_t> templates = flat<std::int32_t>(json.at("templates"));
  std::int64_t beats = std::ssize(r);

  MadeLead lead(int number) const {
    MadeLead lead{{}, {}, rate_hz};
    for (const double value : flat<double>(json.at("recording_uv").at(number))) {
      const std::int64_t i = std::ssize(lead.samples);
      lead.samples.push_back(std::isnan(value) ? 0 : static_cast<float>(value / 1000));
      if (!std::isnan(value)) continue;
      if (lead.gaps.empty() || lead.gaps.back().second != i - 1) lead.gaps.emplace_back(i, i);
      lead.gaps.back().second = i;
    }
    return lead;
  }
};

// The results of a lead's chain, on the host.
struct LeadResult {
  std::vector<double> levels;
  Row windows, averages, heights, average_masks, masks, extra_masks, fiducials, evidence;
};

// The inputs of the waves' confidence, in the context's memory.
template <class Context>
struct Measured {
  Buffer<float, Context> fiducials, lead_fiducials, levels, heights, amplitudes, tq_mv, similarity;
};

template <class Context>
class WavesReference : public OnBackend<Context> {
 protected:
  void SetUp() override {
    OnBackend<Context>::SetUp();
    if (this->IsSkipped()) return;
    auto& context = this->context();
    before = Buffer<double, Context>(context, reference.beats);
    after = Buffer<double, Context>(context, reference.beats);
    rr_intervals(context, from_host(context, reference.r), reference.rate_hz, before, after);
    extra = extra_windows(context, after.span().first(reference.beats - 1));
    for (int number = 0; number < 2; ++number) leads.push_back(run(reference.lead(number)));
  }

  LeadResult run(const MadeLead& made) {
    auto& context = this->context();
    const LeadOn<Context> on(context, made);
    const std::int64_t beats = reference.beats;
    const auto r = from_host(context, reference.r);
    const auto net = load_net(context, trained_net());
    Buffer<double, Context> levels(context, baseline_blocks(std::ssize(made.samples), made.rate_hz));
    baseline(context, on.signal(), levels);
    Buffer<float, Context> windows(context, beats * kValues), averages(context, beats * kValues);
    Buffer<float, Context> heights(context, beats), masks(context, beats * kSize), single(context, beats * kSize);
    Buffer<float, Context> fiducials(context, beats * kFiducials), evidence(context, beats);
    const auto table = sampling_table(context, made.rate_hz);
    cut_windows(context, on.signal(), levels, table, r, windows);
    local_averages(context, windows, from_host(context, reference.templates), 0, averages, heights);
    Buffer<Marks, Context> marks(context, beats);
    beat_marks(context, before, after, marks);
    wave_masks(context, net, averages, heights, marks, masks);
    wave_masks(context, net, windows, heights, marks, single);
    beat_waves(context, masks, before, after, fiducials);
    p_evidence(context, single, before, fiducials, evidence);
    return {to_host(context, levels),    to_host(context, windows),   to_host(context, averages),
            to_host(context, heights),   to_host(context, masks),     to_host(context, single),
            extras(on, levels, heights), to_host(context, fiducials), to_host(context, evidence)};
  }

  Row extras(const LeadOn<Context>& on, const Buffer<double, Context>& levels, const Buffer<float, Context>& heights) {
    auto& context = this->context();
    const std::int64_t count = extra.size();
    Buffer<double, Context> places(context, count);
    Buffer<Marks, Context> marks(context, count);
    Buffer<float, Context> windows(context, count * kValues), own(context, count), masks(context, count * kSize);
    place_extra_windows(context, extra, from_host(context, reference.r), reference.rate_hz, before, after, places,
                        marks);
    extra_heights(context, extra, heights, own);
    cut_windows(context, on.signal(), levels, sampling_table(context, reference.rate_hz), places, windows);
    wave_masks(context, load_net(context, trained_net()), windows, own, marks, masks);
    return to_host(context, masks);
  }

  // Returns a list of all leads, one lead after the other.
  Buffer<float, Context> joined(Row LeadResult::*list) {
    Row all;
    for (const LeadResult& lead : leads) all.insert(all.end(), (lead.*list).begin(), (lead.*list).end());
    return from_host(this->context(), all);
  }

  Measured<Context> measured() {
    auto& context = this->context();
    const std::int64_t beats = reference.beats, count = std::ssize(leads) * beats;
    Measured<Context> out{.fiducials = {context, beats * kFiducials},
                          .lead_fiducials = joined(&LeadResult::fiducials),
                          .levels = {context, count * kMasks},
                          .heights = joined(&LeadResult::heights),
                          .amplitudes = {context, count * kAmplitudes},
                          .tq_mv = {context, count},
                          .similarity = {context, beats}};
    Buffer<float, Context> shapes(context, count * kShapeValues);
    fuse_fiducials(context, out.lead_fiducials, out.fiducials);
    for (std::int64_t l = 0; l < std::ssize(leads); ++l) {
      const auto of_lead = [&](Buffer<float, Context>& list, std::int64_t width) {
        return list.span().subspan(l * beats * width, beats * width);
      };
      const auto own = of_lead(out.lead_fiducials, kFiducials);
      const auto averages = from_host(context, leads[l].averages), windows = from_host(context, leads[l].windows);
      const auto of_averages = from_host(context, leads[l].average_masks), masks = from_host(context, leads[l].masks);
      for (const Mask wave : {kMaskP, kMaskQrs, kMaskT})
        mask_levels(context, wave == kMaskP ? masks : of_averages, own, wave,
                    of_lead(out.levels, kMasks).subspan(wave * beats, beats));
      wave_amplitudes(context, averages, after, own, out.fiducials, 15, of_lead(out.amplitudes, kAmplitudes));
      tq_activity(context, windows, before, own, out.fiducials, of_lead(out.tq_mv, 1));
      p_shapes(context, windows, out.fiducials, l, shapes);
    }
    Buffer<std::uint8_t, Context> groups(context, beats);
    Buffer<std::int64_t, Context> sums(context, std::ssize(leads) * kShapeValues), counts(context, 1);
    unit_shapes(context, shapes, groups);
    group_sums<float>(context, std::as_const(shapes).span(), std::as_const(groups).span(), sums, counts);
    p_similarity(context, shapes, groups, sums, out.similarity);
    return out;
  }

  Row confidence(const Measured<Context>& measured, const ConfidenceModel& model) {
    auto& context = this->context();
    Buffer<float, Context> found(context, reference.beats * kMasks);
    wave_confidence(context,
                    {.before = before,
                     .after = after,
                     .fiducials = measured.fiducials,
                     .lead_levels = measured.levels,
                     .lead_heights = measured.heights,
                     .lead_amplitudes = measured.amplitudes,
                     .lead_tq_mv = measured.tq_mv,
                     .p_similarity = measured.similarity},
                    model, found);
    return to_host(context, found);
  }

  // Compares the windows of some beats with reference values, which still have their medians.
  void expect_windows(const char* name, Row LeadResult::*windows) {
    const auto beats = flat<int>(reference.json.at("beats"));
    for (std::size_t l = 0; l < 2; ++l)
      for (std::size_t i = 0; i < beats.size(); ++i) {
        const Row expected = flat<float>(reference.json.at(name).at(l).at(i));
        Row sorted = expected;
        std::ranges::sort(sorted);
        const float median = (sorted[159] + sorted[160]) / 2;
        for (int k = 0; k < kValues; ++k)
          ASSERT_NEAR((leads[l].*windows)[beats[i] * kValues + k], expected[k] - median, 2e-6)
              << name << " of lead " << l << ", beat " << beats[i] << ", value " << k;
      }
  }

  Reference reference;
  Buffer<double, Context> before, after;
  Buffer<std::int64_t, Context> extra;
  std::vector<LeadResult> leads;
};
TYPED_TEST_SUITE(WavesReference, Backends, BackendNames);

TYPED_TEST(WavesReference, WeightsAreThoseOfTheModel) {
  EXPECT_EQ(this->reference.json.at("weights_sha256"), read_json("models/waves.json").at("weights_sha256"))
      << "scripts/train_waves --reference, and see its compact form beside this test";
}

// Reference values have seven decimals, samples 1e-7 of 1 mV.
TYPED_TEST(WavesReference, BaselineWindowsAndAverages) {
  const int every = this->reference.json.at("baseline_every");
  for (std::size_t l = 0; l < 2; ++l) {
    const auto expected = flat<double>(this->reference.json.at("baseline_mv").at(l));
    const double block = baseline_block(this->reference.rate_hz);
    for (std::size_t i = 1; i + 1 < expected.size(); ++i) {
      const double place = (static_cast<double>(i) * every - (block - 1) / 2) / block,
                   share = place - std::floor(place);
      const auto j = static_cast<std::size_t>(place);
      EXPECT_NEAR(this->leads[l].levels[j] * (1 - share) + this->leads[l].levels[j + 1] * share, expected[i], 2e-7);
    }
    const Row heights = flat<float>(this->reference.json.at("height_mv").at(l));
    for (std::size_t b = 0; b < heights.size(); ++b) EXPECT_NEAR(this->leads[l].heights[b], heights[b], 2e-6);
  }
  this->expect_windows("single_mv", &LeadResult::windows);
  this->expect_windows("average_mv", &LeadResult::averages);
}

TYPED_TEST(WavesReference, Masks) {
  const auto beats = flat<int>(this->reference.json.at("beats"));
  for (std::size_t l = 0; l < 2; ++l)
    for (std::size_t i = 0; i < beats.size(); ++i) {
      const Row expected = flat<float>(this->reference.json.at("masks").at(l).at(i));
      for (int k = 0; k < kSize; ++k)
        ASSERT_NEAR(this->leads[l].average_masks[beats[i] * kSize + k], expected[k], 2e-5) << l << " " << i << " " << k;
    }
}

// Crossings move with the masks by 1e-5 divided by the mask's slope there.
TYPED_TEST(WavesReference, FiducialsAndEvidence) {
  auto& context = this->context();
  Row all, evidence;
  for (const LeadResult& lead : this->leads) {
    all.insert(all.end(), lead.fiducials.begin(), lead.fiducials.end());
    evidence.insert(evidence.end(), lead.evidence.begin(), lead.evidence.end());
  }
  Buffer<float, TypeParam> fused(context, this->reference.beats * kFiducials);
  fuse_fiducials(context, from_host(context, all), fused);
  const auto compare = [](const Row& found, const Row& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (i % kFiducials == kTPeak) continue;  // the mask is flat there
      ASSERT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << i;
      if (std::isnan(found[i])) continue;
      ASSERT_NEAR(found[i], expected[i], 3e-4) << i / kFiducials << " " << i % kFiducials;
    }
  };
  compare(all, flat<float>(this->reference.json.at("fiducials")));
  compare(to_host(context, fused), flat<float>(this->reference.json.at("fused")));
  const Row expected = flat<float>(this->reference.json.at("p_evidence"));
  for (std::size_t b = 0; b < expected.size(); ++b) EXPECT_NEAR(evidence[b], expected[b], 2e-5) << b;
}

// Inputs of the confidence differ by those of the masks, and by windows that are rounded to float32.
TYPED_TEST(WavesReference, Confidence) {
  const Measured<TypeParam> measured = this->measured();
  const auto& json = this->reference.json;
  for (int wave = 0; wave < kMasks; ++wave) {
    const auto& expected = json.at("confidence_inputs").at(std::array{"P", "QRS", "T"}[wave]);
    for (int input = 0; input < kMostConfidenceInputs && kConfidenceInputs[wave][input]; ++input) {
      ConfidenceModel model;  // shows the input
      model.waves[wave].inputs[input].weight = 1;
      const Row shown = this->confidence(measured, model);
      for (std::int64_t b = 0; b < this->reference.beats; ++b) {
        SCOPED_TRACE(testing::Message() << kConfidenceInputs[wave][input] << " of wave " << wave << ", beat " << b);
        const double p = shown[b * kMasks + wave], value = flat<double>(expected.at(b).at(input)).front();
        ASSERT_EQ(std::isnan(p), std::isnan(flat<double>(expected.at(b).at(0)).front()));
        if (std::isnan(p)) continue;
        ASSERT_NEAR(std::log(p / (1 - p)), std::isnan(value) ? 0 : value, 2e-4);
      }
    }
  }
  const Row found = this->confidence(measured, trained_confidence()), expected = flat<float>(json.at("confidence"));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(std::isnan(found[i]), std::isnan(expected[i])) << i;
    if (std::isnan(expected[i])) continue;
    ASSERT_NEAR(found[i], expected[i], 2e-5) << i;
  }
}

TYPED_TEST(WavesReference, NonConductedPWave) {
  auto& context = this->context();
  const auto mean = [&](Row LeadResult::*masks) {
    Buffer<float, TypeParam> mean(context, std::ssize(this->leads[0].*masks));
    for (std::size_t l = 0; l < 2; ++l)
      add_masks(context, from_host(context, this->leads[l].*masks), 0.5f, l == 0, mean);
    return mean;
  };
  const auto found = to_host(context, non_conducted_waves(context, this->after, mean(&LeadResult::masks), this->extra,
                                                          mean(&LeadResult::extra_masks)));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].beat, 5);
  const double middle = this->reference.r[5] / this->reference.rate_hz + (found[0].onset + found[0].offset) / 500;
  EXPECT_NEAR(middle, this->reference.json.at("non_conducted_s").at(0), 1e-6);
}

}  // namespace
}  // namespace beatscan::waves
