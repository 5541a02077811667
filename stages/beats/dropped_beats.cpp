#include "stages/beats/dropped_beats.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "kernels/lists/gather.h"
#include "stages/beats/envelope_around.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::int64_t kAround = 8, kFewestStrong = 4;
constexpr double kGap = 1.6, kSoonest = 0.6, kLatest = 1.08, kBehind = 0.9;  // in usual RR intervals
constexpr double kStrong = 0.7, kStrongQuantile = 0.75, kWeak = 0.6;         // heights over those of strong beats
constexpr double kBluntWave = 0.78;                                          // sharpness over height, the same
constexpr double kFrom_s = 0.30, kTo_s = 0.12;
constexpr float kLikeP = 1.4F, kTellsP = 1.5F;

// The beats on the host, and the strong ones around one of them.
struct WeakBeats {
  std::vector<std::int64_t> at;  // [K] samples
  std::vector<float> height, sharpness;

  std::int64_t count() const { return std::ssize(at); }
  double interval(std::int64_t i) const { return static_cast<double>(at[i + 1] - at[i]); }
  double sharpness_of(std::int64_t i) const { return sharpness[i] / std::max(height[i], 1e-30F); }

  double usual_interval(std::int64_t i) const {
    std::vector<double> some;
    for (auto k = std::max<std::int64_t>(i - kAround, 0); k < std::min(i + kAround, count() - 1); ++k)
      some.push_back(interval(k));
    return quantile(some, 0.5);
  }
  std::vector<std::int64_t> strong_around(std::int64_t i) const {
    const auto first = std::max<std::int64_t>(i - kAround, 0), last = std::min(i + kAround + 1, count());
    std::vector<double> heights(height.begin() + first, height.begin() + last);
    const double least = kStrong * quantile(heights, kStrongQuantile);
    std::vector<std::int64_t> strong;
    for (auto k = first; k < last; ++k)
      if (height[k] >= least) strong.push_back(k);
    return strong;
  }
};

// Says whether a beat comes where a P wave is due, and no beat behind it.
bool is_where_p_is_due(const WeakBeats& beats, std::int64_t i) {
  const double before = beats.interval(i - 1), behind = beats.interval(i);
  const double least = std::min(before, behind);
  if (before + behind < kGap * least) return false;  // saves the median for most beats
  const double usual = beats.usual_interval(i);
  return before + behind >= kGap * usual && before >= kSoonest * usual && before <= kLatest * usual &&
         behind >= kBehind * usual;
}

bool is_weak(const WeakBeats& beats, std::int64_t i, const std::vector<std::int64_t>& strong) {
  std::vector<double> heights, sharpness;
  for (const std::int64_t k : strong) heights.push_back(beats.height[k]), sharpness.push_back(beats.sharpness_of(k));
  return beats.height[i] < kWeak * quantile(heights, 0.5) &&
         beats.sharpness_of(i) < kBluntWave * quantile(sharpness, 0.5);
}

// Says whether a lead shows a beat as it shows the P waves of strong beats; nothing where it does not tell these from
// beats.
std::optional<bool> looks_like_p(const EnvelopeAround& lead, const WeakBeats& beats, std::int64_t i,
                                 const std::vector<std::int64_t>& strong, double rate_hz) {
  std::vector<double> of_beats, of_p_waves;
  for (const std::int64_t k : strong) {
    const auto at = static_cast<double>(beats.at[k]);
    of_beats.push_back(lead.at(at));
    of_p_waves.push_back(lead.largest(lead.part_of(std::max(at - kFrom_s * rate_hz, 0.0)),
                                      lead.part_of(std::max(at - kTo_s * rate_hz, 0.0)) + 1));
  }
  const auto p = static_cast<float>(quantile(of_p_waves, 0.5)), beat = static_cast<float>(quantile(of_beats, 0.5));
  if (!(beat >= kTellsP * p)) return std::nullopt;
  return lead.at(static_cast<double>(beats.at[i])) <= kLikeP * p;
}

}  // namespace

template <class Context>
void leave_out_p_waves(Context& context, const CandidateBuffers<Context>& candidates,
                       const std::vector<SearchedLead<Context>>& leads, int width, double rate_hz,
                       Buffer<std::int64_t, Context>& kept, std::vector<std::int64_t>& left_out) {
  if (kept.size() < 2 * kFewestStrong) return;
  WeakBeats beats;
  std::tie(beats.at, beats.height, beats.sharpness) =
      to_hosts(context, gathered(context, candidates.at, kept), gathered(context, candidates.height, kept),
               gathered(context, candidates.sharpness, kept));
  std::vector<std::int64_t> p_waves;  // places among the beats
  for (std::int64_t i = 1; i + 1 < beats.count(); ++i) {
    if (!is_where_p_is_due(beats, i)) continue;
    const auto strong = beats.strong_around(i);
    if (std::ssize(strong) < kFewestStrong || !is_weak(beats, i, strong)) continue;
    const auto first = static_cast<std::int64_t>(static_cast<double>(beats.at[std::min(strong.front(), i)]) - rate_hz),
               last = static_cast<std::int64_t>(static_cast<double>(beats.at[std::max(strong.back(), i)]) + rate_hz);
    bool any = false, all = true;
    for (const auto& lead : leads) {
      const auto says =
          looks_like_p(envelope_around(context, lead.parts, width, {first, last}), beats, i, strong, rate_hz);
      any |= says.has_value();
      all &= says.value_or(true);
    }
    if (any && all) p_waves.push_back(i);
  }
  if (p_waves.empty()) return;
  auto places = to_host(context, kept);
  for (const std::int64_t i : p_waves) {
    left_out.push_back(beats.at[i]);
    places[i] = -1;
  }
  std::erase(places, -1);
  std::ranges::sort(left_out);
  kept = from_host(context, places);
}

#define BEATSCAN_DROPPED_BEATS(Context)                                                   \
  template void leave_out_p_waves(Context&, const CandidateBuffers<Context>&,             \
                                  const std::vector<SearchedLead<Context>>&, int, double, \
                                  Buffer<std::int64_t, Context>&, std::vector<std::int64_t>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_DROPPED_BEATS)

}  // namespace beatscan
