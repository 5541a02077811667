// Compares heart rate variability, which atrial fibrillation is left out of, with an independent reference in numpy,
// tests/reference/episodes.py.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/evaluation/truth.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/episodes.h"
#include "stages/rhythm/rhythm_findings.h"
#include "tests/paths/paths.h"
#include "tests/stages/rhythm/listed_beats.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

struct ReferenceRhythm {
  std::vector<double> r_peaks;
  std::vector<BeatClass> beat_classes;
  nlohmann::json expected;
};

ReferenceRhythm reference_rhythm() {
  const std::string folder = source_folder() + "/tests/reference/expected/rhythm/";
  ReferenceRhythm reference;
  for (const auto& beat : read_beats(folder + "beats.csv", {250}).beats) {
    reference.r_peaks.push_back(static_cast<double>(beat.sample));
    reference.beat_classes.push_back(beat.symbol == 'N'   ? BeatClass::normal
                                     : beat.symbol == 'S' ? BeatClass::supraventricular
                                                          : BeatClass::ventricular);
  }
  reference.expected = nlohmann::json::parse(std::ifstream(folder + "expected.json"));
  return reference;
}

template <class Context>
using RhythmOfReference = OnBackend<Context>;
TYPED_TEST_SUITE(RhythmOfReference, Backends, BackendNames);

TYPED_TEST(RhythmOfReference, AgreesWithNumpy) {
  const ReferenceRhythm reference = reference_rhythm();
  const std::vector<Quality> quality(reference.r_peaks.size(), Quality::good);
  const std::vector<std::uint8_t> broken(reference.r_peaks.size() - 1);
  const RhythmBeats beats{reference.r_peaks, reference.beat_classes, quality, broken, 250};
  Rhythms rhythms{{"NSR", "AFIB"}, {0, 1}, {}};
  for (const auto& [start, end] : reference.expected["afib"].get<std::vector<std::pair<double, double>>>())
    rhythms.segments.push_back({start / 250, end / 250, 1, 1});
  ASSERT_GE(rhythms.segments.size(), 2U);
  const auto found = rhythm_findings(this->context(), beats, nullptr, rhythms, reference.r_peaks.back() + 1, {});

  const auto& hrv = reference.expected["hrv"];
  EXPECT_EQ(found.hrv.intervals, hrv["intervals"]);
  EXPECT_EQ(found.hrv.windows, hrv["windows"]);
  const auto near = [&](std::optional<double> value, const char* key) {
    const double wanted = hrv[key].get<double>();
    EXPECT_NEAR(value.value_or(-1), wanted, 1e-9 * std::abs(wanted)) << key;  // both work in double
  };
  near(found.hrv.mean_nn_ms, "mean_nn_ms");
  near(found.hrv.sdnn_ms, "sdnn_ms");
  near(found.hrv.rmssd_ms, "rmssd_ms");
  near(found.hrv.pnn50_percent, "pnn50_percent");
  near(found.hrv.lf_ms2, "lf_ms2");
  near(found.hrv.hf_ms2, "hf_ms2");
  near(found.hrv.vlf_ms2, "vlf_ms2");
  near(found.hrv.sdann_ms, "sdann_ms");
  near(found.hrv.sd1_ms, "sd1_ms");
  near(found.hrv.sd2_ms, "sd2_ms");
  near(found.hrv.dfa_alpha1, "dfa_alpha1");
  near(found.hrv.dfa_alpha2, "dfa_alpha2");
  near(found.hrv.dc_ms, "dc_ms");
  EXPECT_EQ(found.hrv.hrt_vpcs, hrv["hrt_vpcs"]);
  near(found.hrv.hrt_onset_percent, "hrt_onset_percent");
  near(found.hrv.hrt_slope_ms_per_rr, "hrt_slope_ms_per_rr");
}

}  // namespace
}  // namespace beatscan
