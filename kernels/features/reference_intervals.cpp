#include "kernels/features/reference_intervals.h"

#include <cmath>

#include "kernels/features/columns.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::features {
namespace {

constexpr double kSteadyChange = 0.06, kNoChange = 0.05;

// Beats before an excluded one that are looked at. More of them take longer than the longest interval: 64 of 0.15 s.
constexpr std::int64_t kMostBehind = 64;

// Returns the margin that a premature beat exceeds.
BEATSCAN_HOST_DEVICE inline double premature_margin(double scatter) { return larger(0.28, 4 * scatter); }

struct Margins {
  const double *rr, *reference, *scatter;
  const std::uint8_t* flags;
  std::int64_t beats;

  BEATSCAN_HOST_DEVICE double margin(std::int64_t i) const {
    const double of = reference[i];
    const double late = i + 1 < beats ? 0.5 * within(rr[i + 1] / of - 1, 0.0, 0.5) : 0;
    double abrupt = i > 0 ? within(1 - rr[i] / rr[i - 1], -0.3, 0.2) : 0;
    if (i > 0 && flags[i - 1] & kIsPremature) abrupt = larger(abrupt, 0.0);
    if (i > 0 && flags[i - 1] & kIsExcluded) abrupt = 0;
    return 1 - rr[i] / of + late + 0.6 * abrupt;
  }

  BEATSCAN_HOST_DEVICE bool is_premature(std::int64_t i, double margin) const {
    return i > 0 && !(flags[i] & kIsExcluded) && 1 - rr[i] / reference[i] > kLeastPremature &&
           margin > premature_margin(scatter[i]) && is_short_across(i);
  }

  // Returns whether a beat after excluded ones is also premature by the time from the last beat that is not excluded.
  BEATSCAN_HOST_DEVICE bool is_short_across(std::int64_t i) const {
    std::int64_t first = i;
    while (first > 0 && flags[first - 1] & kIsExcluded) {
      --first;
      if (i - first > kMostBehind) return false;
    }
    if (first == i) return true;
    double across = rr[first];
    for (std::int64_t k = first + 1; k <= i; ++k) across += rr[k];
    return 1 - across / reference[i] > kLeastPremature;
  }
};

}  // namespace

void least_changes(BackEnd& context, std::span<const double> rr_s, std::span<const double> near_s,
                   std::span<double> least) {
  BEATSCAN_EXPECTS(least.size() + 1 == rr_s.size() && near_s.size() == rr_s.size(), "least_changes: bad shape");
  each(context, static_cast<std::int64_t>(least.size()),
       [rr = rr_s.data(), near = near_s.data(), least = least.data()] BEATSCAN_DEVICE(std::int64_t k) {
         const std::int64_t i = k + 1;
         double found = std::abs(rr[i] - rr[i - 1]) / near[i];
         for (std::int64_t j = 2; j <= 3 && j <= i; ++j) found = lesser(found, std::abs(rr[i] - rr[i - j]) / near[i]);
         least[k] = found;
       });
}

void first_flags(BackEnd& context, const FirstFlags& from, std::span<double> change, std::span<std::uint8_t> flags) {
  const auto beats = static_cast<std::int64_t>(from.rr_s.size());
  BEATSCAN_EXPECTS(from.near_s.size() == from.rr_s.size() && change.size() == from.rr_s.size() &&
                       flags.size() == from.rr_s.size() &&
                       (from.excluded.empty() || from.excluded.size() == from.rr_s.size()),
                   "first_flags: bad shape");
  each(context, beats,
       [rr = from.rr_s.data(), near = from.near_s.data(),
        excluded = from.excluded.empty() ? nullptr : from.excluded.data(), recording = from.recording_s,
        change = change.data(), flags = flags.data(), beats] BEATSCAN_DEVICE(std::int64_t i) {
         if (i == 0) change[0] = beats > 1 ? change[1] : kNoChange;
         const double ratio = rr[i] / near[i];
         const bool is_excluded = excluded && excluded[i] != 0;
         const bool premature =
             i > 0 && !is_excluded && (ratio < 0.84 || rr[i] / recording < 0.75) && ratio < 1 - 6 * change[i];
         flags[i] = static_cast<std::uint8_t>((premature ? kIsPremature : 0) | (is_excluded ? kIsExcluded : 0) |
                                              (change[i] < kSteadyChange ? kIsSteady : 0));
       });
}

void accepted_beats(BackEnd& context, std::span<const std::uint8_t> flags, std::span<std::uint8_t> accepted) {
  BEATSCAN_EXPECTS(flags.size() == accepted.size(), "accepted_beats: bad shape");
  each(context, static_cast<std::int64_t>(flags.size()),
       [flags = flags.data(), accepted = accepted.data()] BEATSCAN_DEVICE(std::int64_t i) {
         accepted[i] = i > 0 && ((flags[i] | flags[i - 1]) & (kIsPremature | kIsExcluded)) == 0;
       });
}

void reference_departures(BackEnd& context, std::span<const double> rr_s, std::span<const double> reference_s,
                          std::span<const std::uint32_t> before, std::span<double> some) {
  BEATSCAN_EXPECTS(reference_s.size() == rr_s.size() && before.size() == rr_s.size() + 1 && some.size() == rr_s.size(),
                   "reference_departures: bad shape");
  each(context, static_cast<std::int64_t>(rr_s.size()),
       [rr = rr_s.data(), reference = reference_s.data(), before = before.data(),
        some = some.data()] BEATSCAN_DEVICE(std::int64_t i) {
         if (before[i + 1] > before[i]) some[before[i]] = std::abs(rr[i] / reference[i] - 1);
       });
}

void premature_beats(BackEnd& context, std::span<const double> rr_s, std::span<const double> reference_s,
                     std::span<const std::uint8_t> flags, std::span<double> scatter, std::span<double> margin,
                     std::span<std::uint8_t> next) {
  BEATSCAN_EXPECTS(reference_s.size() == rr_s.size() && flags.size() == rr_s.size() && scatter.size() == rr_s.size() &&
                       margin.size() == rr_s.size() && next.size() == rr_s.size(),
                   "premature_beats: bad shape");
  const Margins of{rr_s.data(), reference_s.data(), scatter.data(), flags.data(),
                   static_cast<std::int64_t>(rr_s.size())};
  each(context, of.beats,
       [of, scatter = scatter.data(), margin = margin.data(), next = next.data()] BEATSCAN_DEVICE(std::int64_t i) {
         scatter[i] *= 1.4826;
         margin[i] = of.margin(i);
         const unsigned others = of.flags[i] & ~unsigned{kIsPremature};
         next[i] = static_cast<std::uint8_t>(others | (of.is_premature(i, margin[i]) ? kIsPremature : 0));
       });
}

void reference_columns(BackEnd& context, std::span<const double> rr_s, const ReferenceLists& lists,
                       std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(rr_s.size());
  BEATSCAN_EXPECTS(lists.reference_s.size() == rr_s.size() && lists.scatter.size() == rr_s.size() &&
                       lists.change.size() == rr_s.size() && lists.margin.size() == rr_s.size() &&
                       lists.flags.size() == rr_s.size(),
                   "reference_columns: bad shape");
  const ColumnsView out = view_of(columns, kReferenceColumns, beats);
  each(context, beats,
       [out, beats, rr = rr_s.data(), reference = lists.reference_s.data(), scatter = lists.scatter.data(),
        change = lists.change.data(), margin = lists.margin.data(),
        flags = lists.flags.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t next = i + 1 < beats ? i + 1 : beats - 1;
         out.set(kReferenceRr, i, reference[i]);
         out.set(kPrematurity, i, within(std::log(rr[i] / reference[i]), -1.2, 1.0));
         out.set(kPause, i, within(std::log(rr[next] / reference[i]), -1.2, 1.0));
         out.set(kPrematurityMargin, i, within(margin[i] - premature_margin(scatter[i]), -0.6, 0.6));
         out.set(kPrematureBeat, i, flags[i] & kIsPremature ? 1 : 0);
         out.set(kReferenceScatter, i, scatter[i]);
         out.set(kRrChange, i, change[i]);
         const double before = rr[i] + neighbour_of(rr, beats, i, -1), around = rr[i] + rr[next];
         out.set(kRrSumBefore, i, within(std::log(before / reference[i]), -0.8, 1.6));
         out.set(kRrSumAround, i, within(std::log(around / reference[next]), -0.8, 1.6));
       });
}

}  // namespace beatscan::features
