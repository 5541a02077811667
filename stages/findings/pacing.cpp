#include "stages/findings/pacing.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/runtime/buffer.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kLeastRate_hz = 200;
constexpr double kFarthest_s = -0.330, kLate_s = -0.140, kBehindPeak_s = 0.015;  // the windows
constexpr double kSpread_s = 0.020;           // of the places of one template's impulses
constexpr double kLeastOfBeats = 0.5;         // share of a template's beats that have an impulse
constexpr std::int64_t kFewestImpulses = 3;   // of a template
constexpr std::int64_t kFewestTogether = 10;  // of all templates that are paced in a window
constexpr double kOnPeak_s = -0.030;          // from here on the R peak may be the impulse
constexpr double kOutOfRest = 6, kOnPeakOutOfRest = 8, kSurelyOutOfRest = 12;
constexpr double kAllJump = 0.95;                          // least jump of an impulse on the R peak, over its height
constexpr double kFollowed = 0.2;                          // least change behind it, over its height
constexpr double kNearPeak_s = -0.045, kAtrial_s = 0.140;  // an impulse on the R peak, and the QRS complex behind it

ImpulseRule rule_at(double rate_hz, double from_s, double to_s) {
  const auto samples = [=](double seconds) { return static_cast<std::int64_t>(std::llround(seconds * rate_hz)); };
  return {.from = samples(from_s),
          .to = samples(to_s),
          .before = samples(0.032),
          .lag = samples(0.008),
          .top = samples(0.020),
          .fall = samples(0.016),
          .over = samples(0.024),
          .around = samples(0.150),
          .behind = samples(0.030),
          .reach = samples(0.280),
          .change = samples(0.020),
          .least_rest = 0.005,
          .of_rest = 4,
          .of_range = 0.03,
          .rise = 0.8,
          .falls = 0.6,
          .overshoot = 2.5};
}

// The impulses of a template in one lead, at their place.
struct ImpulsePlace {
  double place_s = 0;      // from the R peak
  std::int64_t count = 0;  // impulses within kSpread_s
  double next_s = 0;       // from the impulse to the steepest part behind it
};

double median_of(const std::vector<Impulse>& impulses, float Impulse::*value) {
  std::vector<double> values;
  for (const Impulse& its : impulses) values.push_back(its.*value);
  return quantile(values, 0.5);
}

// Returns the place of most impulses, and how many lie there.
ImpulsePlace densest(const std::vector<Impulse>& impulses, double rate_hz) {
  std::vector<double> places;
  for (const Impulse& its : impulses) places.push_back(its.place / rate_hz);
  std::ranges::sort(places);
  std::size_t first = 0, most = 0;
  for (std::size_t i = 0, end = 0; i < places.size(); ++i) {
    while (end < places.size() && places[end] <= places[i] + kSpread_s + 1e-6) ++end;
    if (end - i > most) first = i, most = end - i;
  }
  if (most == 0) return {};
  return {quantile(std::span(places).subspan(first, most), 0.5), static_cast<std::int64_t>(most)};
}

// Returns the impulses of `beats` beats of a template in one lead; nothing where it is not paced.
std::optional<ImpulsePlace> paced_place(const std::vector<Impulse>& impulses, std::int64_t beats, double rate_hz) {
  const auto least =
      std::max(kFewestImpulses, static_cast<std::int64_t>(std::ceil(kLeastOfBeats * static_cast<double>(beats))));
  if (std::ssize(impulses) < least) return {};
  ImpulsePlace found = densest(impulses, rate_hz);
  if (found.count < least) return {};
  std::vector<Impulse> there;
  for (const Impulse& its : impulses)
    if (std::abs(its.place / rate_hz - found.place_s) <= kSpread_s) there.push_back(its);
  const double over_rest = median_of(there, &Impulse::over_rest);
  const bool is_paced =
      found.place_s <= kOnPeak_s
          ? over_rest >= kOutOfRest
          : over_rest >= kOnPeakOutOfRest && median_of(there, &Impulse::rise) >= kAllJump &&
                (over_rest >= kSurelyOutOfRest || median_of(there, &Impulse::next_change) >= kFollowed);
  if (!is_paced) return {};
  found.next_s = median_of(there, &Impulse::next) / rate_hz;
  return found;
}

using BeatsOfGroups = std::vector<std::vector<std::int64_t>>;  // [groups]

// Returns for each template the lead in which most of its beats have an impulse of a window; nothing where it is not
// paced.
std::vector<std::optional<ImpulsePlace>> places_of(const std::vector<std::vector<Impulse>>& leads,
                                                   const BeatsOfGroups& groups, double rate_hz) {
  std::vector<std::optional<ImpulsePlace>> found(groups.size());
  std::int64_t together = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const auto& lead : leads) {
      std::vector<Impulse> impulses;
      for (const std::int64_t k : groups[g])
        if (!std::isnan(lead[k].place)) impulses.push_back(lead[k]);
      const auto its = paced_place(impulses, std::ssize(groups[g]), rate_hz);
      if (its && (!found[g] || its->count > found[g]->count)) found[g] = its;
    }
    if (found[g]) together += found[g]->count;
  }
  if (together < kFewestTogether) found.assign(groups.size(), std::nullopt);
  return found;
}

Chamber chamber_of(const ImpulsePlace& late) {
  return late.place_s > kNearPeak_s && late.next_s >= kAtrial_s ? Chamber::atria : Chamber::ventricles;
}

}  // namespace

template <class Context>
BeatImpulses beat_impulses(Context& context, const Recording<Context>& recording,
                           const EmbeddedBeats<Context>& embedded, std::span<const double> r_peaks, double rate_hz) {
  BeatImpulses found;
  if (rate_hz < kLeastRate_hz || std::ssize(r_peaks) < kFewestTogether) return found;
  const auto peaks = from_host(context, std::vector(r_peaks.begin(), r_peaks.end()));
  for (const auto& lead : embedded.leads) {
    Buffer<Impulse, Context> early(context, peaks.size()), late(context, peaks.size());
    const auto samples = recording.leads[lead.lead].samples.span();
    find_impulses(context, samples, peaks, rule_at(rate_hz, kFarthest_s, kLate_s), early);
    find_impulses(context, samples, peaks, rule_at(rate_hz, kLate_s, kBehindPeak_s), late);
    auto [of_early, of_late] = to_hosts(context, early, late);
    found.early.push_back(std::move(of_early));
    found.late.push_back(std::move(of_late));
  }
  return found;
}

void tell_paced(const BeatImpulses& impulses, double rate_hz, Findings& findings) {
  const auto count = findings.groups.size();
  findings.pacing.assign(count, {});
  if (impulses.late.empty()) return;
  BeatsOfGroups groups(count);
  for (std::int64_t k = 0; k < std::ssize(findings.kinds); ++k)
    if (findings.templates[k] >= 0 && findings.kinds[k] != Kind::unknown) groups[findings.templates[k]].push_back(k);
  const auto early = places_of(impulses.early, groups, rate_hz), late = places_of(impulses.late, groups, rate_hz);
  for (std::size_t g = 0; g < count; ++g) {
    if (late[g]) findings.pacing[g] = {chamber_of(*late[g]), late[g]->place_s};
    if (early[g] && findings.pacing[g].chamber != Chamber::ventricles)
      findings.pacing[g] = {Chamber::atria, early[g]->place_s};
    if (findings.pacing[g].chamber != Chamber::ventricles) continue;
    findings.groups[g].kind = Kind::unknown;
    for (const std::int64_t k : groups[g]) findings.kinds[k] = Kind::unknown;
  }
}

#define BEATSCAN_BEAT_IMPULSES(Context)                                                                   \
  template BeatImpulses beat_impulses(Context&, const Recording<Context>&, const EmbeddedBeats<Context>&, \
                                      std::span<const double>, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_IMPULSES)

}  // namespace beatscan
