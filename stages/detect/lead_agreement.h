// stages/detect/lead_agreement.h — whether the leads show the same beats. A lead that is no ECG, or that of somebody
// else, adds false beats and hides true ones; one lead alone cannot show which of two is right.
//
// Up to kAgreementWindows windows of 10 s, evenly spread, are looked at in the envelope of each lead:
//   peak   largest part within 0.28 s on either side, and at least half of the upper quartile of such parts
//   clear  the lead has 4 peaks, and that quartile is 5 times the median of all its parts there
// Two leads that are clear differ in a window if less than kAlikePeaks of the peaks of either lie within 0.12 s of one
// of the other. One of 3,729 windows of 73 records with two leads differs.
//
// The delay of two leads is the mean distance of a peak of one and the nearest of the other within 0.2 s, over the
// windows in which both are clear. Distances that are more than a part from the median do not count. There is no delay
// where fewer than 20 distances are known, or fewer than two thirds of them are alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

template <class Context>
struct EnvelopeProfile;

inline constexpr std::int64_t kAgreementWindows = 120;
inline constexpr double kAlikePeaks = 0.7;

struct LeadAgreement {
  std::int64_t looked = 0, apart = 0;  // windows in which two leads are clear, and those in which they differ
  std::size_t first = 0, second = 0;   // the two leads that differ in most windows
  double first_apart_s = 0;            // start of the first such window
  std::size_t early = 0, late = 0;     // the two leads of the longest delay
  double delay_s = 0;                  // by which beats come later in `late` than in `early`

  static constexpr std::int64_t kFewest = 2;
  static constexpr double kShare = 0.05;
  bool is_uncertain() const {
    return apart >= kFewest && static_cast<double>(apart) >= kShare * static_cast<double>(looked);
  }
};

// Compares the envelopes of some leads with each other.
//   leads  places in the profile
template <class Context>
LeadAgreement lead_agreement(Context&, const EnvelopeProfile<Context>& profile, std::span<const std::size_t> leads,
                             double sample_rate_hz);

// Returns the clear peaks of a window, as places in `parts`; none if the lead is not clear.
std::vector<std::int64_t> clear_peaks(std::span<const float> parts, double part_s);

}  // namespace beatscan
