#include "stages/detect/lead_agreement.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "kernels/lists/gather.h"
#include "stages/common/robust.h"
#include "stages/detect/detect.h"

namespace beatscan {
namespace {

constexpr double kWindow_s = 10, kPeakReach_s = 0.28, kNearPeak_s = 0.12, kSameBeat_s = 0.2;
constexpr std::size_t kFewestDistances = 20;
constexpr double kMostDistances = 2.0 / 3;  // share that must agree
constexpr std::size_t kFewestPeaks = 4;
constexpr float kLeastPeak = 0.5F;
constexpr float kClearOver = 5;  // how high the upper quartile of the peaks is at least, over the median of the parts
constexpr double kUpperQuartile = 0.75;

// Returns the share of the peaks that lie near one of the others.
double share_near(const std::vector<std::int64_t>& peaks, const std::vector<std::int64_t>& others, std::int64_t near) {
  const auto count = std::ranges::count_if(peaks, [&](std::int64_t peak) {
    return std::ranges::any_of(others, [=](std::int64_t other) { return std::abs(other - peak) <= near; });
  });
  return static_cast<double>(count) / static_cast<double>(peaks.size());
}

// Adds the distance from each peak to the nearest of the others, if that is near.
void add_distances(const std::vector<std::int64_t>& peaks, const std::vector<std::int64_t>& others, std::int64_t near,
                   std::vector<double>& distances) {
  for (const std::int64_t peak : peaks) {
    const auto nearest =
        std::ranges::min_element(others, {}, [=](std::int64_t other) { return std::abs(other - peak); });
    if (nearest != others.end() && std::abs(*nearest - peak) <= near)
      distances.push_back(static_cast<double>(*nearest - peak));
  }
}

// Returns the mean of the distances within one of the median; 0 if there are few, or most are farther from it.
double usual_distance(std::vector<double> distances) {
  if (distances.size() < kFewestDistances) return 0;
  const double middle = upper_median(distances);
  const auto all = static_cast<double>(distances.size());
  std::erase_if(distances, [=](double distance) { return std::abs(distance - middle) > 1; });
  const auto alike = static_cast<double>(distances.size());
  if (alike < kMostDistances * all) return 0;
  return std::accumulate(distances.begin(), distances.end(), 0.0) / alike;
}

// The windows that are examined, in parts.
struct AgreementWindows {
  std::int64_t length, count, step;
  AgreementWindows(std::int64_t parts, double part_s)
      : length(std::llround(kWindow_s / part_s)),
        count(std::min(parts / length, kAgreementWindows)),
        step(count > 1 ? (parts - length) / (count - 1) : 0) {}
  std::vector<std::int64_t> places() const {
    std::vector<std::int64_t> all;
    for (std::int64_t w = 0; w < count; ++w)
      for (std::int64_t p = 0; p < length; ++p) all.push_back(w * step + p);
    return all;
  }
};

// Counts the windows in which two leads differ, and measures how much later beats come in `b`.
LeadAgreement compare_leads(const std::vector<std::vector<std::int64_t>>& a,
                            const std::vector<std::vector<std::int64_t>>& b, double step_s, double part_s) {
  LeadAgreement found;
  const std::int64_t near = std::llround(kNearPeak_s / part_s), same = std::llround(kSameBeat_s / part_s);
  std::vector<double> distances;
  for (std::size_t w = 0; w < a.size(); ++w) {
    if (a[w].empty() || b[w].empty()) continue;
    ++found.looked;
    add_distances(a[w], b[w], same, distances);
    if (share_near(a[w], b[w], near) >= kAlikePeaks || share_near(b[w], a[w], near) >= kAlikePeaks) continue;
    if (found.apart++ == 0) found.first_apart_s = static_cast<double>(w) * step_s;
  }
  found.delay_s = part_s * usual_distance(std::move(distances));
  return found;
}

// Keeps the longer delay.
void keep_longer(LeadAgreement& longest, const LeadAgreement& its) {
  if (std::abs(its.delay_s) <= longest.delay_s) return;
  longest.delay_s = std::abs(its.delay_s);
  longest.early = its.delay_s > 0 ? its.first : its.second;
  longest.late = its.delay_s > 0 ? its.second : its.first;
}

}  // namespace

std::vector<std::int64_t> clear_peaks(std::span<const float> parts, double part_s) {
  const std::int64_t reach = std::llround(kPeakReach_s / part_s);
  std::vector<std::int64_t> peaks;
  std::vector<double> heights;
  for (std::int64_t p = 0; p < std::ssize(parts); ++p) {
    const auto first = parts.begin() + std::max<std::int64_t>(p - reach, 0),
               last = parts.begin() + std::min(p + reach + 1, std::ssize(parts));
    if (!(parts[p] > 0) || std::max_element(first, last) != parts.begin() + p) continue;
    peaks.push_back(p);
    heights.push_back(parts[p]);
  }
  if (peaks.size() < kFewestPeaks) return {};
  const auto level = static_cast<float>(quantile(heights, kUpperQuartile));
  std::erase_if(peaks, [&](std::int64_t p) { return parts[p] < kLeastPeak * level; });
  std::vector<double> all(parts.begin(), parts.end());
  if (peaks.size() < kFewestPeaks || level < kClearOver * static_cast<float>(quantile(all, 0.5))) return {};
  return peaks;
}

template <class Context>
LeadAgreement lead_agreement(Context& context, const EnvelopeProfile<Context>& profile,
                             std::span<const std::size_t> leads, double rate_hz) {
  LeadAgreement most, longest;
  if (leads.size() < 2) return most;
  const double part_s = profile.width / rate_hz;
  const AgreementWindows windows(profile.leads[leads[0]].size(), part_s);
  if (windows.count == 0) return most;
  const auto places = from_host(context, windows.places());
  std::vector<std::vector<std::vector<std::int64_t>>> peaks;  // [lead][window]
  for (const std::size_t l : leads) {
    const auto parts = to_host(context, gathered(context, profile.leads[l], places));
    auto& its = peaks.emplace_back();
    for (std::int64_t w = 0; w < windows.count; ++w)
      its.push_back(clear_peaks(std::span(parts).subspan(w * windows.length, windows.length), part_s));
  }
  for (std::size_t i = 0; i < leads.size(); ++i)
    for (std::size_t j = i + 1; j < leads.size(); ++j) {
      auto found = compare_leads(peaks[i], peaks[j], static_cast<double>(windows.step) * part_s, part_s);
      found.first = leads[i], found.second = leads[j];
      keep_longer(longest, found);
      if (found.apart > most.apart || most.looked == 0) most = found;
    }
  most.early = longest.early, most.late = longest.late, most.delay_s = longest.delay_s;
  return most;
}

#define BEATSCAN_LEAD_AGREEMENT(Context)                                                                         \
  template LeadAgreement lead_agreement(Context&, const EnvelopeProfile<Context>&, std::span<const std::size_t>, \
                                        double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEAD_AGREEMENT)

}  // namespace beatscan
