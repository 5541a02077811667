#include "app/result/words/kind_warnings.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/text/numbers.h"
#include "stages/common/one_line.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kWide_ms = 125, kCommonest = 0.5;         // of the usual shape; share of the beats
constexpr std::int64_t kFewestUsual = 50;                  // beats
constexpr std::int64_t kFewestArtefacts = 3;               // beats; fewer change no finding
constexpr double kLarge = 1.5;                             // of the median range of a block
constexpr double kLongestPart = 0.25, kMostly = 0.85;      // shares of the blocks
constexpr std::int64_t kShortestPart = 5;                  // blocks
constexpr double kTakenForOdd = 0.5, kOddElsewhere = 0.2;  // shares of the beats that are V or Q
constexpr std::int64_t kFewestOnTime = 20, kAroundIt = 9;  // V beats; intervals on either side
constexpr double kOnTime = 0.07, kMostlyOnTime = 0.7;      // of the interval; of the V beats

std::string wrap_warning(const RunResult& result, std::size_t l) {
  const Wraps& wraps = result.doubts.wraps[l];
  if (!wraps.are_told()) return "";
  const std::string name =
      result.input.leads.size() == 1 ? "the signal" : "lead '" + in_one_line(result.input.leads[l].name) + "'";
  return name + " jumps from one end of its range to the other between two samples, " + grouped(wraps.up + wraps.down) +
         " times in the blocks that were looked at, first at " +
         fixed(second_of(result, static_cast<double>(wraps.first)), 1) +
         " s: a wave beyond the range of a converter, or of the file, comes back from the other end like that, and "
         "beats, kinds and rhythms there are false; record or export it with a wider range";
}

std::string repeats_warning(const RunResult& result) {
  const Repeats& repeats = result.doubts.repeats;
  if (repeats.beats == 0) return "";
  return "beside " + grouped(repeats.beats) + " of " + grouped(repeats.asked) +
         " V and S beats that were looked at, 0.25 s of samples or more repeat exactly, the first at " +
         fixed(second_of(result, static_cast<double>(repeats.first)), 1) + " s, " +
         fixed(second_of(result, static_cast<double>(repeats.first_lag)), 2) +
         " s after the original: a buffer was written twice, and makes beats that come early and are none";
}

// Tells of beats in good signal that look like an artefact.
std::string artefacts_warning(const RunResult& result, const std::vector<std::int64_t>& beats, const char* looks,
                              const char* cause) {
  if (std::ssize(beats) < kFewestArtefacts) return "";
  return grouped(std::ssize(beats)) + " beats in good signal are " + looks + ", the first at " +
         fixed(second_of(result, result.beats.found.r_peaks[beats.front()]), 1) + " s: they are of kind Q; " + cause +
         ", and kinds of beats beside them may be wrong";
}

std::string wide_warning(const RunResult& result) {
  const auto& groups = result.findings->groups;
  const auto& widths_ms = result.report.templates.width_ms;
  if (widths_ms.size() != groups.size() || std::ssize(result.beats.kept) < kFewestUsual) return "";
  const auto usual = std::ranges::find(groups, Kind::normal, &BeatGroup::kind);
  if (usual == groups.end()) return "";
  const double width_ms = widths_ms[usual - groups.begin()],
               share = static_cast<double>(usual->beats) / static_cast<double>(result.beats.kept.size());
  if (!(width_ms >= kWide_ms) || share < kCommonest) return "";
  return "the usual beat is wide (" + fixed(width_ms, 0) +
         " ms by its slopes, templates.csv): a bundle branch block, a pacemaker and a ventricular rhythm look like "
         "that; kinds are told by comparison with this shape, so N means usual here, and may be ventricular";
}

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

std::string size_warning(const RunResult& result, const SignalQuality& lead) {
  const auto part = large_part(lead);
  if (!part) return "";
  const auto& found = result.beats.found;
  const auto block = static_cast<double>(lead.block_samples);
  const bool at_end = part->first > 0;
  const double change = block * static_cast<double>(at_end ? part->first : part->last);
  std::int64_t beats = 0, odd = 0, others = 0, odd_others = 0;
  for (std::size_t i = 0; i < found.r_peaks.size(); ++i) {
    const Kind kind = result.findings->kinds[i];
    const bool is_odd = kind == Kind::ventricular || kind == Kind::unknown;
    if ((found.r_peaks[i] >= change) == at_end)
      ++beats, odd += is_odd;
    else
      ++others, odd_others += is_odd;
  }
  if (static_cast<double>(odd) < kTakenForOdd * static_cast<double>(beats) || beats == 0 ||
      static_cast<double>(odd_others) > kOddElsewhere * static_cast<double>(others))
    return "";
  return std::string(at_end ? "from " : "up to ") + fixed(second_of(result, change), 0) + " s " +
         (at_end ? "on " : "") + "the signal is " + fixed(part->times, 1) + " times as large as in the rest, and " +
         grouped(odd) + " of the " + grouped(beats) +
         " beats there are V or Q: a gain that changed and an electrode that moved look like that, and kinds there may "
         "be wrong; analyse both parts apart";
}

// Tells of a part that is large in any lead.
std::string size_warning(const RunResult& result) {
  for (const std::int64_t l : result.beats.leads)
    if (auto warning = size_warning(result, result.beats.lead_quality[l]); !warning.empty()) return warning;
  return "";
}

// Tells whether beat i comes, and the next one too, at the usual interval around it.
bool is_on_time(const BeatList& found, std::int64_t i) {
  if (found.broken[i - 1] || found.broken[i]) return false;
  const auto interval = [&](std::int64_t k) { return found.r_peaks[k + 1] - found.r_peaks[k]; };
  std::vector<double> around;
  const std::int64_t last = std::min(i + kAroundIt, std::ssize(found.broken));
  for (std::int64_t k = std::max<std::int64_t>(i - kAroundIt, 0); k < last; ++k) around.push_back(interval(k));
  const double usual = quantile(around, 0.5);
  return std::abs(interval(i - 1) - usual) < kOnTime * usual && std::abs(interval(i) - usual) < kOnTime * usual;
}

// Tells of V beats that are neither early nor late, as if only the shape of usual beats had changed.
std::string on_time_warning(const RunResult& result) {
  const auto& found = result.beats.found;
  const auto& kinds = result.findings->kinds;
  std::int64_t all = 0, on_time = 0, first = -1;
  for (std::int64_t i = 1; i + 1 < std::ssize(kinds); ++i) {
    if (kinds[i] != Kind::ventricular) continue;
    ++all;
    if (is_on_time(found, i) && on_time++ == 0) first = i;
  }
  if (all < kFewestOnTime || static_cast<double>(on_time) < kMostlyOnTime * static_cast<double>(all)) return "";
  return grouped(on_time) + " of " + grouped(all) + " V beats, the first at " +
         fixed(second_of(result, found.r_peaks[first]), 1) +
         " s, come just when a usual beat would, with no pause after them: movement that bends the line, a gain that "
         "changed, and a bundle branch block or a pacemaker that comes and goes look like that; look at the strip";
}

}  // namespace

std::vector<std::string> kind_warnings(const RunResult& result) {
  std::vector<std::string> warnings;
  if (!result.findings || !result.input.sample_rate_hz ||
      result.findings->kinds.size() != result.beats.found.r_peaks.size() ||
      result.beats.found.broken.size() + 1 != result.findings->kinds.size())
    return warnings;
  for (std::size_t l = 0; l < result.doubts.wraps.size(); ++l) warnings.push_back(wrap_warning(result, l));
  const SignalDoubts& doubts = result.doubts;
  for (auto warning : {repeats_warning(result),
                       artefacts_warning(result, doubts.steps, "steps of the signal",
                                         "an electrode that moves or is touched looks like that"),
                       artefacts_warning(result, doubts.bursts, "ragged bursts", "muscle noise looks like that"),
                       wide_warning(result), size_warning(result)})
    warnings.push_back(std::move(warning));
  if (warnings.back().empty()) warnings.push_back(on_time_warning(result));
  std::erase(warnings, "");
  return warnings;
}

}  // namespace beatscan
