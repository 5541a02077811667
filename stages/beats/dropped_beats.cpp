#include "stages/beats/dropped_beats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "kernels/detection/p_waves.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/parallel.h"
#include "stages/beats/candidates.h"
#include "stages/beats/lead_envelope.h"

namespace beatscan {
namespace {

constexpr int kFewestStrong = 4;
constexpr std::int64_t kBesideWave = 3;                                      // beats on either side
constexpr double kGap = 1.6, kSoonest = 0.6, kLatest = 1.08, kBehind = 0.9;  // in usual RR intervals
constexpr double kStrong = 0.7, kStrongQuantile = 0.75, kWeak = 0.6;         // heights over those of strong beats
constexpr float kLower = 0.8F;                                               // height over that of a beat beside it
constexpr double kBluntWave = 0.78;                                          // sharpness over height, as kWeak
constexpr double kFrom_s = 0.30, kTo_s = 0.12;  // before a strong beat: where its P wave is
constexpr float kLikeP = 1.4F, kTellsP = 1.5F;

// Holds the beats on the host.
struct WeakBeats {
  std::vector<std::int64_t> at;  // [K] samples
  std::vector<float> height, sharpness;

  std::int64_t count() const { return std::ssize(at); }
  std::int64_t first_around(std::int64_t i) const { return std::max<std::int64_t>(i - kPWaveReach, 0); }
  std::int64_t last_around(std::int64_t i) const { return std::min(i + kPWaveReach, count() - 1); }
  double interval(std::int64_t i) const { return static_cast<double>(at[i + 1] - at[i]); }
  double sharpness_of(std::int64_t i) const { return sharpness[i] / std::max(height[i], 1e-30F); }
};

// Holds up to as many values as there are beats around. It takes no memory from the heap, because many beats are looked
// at.
class FewValues {
 public:
  void add(double value) { values_[count_++] = value; }
  int count() const { return count_; }
  double quantile(double q) {
    const auto last = values_.begin() + count_, nth = values_.begin() + static_cast<int>(q * (count_ - 1) + 0.5);
    std::nth_element(values_.begin(), nth, last);
    return *nth;
  }

 private:
  std::array<double, 2 * kPWaveReach + 1> values_{};
  int count_ = 0;
};

// Says whether a beat is lower than one of those beside it. It saves the medians of nearly all beats.
bool is_lower(const WeakBeats& beats, std::int64_t i) {
  const auto first = beats.height.begin() + std::max<std::int64_t>(i - kBesideWave, 0),
             last = beats.height.begin() + std::min(i + kBesideWave + 1, beats.count());
  return beats.height[i] < kLower * *std::max_element(first, last);
}

// Says whether a beat comes where a P wave is due, and no beat behind it.
bool is_where_p_is_due(const WeakBeats& beats, std::int64_t i) {
  FewValues intervals;
  for (auto k = beats.first_around(i); k < beats.last_around(i); ++k) intervals.add(beats.interval(k));
  const double usual = intervals.quantile(0.5), before = beats.interval(i - 1), behind = beats.interval(i);
  return before + behind >= kGap * usual && before >= kSoonest * usual && before <= kLatest * usual &&
         behind >= kBehind * usual;
}

// Returns the strong beats around one, as AskedWave has them.
std::uint32_t strong_around(const WeakBeats& beats, std::int64_t i) {
  const auto first = beats.first_around(i), last = beats.last_around(i);
  FewValues heights;
  for (auto k = first; k <= last; ++k) heights.add(beats.height[k]);
  const double least = kStrong * heights.quantile(kStrongQuantile);
  std::uint32_t strong = 0;
  for (auto k = first; k <= last; ++k)
    if (beats.height[k] >= least) strong |= 1u << (k - i + kPWaveReach);
  return strong;
}

// Says whether a beat is low and blunt beside strong ones.
bool is_weak(const WeakBeats& beats, std::int64_t i, std::uint32_t strong) {
  FewValues heights, sharpness;
  for (auto k = beats.first_around(i); k <= beats.last_around(i); ++k) {
    if (!(strong >> (k - i + kPWaveReach) & 1u)) continue;
    heights.add(beats.height[k]);
    sharpness.add(beats.sharpness_of(k));
  }
  return heights.count() >= kFewestStrong && beats.height[i] < kWeak * heights.quantile(0.5) &&
         beats.sharpness_of(i) < kBluntWave * sharpness.quantile(0.5);
}

// Returns the beats that may be P waves by their time and height.
std::vector<AskedWave> likely_p_waves(const WeakBeats& beats) {
  constexpr std::int64_t kGrain = 4096;              // beats that a thread takes at a time
  std::vector<std::uint32_t> strong(beats.count());  // around likely ones
  parallel_for(Cpu(), beats.count() - 2, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (auto i = first + 1; i < last + 1; ++i) {
      if (!is_lower(beats, i) || !is_where_p_is_due(beats, i)) continue;
      if (const auto around = strong_around(beats, i); is_weak(beats, i, around)) strong[i] = around;
    }
  });
  std::vector<AskedWave> likely;
  for (std::int64_t i = 0; i < beats.count(); ++i)
    if (strong[i] != 0) likely.push_back({i, strong[i]});
  return likely;
}

// Returns those of the beats that look like a P wave in each lead that tells beats from P waves, if one does.
template <class Context>
std::vector<std::int64_t> like_p_waves(Context& context, const Buffer<std::int64_t, Context>& at,
                                       const std::vector<AskedWave>& likely,
                                       const std::vector<SearchedLead<Context>>& leads, const PWaveRule& rule) {
  const auto asked = from_host(context, likely);
  std::vector<std::uint8_t> any(likely.size()), other(likely.size());
  for (const auto& lead : leads) {
    Buffer<WaveAmongBeats, Context> buffer(context, std::ssize(likely));
    waves_among_beats(context, at, lead.parts, asked, rule, buffer);
    const auto found = to_host(context, buffer);
    for (std::size_t a = 0; a < likely.size(); ++a) {
      if (!(found[a].beat > kTellsP * found[a].p_wave)) continue;
      any[a] = 1;
      other[a] |= found[a].own > kLikeP * found[a].p_wave;
    }
  }
  std::vector<std::int64_t> beats;
  for (std::size_t a = 0; a < likely.size(); ++a)
    if (any[a] && !other[a]) beats.push_back(likely[a].beat);
  return beats;
}

}  // namespace

template <class Context>
void leave_out_p_waves(Context& context, const CandidateBuffers<Context>& candidates,
                       const std::vector<SearchedLead<Context>>& leads, int width, double rate_hz,
                       Buffer<std::int64_t, Context>& kept, std::vector<std::int64_t>& left_out) {
  if (kept.size() < 2 * kFewestStrong) return;
  const auto at = gathered(context, candidates.at, kept);
  WeakBeats beats;
  std::tie(beats.at, beats.height, beats.sharpness) =
      to_hosts(context, at, gathered(context, candidates.height, kept), gathered(context, candidates.sharpness, kept));
  const auto likely = likely_p_waves(beats);
  if (likely.empty()) return;
  const PWaveRule rule{width, std::llround(kFrom_s * rate_hz), std::llround(kTo_s * rate_hz)};
  auto places = to_host(context, kept);
  for (const std::int64_t i : like_p_waves(context, at, likely, leads, rule)) {
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
