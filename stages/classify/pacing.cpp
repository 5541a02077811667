#include "stages/classify/pacing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "kernels/lists/bits.h"
#include "kernels/lists/gather.h"
#include "kernels/runtime/buffer.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/robust.h"
#include "stages/io/recording/recording.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {

namespace {

// Sets paced beats to class Q, in templates of their own.
void part_templates(const GroupOptions& options, Findings& findings) {
  const std::size_t count = findings.groups.size();
  for (std::size_t g = 0; g < count; ++g) {
    if (findings.pacing[g].chamber != Chamber::ventricles) continue;
    std::vector<std::int64_t> with, without;
    for (std::int64_t k = 0; k < std::ssize(findings.beat_classes); ++k)
      if (findings.templates[k] == static_cast<std::int32_t>(g)) (findings.paced[k] ? with : without).push_back(k);
    const bool all = std::ssize(without) < options.fewest_beats || std::ssize(findings.groups) >= options.most;
    if (all) {
      findings.groups[g].beat_class = BeatClass::unknown;
      for (const std::int64_t k : without) findings.paced[k] = 1;
      continue;
    }
    for (const std::int64_t k : with) findings.templates[k] = static_cast<std::int32_t>(findings.groups.size());
    findings.groups.push_back({findings.groups[g].shape, BeatClass::unknown, std::ssize(with)});
    findings.groups[g].beats = std::ssize(without);
    findings.pacing.push_back(std::exchange(findings.pacing[g], {}));
  }
  for (std::size_t k = 0; k < findings.beat_classes.size(); ++k)
    if (findings.paced[k]) findings.beat_classes[k] = BeatClass::unknown;
}

// Puts the largest template first.
void sort_templates(Findings& findings) {
  const std::size_t count = findings.groups.size();
  std::vector<std::int32_t> order(count), place(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::int32_t g) { return findings.groups[g].beats; });
  std::vector<BeatGroup> groups;
  std::vector<Pacing> pacing;
  for (std::size_t i = 0; i < count; ++i) {
    place[order[i]] = static_cast<std::int32_t>(i);
    groups.push_back(findings.groups[order[i]]);
    pacing.push_back(findings.pacing[order[i]]);
  }
  findings.groups = std::move(groups);
  findings.pacing = std::move(pacing);
  for (std::int32_t& group : findings.templates)
    if (group >= 0) group = place[group];
}

// Sets the beats that `paced` marks to class Q. Each template whose ventricles are paced is divided into the paced
// beats and the others, which keep their class. The others are taken for paced, too, if they are too few for a
// template, or if there are as many templates as there may be. Afterwards the largest template is the first one.
void part_paced_templates(const GroupOptions& options, Findings& findings) {
  part_templates(options, findings);
  sort_templates(findings);
}

constexpr double kLeastRate_hz = 200;
constexpr double kFarthest_s = -0.330, kLate_s = -0.140, kBehindPeak_s = 0.015;  // the windows
constexpr double kSpread_s = 0.020;  // of the places of one template's impulses
constexpr double kRounding_s = 1e-6;
constexpr double kLeastOfBeats = 0.5;        // share of a template's beats that have an impulse
constexpr std::int64_t kFewestImpulses = 3;  // of a template
constexpr double kElsewhereFrom_s[] = {0.100, 0.300}, kElsewhere_s = 0.200;  // after the R peak
constexpr double kOverElsewhere = 4;          // least density of impulses, over that elsewhere
constexpr double kBeatNear_s = 0.060;         // of an R peak to what is part of its beat
constexpr std::int64_t kAround = 8;           // beats on either side
constexpr std::int64_t kFewestTogether = 10;  // of all templates that are paced in a window
constexpr double kOnPeak_s = -0.030;          // from here on the R peak may be the impulse
constexpr double kOutOfRest = 6, kOnPeakOutOfRest = 8, kSurelyOutOfRest = 12;
constexpr double kAllJump = 0.95;                          // least jump of an impulse on the R peak, over its height
constexpr double kFollowed = 0.2;                          // least change after it, over its height
constexpr double kNearPeak_s = -0.045, kAtrial_s = 0.140;  // an impulse on the R peak, and the QRS complex after it

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
  double next_s = 0;       // from the impulse to the steepest part after it
  std::size_t lead = 0;    // among those that were examined
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
    while (end < places.size() && places[end] <= places[i] + kSpread_s + kRounding_s) ++end;
    if (end - i > most) first = i, most = end - i;
  }
  if (most == 0) return {};
  return {quantile(std::span(places).subspan(first, most), 0.5), static_cast<std::int64_t>(most)};
}

bool is_there(const Impulse& impulse, const ImpulsePlace& place, double rate_hz) {
  return std::abs(impulse.place / rate_hz - place.place_s) <= kSpread_s + kRounding_s;
}

// Returns the impulses of `beats` beats of a template in one lead; nothing if it is not paced.
std::optional<ImpulsePlace> paced_place(const std::vector<Impulse>& impulses, std::int64_t beats, double rate_hz) {
  const auto least =
      std::max(kFewestImpulses, static_cast<std::int64_t>(std::ceil(kLeastOfBeats * static_cast<double>(beats))));
  if (std::ssize(impulses) < least) return {};
  ImpulsePlace found = densest(impulses, rate_hz);
  if (found.count < least) return {};
  std::vector<Impulse> there;
  for (const Impulse& its : impulses)
    if (is_there(its, found, rate_hz)) there.push_back(its);
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

// Returns whether pacing is searched for at a beat: it is no false detection.
bool is_looked_at(const Findings& findings, std::int64_t beat) {
  return findings.templates[beat] >= 0 && findings.beat_classes[beat] != BeatClass::unknown;
}

// Returns the impulses of a lead by template.
std::vector<std::vector<Impulse>> by_template(const LeadImpulses& lead, const Findings& findings) {
  std::vector<std::vector<Impulse>> found(findings.groups.size());
  for (std::size_t i = 0; i < lead.beats.size(); ++i) {
    const std::int64_t beat = lead.beats[i];
    if (is_looked_at(findings, beat)) found[findings.templates[beat]].push_back(lead.impulses[i]);
  }
  return found;
}

// Returns for each template the place of its impulses in the lead in which most of its beats have one in a window;
// nothing if it is not paced. A lead with as many deflections elsewhere has clicks.
//   beats  [templates] that are not Q
std::vector<std::optional<ImpulsePlace>> places_of(const std::vector<LeadImpulses>& leads, double window_s,
                                                   const Findings& findings, const std::vector<std::int64_t>& beats,
                                                   double rate_hz) {
  std::vector<std::optional<ImpulsePlace>> found(beats.size());
  for (std::size_t l = 0; l < leads.size(); ++l) {
    const auto impulses = by_template(leads[l], findings);
    std::vector<std::optional<ImpulsePlace>> its(beats.size());
    std::int64_t together = 0;
    for (std::size_t g = 0; g < beats.size(); ++g) {
      its[g] = paced_place(impulses[g], beats[g], rate_hz);
      if (its[g]) its[g]->lead = l, together += its[g]->count;
    }
    const double elsewhere = static_cast<double>(leads[l].elsewhere) * window_s / kElsewhere_s;
    if (together < kFewestTogether || static_cast<double>(together) < kOverElsewhere * elsewhere) continue;
    for (std::size_t g = 0; g < beats.size(); ++g)
      if (its[g] && (!found[g] || its[g]->count > found[g]->count)) found[g] = its[g];
  }
  return found;
}

Chamber chamber_of(const ImpulsePlace& late) {
  return late.place_s > kNearPeak_s && late.next_s >= kAtrial_s ? Chamber::atria : Chamber::ventricles;
}

// Returns which beats are paced: beats of templates with paced ventricles that have the impulse, or lie among such
// beats.
std::vector<std::uint8_t> paced_beats(const Findings& findings, const std::vector<LeadImpulses>& leads,
                                      const std::vector<std::optional<ImpulsePlace>>& places, double rate_hz) {
  std::vector<std::uint8_t> has(findings.beat_classes.size()), paced(findings.beat_classes.size());
  const auto place_of = [&](std::int64_t beat) -> const ImpulsePlace* {
    const std::int32_t g = findings.templates[beat];
    const bool is_paced = g >= 0 && findings.pacing[g].chamber == Chamber::ventricles;
    return is_paced && places[g] ? &*places[g] : nullptr;
  };
  for (std::size_t l = 0; l < leads.size(); ++l)
    for (std::size_t i = 0; i < leads[l].beats.size(); ++i) {
      const std::int64_t beat = leads[l].beats[i];
      const ImpulsePlace* place = place_of(beat);
      if (place && place->lead == l && is_there(leads[l].impulses[i], *place, rate_hz)) has[beat] = 1;
    }
  const std::int64_t count = std::ssize(has);
  for (std::int64_t k = 0; k < count; ++k) {
    if (!place_of(k)) continue;
    const auto first = has.begin() + std::max<std::int64_t>(k - kAround, 0),
               last = has.begin() + std::min(k + kAround + 1, count);
    paced[k] = has[k] || std::count(first, last, 1) >= kAround;
  }
  return paced;
}

// Returns the impulses of a window in one lead, if there are enough to judge.
template <class Context>
LeadImpulses impulses_in(Context& context, std::span<const float> samples, const Buffer<double, Context>& r_peaks,
                         double rate_hz, double from_s, double to_s) {
  const ImpulseRule rule = rule_at(rate_hz, from_s, to_s);
  Buffer<std::uint8_t, Context> marked(context, r_peaks.size());
  mark_impulses(context, samples, r_peaks, rule, marked);
  const auto beats = positions_of(context, marked, 1);
  if (beats.size() < kFewestTogether) return {};
  Buffer<Impulse, Context> impulses(context, beats.size());
  find_impulses(context, samples, gathered(context, r_peaks, beats), rule, impulses);
  auto [numbers, found] = to_hosts(context, beats, impulses);
  std::int64_t elsewhere = r_peaks.size();
  for (const double first_s : kElsewhereFrom_s) {
    mark_impulses(context, samples, r_peaks, rule_at(rate_hz, first_s, first_s + kElsewhere_s), marked);
    elsewhere = std::min(elsewhere, positions_of(context, marked, 1).size());
  }
  return {std::move(numbers), std::move(found), elsewhere};
}

// Removes impulses that belong to the previous beat.
void leave_out_beats(LeadImpulses& lead, std::span<const double> r_peaks, double rate_hz) {
  LeadImpulses kept{.elsewhere = lead.elsewhere};
  for (std::size_t i = 0; i < lead.beats.size(); ++i) {
    const std::int64_t k = lead.beats[i];
    if (k > 0 && std::abs(r_peaks[k] + lead.impulses[i].place - r_peaks[k - 1]) < kBeatNear_s * rate_hz) continue;
    kept.beats.push_back(k);
    kept.impulses.push_back(lead.impulses[i]);
  }
  lead = std::move(kept);
}

}  // namespace

template <class Context>
BeatImpulses beat_impulses(Context& context, const Recording<Context>& recording,
                           const EmbeddedBeats<Context>& embedded, std::span<const double> r_peaks, double rate_hz) {
  BeatImpulses found;
  if (rate_hz < kLeastRate_hz || std::ssize(r_peaks) < kFewestTogether) return found;
  const auto peaks = from_host(context, std::vector(r_peaks.begin(), r_peaks.end()));
  for (const auto& lead : embedded.leads) {
    const auto samples = recording.leads[lead.lead].samples.span();
    found.early.push_back(impulses_in(context, samples, peaks, rate_hz, kFarthest_s, kLate_s));
    found.late.push_back(impulses_in(context, samples, peaks, rate_hz, kLate_s, kBehindPeak_s));
    leave_out_beats(found.early.back(), r_peaks, rate_hz);
  }
  return found;
}

void find_paced(const BeatImpulses& impulses, double rate_hz, const GroupOptions& options, Findings& findings) {
  const auto count = findings.groups.size();
  findings.pacing.assign(count, {});
  findings.paced.clear();
  const auto has_some = [](const LeadImpulses& lead) { return !lead.beats.empty(); };
  if (std::ranges::none_of(impulses.early, has_some) && std::ranges::none_of(impulses.late, has_some)) return;
  std::vector<std::int64_t> beats(count);
  for (std::size_t k = 0; k < findings.beat_classes.size(); ++k)
    if (is_looked_at(findings, static_cast<std::int64_t>(k))) ++beats[findings.templates[k]];
  const auto early = places_of(impulses.early, kLate_s - kFarthest_s, findings, beats, rate_hz),
             late = places_of(impulses.late, kBehindPeak_s - kLate_s, findings, beats, rate_hz);
  for (std::size_t g = 0; g < count; ++g) {
    if (late[g]) findings.pacing[g] = {chamber_of(*late[g]), late[g]->place_s};
    if (early[g] && findings.pacing[g].chamber != Chamber::ventricles)
      findings.pacing[g] = {Chamber::atria, early[g]->place_s};
  }
  if (std::ranges::none_of(findings.pacing, [](const Pacing& its) { return its.chamber == Chamber::ventricles; }))
    return;
  findings.paced = paced_beats(findings, impulses.late, late, rate_hz);
  part_paced_templates(options, findings);
}

#define BEATSCAN_BEAT_IMPULSES(Context)                                                                   \
  template BeatImpulses beat_impulses(Context&, const Recording<Context>&, const EmbeddedBeats<Context>&, \
                                      std::span<const double>, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_IMPULSES)

}  // namespace beatscan
