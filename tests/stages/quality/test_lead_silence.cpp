// Detection in leads that lose and regain their signal.
#include "stages/quality/lead_silence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "app/synthetic/generate.h"
#include "kernels/signal/gaps.h"
#include "stages/detect/detect.h"
#include "stages/detect/detect_options.h"
#include "stages/quality/quality.h"
#include "tests/support/backends.h"

namespace beatscan {
namespace {

using Samples = std::vector<float>;
using Places = std::vector<std::int64_t>;
using Peaks = std::vector<double>;

constexpr double kSilenceRate_hz = 250;

template <class Context>
class LeadSilenceTest : public OnBackend<Context> {
 protected:
  // A sample that is NaN is missing.
  Peaks found(std::vector<Samples> leads) {
    auto& context = this->context();
    std::vector<Buffer<float, Context>> memory;
    std::vector<Buffer<std::int64_t, Context>> firsts, lasts;
    for (auto& lead : leads) {
      const GapList gaps = missing_in(lead);
      firsts.push_back(from_host(context, gaps.firsts));
      lasts.push_back(from_host(context, gaps.lasts));
      for (float& x : lead) x = std::isnan(x) ? 0 : x;
      memory.push_back(from_host(context, lead));
      bridge_gaps(context, memory.back(), memory.back(), firsts.back(), lasts.back());
    }
    std::vector<LeadSignal> signals;
    for (std::size_t l = 0; l < leads.size(); ++l) signals.push_back({memory[l], {firsts[l], lasts[l]}});
    return to_host(context, detect_r_peaks<Context>(context, signals, {}, {}, kSilenceRate_hz).r_peaks);
  }
  static GapList missing_in(const Samples& x) {
    GapList gaps;
    for (std::int64_t i = 0; i < std::ssize(x); ++i) {
      if (!std::isnan(x[i])) continue;
      if (i == 0 || !std::isnan(x[i - 1])) gaps.firsts.push_back(i), gaps.lasts.push_back(i);
      gaps.lasts.back() = i;
    }
    return gaps;
  }
  static Samples ecg() {
    Samples x(120 * 250);
    SyntheticEcg(std::ssize(x), 250, 0.1, 5).render(0, x);
    return x;
  }
  // Makes a second lead of the same beats: upside down, smaller, and this many samples later.
  static Samples second_lead(const Samples& x, std::int64_t later = 0) {
    Samples y(x.size(), -0.7f * x[0]);
    for (std::int64_t i = later; i < std::ssize(x); ++i) y[i] = -0.7f * x[i - later];
    return y;
  }
};
TYPED_TEST_SUITE(LeadSilenceTest, Backends, BackendNames);

enum class Off { held, zero, rail, missing };

// Switches a lead off for every other stretch of this many samples, from the `phase`-th on.
Samples off_at_turns(Samples x, Off off, std::int64_t samples, int phase) {
  for (std::int64_t i = 1; i < std::ssize(x); ++i)
    if (i / samples % 2 == phase)
      x[i] = off == Off::held   ? x[i - 1]
             : off == Off::zero ? 0
             : off == Off::rail ? 5
                                : std::numeric_limits<float>::quiet_NaN();
  return x;
}

// Returns the share of the expected beats that are found within 50 ms.
double share_found(const Peaks& found, const Peaks& expected) {
  const auto is_found = [&](double beat) {
    return std::ranges::any_of(found, [=](double peak) { return std::abs(peak - beat) < 0.05 * kSilenceRate_hz; });
  };
  return static_cast<double>(std::ranges::count_if(expected, is_found)) / static_cast<double>(expected.size());
}

TYPED_TEST(LeadSilenceTest, SilenceIsLongGapsAndStillStretches) {
  auto& context = this->context();
  Samples x(4000);
  for (int i = 0; i < 4000; ++i) x[i] = static_cast<float>(i % 2);
  std::fill_n(&x[200], 49, 7);    // 0.196 s
  std::fill_n(&x[400], 50, 7);    // 0.2 s
  std::fill_n(&x[1000], 500, 7);  // 2 s
  std::fill_n(&x[2000], 501, 7);
  std::fill_n(&x[3000], 501, 7);
  const auto firsts = from_host(context, Places{100, 600, 2490}), lasts = from_host(context, Places{104, 605, 2600});
  const auto silence = silence_of<TypeParam>(context, from_host(context, x), {firsts, lasts}, 0.020, kSilenceRate_hz);
  EXPECT_EQ(to_host(context, silence.off_firsts), (Places{200, 600, 2000, 3000})) << "5 samples are bridged";
  EXPECT_EQ(to_host(context, silence.off_lasts), (Places{248, 605, 2600, 3500})) << "a gap goes on";
  EXPECT_EQ(silence.drop_outs.firsts, Places{200}) << "a jump leads to it, and away from it";
  EXPECT_EQ(to_host(context, silence.still_firsts), (Places{400, 1000, 2000, 3000}));
  EXPECT_EQ(to_host(context, silence.still_lasts), (Places{449, 1499, 2500, 3500}));
  EXPECT_TRUE(silence.any());
}

// A drop-out is short, at one value, and between jumps. A clipped wave is none, nor is an isoelectric line.
TYPED_TEST(LeadSilenceTest, ADropOutIsBetweenJumps) {
  auto& context = this->context();
  Samples x(4000);
  for (int i = 0; i < 4000; ++i) x[i] = static_cast<float>(i % 100) * 0.01F;
  std::fill_n(&x[250], 20, 0.2F);    // 0.08 s, from 0.49 to 0.7
  std::fill_n(&x[550], 10, 0.2F);    // too short
  std::fill_n(&x[820], 20, 0.195F);  // no jump leads to it
  std::fill_n(&x[1150], 20, 1.1F);   // cut off at an end of the range
  std::fill_n(&x[1450], 20, 9.0F);   // far beyond
  const auto silence = silence_of<TypeParam>(context, from_host(context, x), {}, 0.020, kSilenceRate_hz);
  EXPECT_EQ(silence.drop_outs.firsts, (Places{250, 1450}));
  EXPECT_EQ(silence.drop_outs.lasts, (Places{269, 1469}));
  EXPECT_EQ(silence.far.firsts, silence.drop_outs.firsts);
}

// Two leads that drop to zero for 0.12 s at every fifth beat, in turns: the other one shows the beat.
TYPED_TEST(LeadSilenceTest, DropOutsAtBeatsLoseNone) {
  auto x = this->ecg();
  for (float& value : x) value -= 0.5F;
  auto y = this->second_lead(x);
  const auto alone = this->found({x});
  for (std::size_t k = 0; k < alone.size(); k += 5) {
    auto& lead = k % 10 == 0 ? x : y;
    const auto first = std::max<std::int64_t>(std::llround(alone[k]) - 15, 0);
    std::fill_n(lead.begin() + first, std::min<std::int64_t>(30, std::ssize(lead) - first), 0.0F);
  }
  const auto both = this->found({x, y});
  EXPECT_GE(share_found(both, alone), 0.99);
  EXPECT_LE(both.size(), alone.size());
}

TYPED_TEST(LeadSilenceTest, ALeadThatComesAndGoesLosesNoBeat) {
  const auto x = this->ecg(), y = this->second_lead(x);
  const auto alone = this->found({x});
  ASSERT_GT(alone.size(), 100u);
  for (const Off off : {Off::held, Off::zero, Off::rail, Off::missing})
    for (const std::int64_t samples : {125, 250, 500, 1250})
      for (const bool first : {false, true}) {
        const auto gone = off_at_turns(y, off, samples, 1);
        const auto both = first ? this->found({gone, x}) : this->found({x, gone});
        EXPECT_GE(share_found(both, alone), 0.99) << static_cast<int>(off) << " " << samples;
        EXPECT_LE(both.size(), alone.size() * 1.01) << static_cast<int>(off) << " " << samples;
      }
}

// Noise remains noise if most of it is missing: the noise floor is that of the samples that are present.
TYPED_TEST(LeadSilenceTest, NoiseWithGapsIsNoise) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  Samples noise(120 * 250);
  for (float& value : noise) value = normal(random);
  const auto whole = this->found({noise}), gone = this->found({off_at_turns(noise, Off::missing, 1250, 1)});
  EXPECT_LT(gone.size(), 0.7 * static_cast<double>(whole.size()));
}

// An amplifier's end is 50 times as far away as a beat is high. The lead is an ECG nevertheless.
TYPED_TEST(LeadSilenceTest, ARailMakesNoEcgOfNone) {
  auto& context = this->context();
  auto x = this->ecg();
  for (std::int64_t i = 0; i < std::ssize(x); ++i)
    if (i % 450 < 125) x[i] = 50;
  const auto memory = from_host(context, x);
  const LeadSignal lead{memory};
  const auto detection = detect_r_peaks<TypeParam>(context, {&lead, 1}, {}, {}, kSilenceRate_hz);
  EXPECT_TRUE(detection.quality[0].nature.may_be_ecg());
}

TYPED_TEST(LeadSilenceTest, IsTheSameInWindows) {
  auto& context = this->context();
  const auto x = this->ecg();
  const auto first = from_host(context, off_at_turns(x, Off::held, 500, 0)),
             second = from_host(context, off_at_turns(this->second_lead(x), Off::zero, 375, 1));
  const std::vector<LeadSignal> leads{{first}, {second}};
  const auto peaks = [&](std::int64_t most) {
    return to_host(context, detect_r_peaks<TypeParam>(context, leads, {}, {}, kSilenceRate_hz,
                                                      {.keep_envelope = false, .most_window_samples = most})
                                .r_peaks);
  };
  EXPECT_EQ(peaks(1), peaks(0));
}

// A beat at the moment of the change is seen in part by either lead.
TYPED_TEST(LeadSilenceTest, AlternatingLeadsFindTheBeatsTogether) {
  const auto x = this->ecg(), y = this->second_lead(x);
  const auto alone = this->found({x});
  for (const Off off : {Off::held, Off::zero, Off::rail, Off::missing})
    for (const std::int64_t samples : {250, 500, 1250}) {
      const auto both = this->found({off_at_turns(x, off, samples, 0), off_at_turns(y, off, samples, 1)});
      EXPECT_GE(share_found(both, alone), 0.95) << static_cast<int>(off) << " " << samples;
      EXPECT_LE(both.size(), alone.size() * 1.05) << static_cast<int>(off) << " " << samples;
    }
}

// The other lead shows the beats 5 samples later. All are timed as in one of the leads, whichever shows them.
TYPED_TEST(LeadSilenceTest, PeaksAreTimedAlikeInEitherLead) {
  const auto x = this->ecg();
  const auto alone = this->found({x});
  const auto both = this->found({off_at_turns(x, Off::missing, 2500, 1), this->second_lead(x, 5)});
  const auto share_at = [&](double shift) {
    return static_cast<double>(std::ranges::count_if(alone,
                                                     [&](double beat) {
                                                       return std::ranges::any_of(both, [=](double peak) {
                                                         return std::abs(peak - beat - shift) < 1;
                                                       });
                                                     })) /
           static_cast<double>(alone.size());
  };
  EXPECT_GE(std::max(share_at(0), share_at(5)), 0.97);
}

}  // namespace
}  // namespace beatscan
