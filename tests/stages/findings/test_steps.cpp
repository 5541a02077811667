#include "stages/findings/steps.h"

#include <cmath>

#include "tests/support/backends.h"
#include "tests/support/drawn_lead.h"
#include "tests/support/recorded_leads.h"

namespace beatscan {
namespace {

constexpr int kStepsRate_hz = 250;

// Draws a narrow beat each second, from 1 s on, with room for something at each half second.
DrawnLead beats() {
  DrawnLead drawn{kStepsRate_hz};
  for (int beat = 1; beat < 60; ++beat) drawn.add(beat, 1, 0.012);
  return drawn;
}

template <class Context>
class Steps : public OnBackend<Context> {
 protected:
  // Tells whether what is at 10.5 s is a step.
  bool is_step(const std::vector<DrawnLead>& leads) {
    std::vector<std::vector<float>> samples;
    for (const DrawnLead& lead : leads) samples.push_back(lead.x);
    const auto recording = recording_of_leads(this->context(), samples);
    std::vector<double> r_peaks;
    for (int beat = 1; beat < 60; ++beat) r_peaks.push_back(beat * kStepsRate_hz);
    const auto numbers = numbers_below(std::ssize(leads)), usual = numbers_below(std::ssize(r_peaks));
    const std::vector<std::int64_t> asked = {std::ssize(r_peaks), usual[20]};
    r_peaks.push_back(10.55 * kStepsRate_hz);  // a peak is placed behind the step that makes it
    const auto steps = are_steps(this->context(), recording, numbers, {r_peaks, usual, asked}, kStepsRate_hz);
    EXPECT_EQ(steps[1], 0) << "a usual beat";
    return steps[0] == 1;
  }
};
TYPED_TEST_SUITE(Steps, Backends, BackendNames);

TYPED_TEST(Steps, AreToldWhateverTheirSizeAndSign) {
  for (const double height : {0.5, 1.0, 2.0, -0.5, -2.0})
    for (const double fades_s : {0.08, 0.13, 0.4, 100.0}) {
      auto lead = beats();
      lead.add_step(10.5, height, fades_s);
      EXPECT_TRUE(this->is_step({lead})) << height << " mV, " << fades_s << " s";
    }
}

TYPED_TEST(Steps, AreNoBeats) {
  auto wide = beats(), narrow = beats(), biphasic = beats(), spike = beats(), small = beats();
  wide.add(10.55, 2, 0.04);
  EXPECT_FALSE(this->is_step({wide})) << "a ventricular beat";
  narrow.add(10.55, 1, 0.012);
  EXPECT_FALSE(this->is_step({narrow})) << "an early beat";
  biphasic.add(10.53, 1.5, 0.025), biphasic.add(10.6, -1.5, 0.04);
  EXPECT_FALSE(this->is_step({biphasic})) << "a ventricular beat with two deflections";
  spike.add_step(10.5, 2, 0.002);
  EXPECT_FALSE(this->is_step({spike})) << "a pacing spike";
  small.add_step(10.5, 0.05, 0.13);
  EXPECT_FALSE(this->is_step({small})) << "less than usual beats change";
  EXPECT_FALSE(this->is_step({DrawnLead{kStepsRate_hz}})) << "nothing";
}

TYPED_TEST(Steps, OfOneLeadNeedOthersWithoutABeat) {
  auto stepped = beats(), with_beat = beats();
  stepped.add_step(10.5, 1, 0.13);
  with_beat.add(10.55, 1.5, 0.03);
  EXPECT_TRUE(this->is_step({stepped, beats()}));
  EXPECT_TRUE(this->is_step({stepped, stepped}));
  EXPECT_FALSE(this->is_step({stepped, with_beat})) << "the other lead shows a beat";
  EXPECT_FALSE(this->is_step({with_beat, stepped}));
}

TYPED_TEST(Steps, AtTheEndsAreLookedAt) {
  auto lead = beats();
  lead.add_step(0.04, 1, 100), lead.add_step(59.9, 1, 100);
  auto recording = recording_of_leads(this->context(), {lead.x});
  const std::vector<double> r_peaks = {0.05 * kStepsRate_hz, 30 * kStepsRate_hz, 59.95 * kStepsRate_hz};
  const std::vector<std::int64_t> usual = {1}, ends = {0, 2}, none, leads = {0};
  EXPECT_EQ(are_steps(this->context(), recording, leads, {r_peaks, usual, ends}, kStepsRate_hz),
            (std::vector<std::uint8_t>{1, 1}));
  EXPECT_TRUE(are_steps(this->context(), recording, leads, {r_peaks, usual, none}, kStepsRate_hz).empty());
  recording.leads.back().samples = from_host(this->context(), std::vector<float>{0, 1, 2});
  const std::vector<double> last = {0, 2};
  EXPECT_EQ(are_steps(this->context(), recording, leads, {last, none, {0, 1}}, 1).size(), 2U) << "one sample a second";
}

}  // namespace
}  // namespace beatscan
