#include "app/run/kind_doubts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/runtime/parallel.h"
#include "stages/common/robust.h"
#include "stages/findings/beat_times.h"

namespace beatscan {
namespace {

constexpr double kLarge = 1.5;                         // of the median range of a block
constexpr double kLongestPart = 0.25, kMostly = 0.85;  // shares of the blocks
constexpr std::int64_t kShortestPart = 5;              // blocks
constexpr double kTakenForOdd = 0.5;                   // least share of the beats that are V or Q
constexpr double kMoreThanElsewhere = 0.3;             // by how much it is larger than elsewhere
constexpr std::int64_t kAroundIt = 9;                  // intervals on either side
constexpr double kOnTime = 0.07;                       // of the interval
constexpr std::int64_t kBeatsAThread = 256;            // fewest that are looked at by a thread of their own

// A part at an end of a lead in which the signal is larger.
struct LargePart {
  std::int64_t first, last;  // blocks
  double times;              // as large as the rest
};

// Returns the part at an end of a lead whose blocks are large, while the others are not.
std::optional<LargePart> large_part(const SignalQuality& lead) {
  std::vector<double> ranges;
  for (const BlockExtent& its : lead.extents) ranges.push_back(double{its.max} - its.min);
  const std::int64_t count = std::ssize(ranges);
  const auto longest = static_cast<std::int64_t>(kLongestPart * static_cast<double>(count));
  if (longest < kShortestPart) return {};
  const double limit = kLarge * quantile(ranges, 0.5);
  const auto all = std::ranges::count_if(ranges, [=](double range) { return range > limit; });
  std::optional<LargePart> best;
  std::int64_t most = 0;
  for (const bool at_end : {false, true})
    for (std::int64_t size = 1, large = 0; size <= longest; ++size) {
      large += ranges[at_end ? count - size : size - 1] > limit;
      const auto part = static_cast<double>(size), rest = static_cast<double>(count - size);
      if (size < kShortestPart || static_cast<double>(large) < kMostly * part ||
          static_cast<double>(all - large) > (1 - kMostly) * rest || 2 * large - size <= most)
        continue;
      most = 2 * large - size;
      best = at_end ? LargePart{count - size, count, 0} : LargePart{0, size, 0};
    }
  if (!best) return {};
  std::vector<double> inside(ranges.begin() + best->first, ranges.begin() + best->last), outside;
  for (std::int64_t b = 0; b < count; ++b)
    if (b < best->first || b >= best->last) outside.push_back(ranges[b]);
  best->times = quantile(inside, 0.5) / std::max(quantile(outside, 0.5), 1e-30);
  return best;
}

std::optional<LargeEnd> large_end_of(const BeatList& found, const Findings& findings, const SignalQuality& lead) {
  const auto part = large_part(lead);
  if (!part) return {};
  const bool at_end = part->first > 0;
  LargeEnd end{.at_end = at_end,
               .change_sample = static_cast<double>(lead.block_samples * (at_end ? part->first : part->last)),
               .times = part->times};
  std::int64_t others = 0, odd_others = 0;
  for (std::size_t i = 0; i < found.r_peaks.size(); ++i) {
    const Kind kind = findings.kinds[i];
    const bool is_odd =
        kind == Kind::ventricular || (kind == Kind::unknown && !findings.is_paced(static_cast<std::int64_t>(i)));
    if ((found.r_peaks[i] >= end.change_sample) == at_end)
      ++end.beats, end.odd += is_odd;
    else
      ++others, odd_others += is_odd;
  }
  if (end.beats == 0) return {};
  const double share = static_cast<double>(end.odd) / static_cast<double>(end.beats),
               elsewhere = others == 0 ? 0 : static_cast<double>(odd_others) / static_cast<double>(others);
  return share >= kTakenForOdd && share - elsewhere >= kMoreThanElsewhere ? std::optional(end) : std::nullopt;
}

double interval_of(const BeatList& found, std::int64_t i) { return found.r_peaks[i + 1] - found.r_peaks[i]; }

// Returns the intervals that tell what is usual: between two beats that are neither V nor bumps. All known ones where
// there are none.
std::vector<std::int64_t> usual_intervals(const BeatList& found, const Findings& findings) {
  std::vector<std::int64_t> usual, known;
  const auto is_usual = [&](std::int64_t i) { return findings.kinds[i] != Kind::ventricular && !findings.is_bump(i); };
  for (std::int64_t i = 0; i < std::ssize(found.broken); ++i) {
    if (found.broken[i]) continue;
    known.push_back(i);
    if (is_usual(i) && is_usual(i + 1)) usual.push_back(i);
  }
  return usual.empty() ? known : usual;
}

// Tells whether beat i comes, and the next one too, at the usual interval around it.
//   usual  of usual_intervals; those of a run of V beats would always be like each other
bool is_on_time(const BeatList& found, const std::vector<std::int64_t>& usual, std::int64_t i) {
  if (found.broken[i - 1] || found.broken[i]) return false;
  const double middle = median_interval(found.r_peaks, usual, i, kAroundIt);
  return std::abs(interval_of(found, i - 1) - middle) < kOnTime * middle &&
         std::abs(interval_of(found, i) - middle) < kOnTime * middle;
}

// Returns the most V beats in a row that are on time.
std::int64_t longest_run(const std::vector<std::int64_t>& beats, const std::vector<std::uint8_t>& on_time) {
  std::int64_t run = 0, longest = 0;
  for (std::size_t v = 0; v < beats.size(); ++v) {
    const bool goes_on = v > 0 && beats[v] == beats[v - 1] + 1;
    run = on_time[v] ? (goes_on ? run + 1 : 1) : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::optional<LargeEnd> large_end(const BeatFacts& beats, const Findings& findings) {
  for (const std::int64_t l : beats.leads)
    if (const auto end = large_end_of(beats.found, findings, beats.lead_quality[l])) return end;
  return {};
}

BeatsOnTime beats_on_time(const BeatList& found, const Findings& findings) {
  std::vector<std::int64_t> beats;
  for (std::int64_t i = 1; i + 1 < std::ssize(findings.kinds); ++i)
    if (findings.kinds[i] == Kind::ventricular) beats.push_back(i);
  if (beats.empty()) return {};
  const auto usual = usual_intervals(found, findings);
  std::vector<std::uint8_t> on_time(beats.size());
  parallel_for(Cpu(), std::ssize(beats), kBeatsAThread, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t v = first; v < last; ++v) on_time[v] = is_on_time(found, usual, beats[v]);
  });
  const auto count = std::ranges::count(on_time, 1);
  if (count == 0) return {.all = std::ssize(beats)};
  const auto first = std::ranges::find(on_time, 1) - on_time.begin();
  return {.all = std::ssize(beats), .on_time = count, .first = beats[first], .in_a_row = longest_run(beats, on_time)};
}

}  // namespace beatscan
