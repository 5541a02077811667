#include "app/result/words/kind_warnings.h"

#include <algorithm>
#include <cmath>

#include "app/result/run_result.h"
#include "app/result/words/aberrant_shapes.h"
#include "app/result/words/own_shapes.h"
#include "app/result/words/pacing_warning.h"
#include "app/result/words/run_doubts.h"
#include "app/result/words/usual_width.h"
#include "app/text/numbers.h"
#include "stages/common/one_line.h"
#include "stages/findings/beat_findings.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFewestArtefacts = 3;  // beats; fewer change no finding
constexpr std::int64_t kFewestOnTime = 20;    // V beats
constexpr std::int64_t kFewestInARow = 5;     // V beats
constexpr double kMostlyOnTime = 0.5;         // of the V beats

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
         fixed(second_of(result, static_cast<double>(repeats.first_sample)), 1) + " s, " +
         fixed(second_of(result, static_cast<double>(repeats.first_lag_samples)), 2) +
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
  if (widths_ms.size() != groups.size()) return "";
  const auto usual = std::ranges::find(groups, Kind::normal, &BeatGroup::kind);
  if (usual == groups.end()) return "";
  const std::int64_t kept = std::ssize(result.beats.kept);
  const double width_ms = std::round(10 * widths_ms[usual - groups.begin()]) / 10,  // as in templates.csv, for the page
      share = static_cast<double>(usual->beats) / static_cast<double>(kept);
  if (!usual_is_wide(width_ms, share, kept)) return "";
  return "the usual beat is wide (" + fixed(width_ms, 0) +
         " ms by its slopes, templates.csv): a bundle branch block, a pacemaker and a ventricular rhythm look like "
         "that; kinds are told by comparison with this shape, so N means usual here, and may be ventricular";
}

std::string size_warning(const RunResult& result) {
  const auto& part = result.doubts.large_end;
  if (!part) return "";
  return std::string(part->at_end ? "from " : "up to ") + fixed(second_of(result, part->change_sample), 0) + " s " +
         (part->at_end ? "on " : "") + "the signal is " + fixed(part->times, 1) +
         " times as large as in the rest, and " + grouped(part->odd) + " of the " + grouped(part->beats) +
         " beats there are V or Q: a gain that changed and an electrode that moved look like that, and kinds there may "
         "be wrong; analyse both parts apart";
}

std::string on_time_warning(const RunResult& result) {
  const BeatsOnTime& on_time = result.doubts.on_time;
  const bool most = on_time.all >= kFewestOnTime &&
                    static_cast<double>(on_time.on_time) >= kMostlyOnTime * static_cast<double>(on_time.all);
  if (!most && on_time.in_a_row < kFewestInARow) return "";
  return grouped(on_time.on_time) + " of " + grouped(on_time.all) + " V beats, the first at " +
         fixed(second_of(result, result.beats.found.r_peaks[on_time.first]), 1) +
         " s, come just when a usual beat would, with no pause after them: movement that bends the line, a gain that "
         "changed, and a bundle branch block or a pacemaker that comes and goes look like that; look at the strip";
}

// Tells of V beats that come at the rate of usual ones.
std::string rate_like_usual(const RunResult& result) {
  std::string on_time = on_time_warning(result);
  return on_time.empty() ? smooth_run_warning(result) : on_time;
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
  const std::string size = size_warning(result), gradual = gradual_runs_warning(result);
  for (auto warning :
       {repeats_warning(result),
        artefacts_warning(result, doubts.steps, "steps of the signal",
                          "an electrode that moves or is touched looks like that"),
        artefacts_warning(result, doubts.bursts, "ragged bursts", "muscle noise looks like that"),
        artefacts_warning(result, doubts.bumps,
                          "bumps like V beats, on or between usual beats that go on in time, or near such bumps",
                          "movement that bends the line looks like that"),
        pacing_warning(result, Chamber::ventricles), pacing_warning(result, Chamber::atria), wide_warning(result),
        own_shapes_warning(result), aberrant_shapes_warning(result), size, size.empty() ? rate_like_usual(result) : "",
        unknown_runs_warning(result), gradual, gradual.empty() ? slow_runs_warning(result) : "", turns_warning(result),
        double_intervals_warning(result)})
    warnings.push_back(std::move(warning));
  std::erase(warnings, "");
  return warnings;
}

}  // namespace beatscan
