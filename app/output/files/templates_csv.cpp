#include <cmath>

#include "app/common/numbers.h"
#include "app/output/files/csv_files.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/robust.h"
#include "stages/waves/wave_intervals.h"
#include "stages/waves/waves.h"

namespace beatscan {
namespace {

// The intervals before the beats of one template, and the times of its beats.
struct TemplateRow {
  std::vector<double> intervals_s;
  double first = 0, last = 0;  // samples
  bool seen = false;
};

std::vector<TemplateRow> rows_of(const RunResult& result) {
  const Findings& findings = *result.findings;
  const auto& found = result.beats.found;
  std::vector<TemplateRow> rows(findings.groups.size());
  for (std::size_t beat = 0; beat < found.r_peaks.size(); ++beat) {
    if (findings.templates[beat] < 0) continue;
    TemplateRow& row = rows[findings.templates[beat]];
    if (!row.seen) row.first = found.r_peaks[beat];
    row.seen = true;
    row.last = found.r_peaks[beat];
    if (beat > 0 && !found.broken[beat - 1])
      row.intervals_s.push_back((found.r_peaks[beat] - found.r_peaks[beat - 1]) / *result.input.sample_rate_hz);
  }
  return rows;
}

std::string fixed_or_empty(double value, int decimals) { return std::isfinite(value) ? fixed(value, decimals) : ""; }

// The intervals of the beats of one template, ms.
struct TemplateIntervals {
  std::vector<double> pr, qrs, qt, qtc;
};

std::vector<TemplateIntervals> intervals_of_templates(const RunResult& result) {
  std::vector<TemplateIntervals> all(result.findings->groups.size());
  if (!result.waves) return all;
  const auto add = [](std::vector<double>& values, float value) {
    if (!std::isnan(value)) values.push_back(value);
  };
  for (std::int64_t beat = 0; beat < result.waves->beats(); ++beat) {
    if (result.findings->templates[beat] < 0) continue;
    TemplateIntervals& of_template = all[result.findings->templates[beat]];
    const WaveIntervals intervals = wave_intervals(result.waves->fiducials_of(beat));
    add(of_template.pr, intervals.pr);
    add(of_template.qrs, intervals.qrs);
    add(of_template.qt, intervals.qt);
    add(of_template.qtc, result.waves->qtc_ms[beat]);
  }
  return all;
}

// Returns the cells of a template's median intervals, each after a comma.
std::string interval_cells(TemplateIntervals& intervals) {
  std::string cells;
  for (auto* values : {&intervals.pr, &intervals.qrs, &intervals.qt, &intervals.qtc})
    cells += ',' + (values->empty() ? "" : fixed(quantile(*values, 0.5), 1));
  return cells;
}

// Returns the cells of a template's mean beat, each after a comma.
std::string shape_cells(const TemplateShapes& shapes, std::size_t k) {
  if (k >= shapes.typical.size()) return ",,,,";
  return ',' + std::to_string(shapes.typical[k]) + ',' + std::to_string(shapes.most_atypical[k]) + ',' +
         fixed_or_empty(shapes.spread[k], 4) + ',' + fixed_or_empty(shapes.width_ms[k], 1);
}

}  // namespace

std::string templates_csv(const RunResult& result) {
  std::string text =
      "template,beat_class,beats,share,rate_bpm,first_s,last_s,most_typical_beat,most_atypical_beat,spread,width_ms,"
      "first_time_of_day,last_time_of_day,paced,pr_ms,qrs_ms,qt_ms,qtc_ms\n";
  if (!result.findings) return text;
  const double rate_hz = *result.input.sample_rate_hz;
  auto rows = rows_of(result);
  auto intervals = intervals_of_templates(result);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const BeatGroup& group = result.findings->groups[k];
    const double share = static_cast<double>(group.beats) / static_cast<double>(result.beats.kept.size());
    text += std::to_string(k) + ',' + letter_of(group.beat_class) + ',' + std::to_string(group.beats) + ',';
    text += fixed(share, 6) + ',';
    if (!rows[k].intervals_s.empty()) text += fixed(60 / quantile(rows[k].intervals_s, 0.5), 1);
    const double first_s = rows[k].first / rate_hz, last_s = rows[k].last / rate_hz;
    text += ',' + fixed(first_s, 6) + ',' + fixed(last_s, 6);
    text += shape_cells(result.report.templates, k);
    text += ',' + clock_at(result, first_s) + ',' + clock_at(result, last_s) + ',';
    const auto& pacing = result.findings->pacing;
    if (k < pacing.size()) text += name_of(pacing[k].chamber);
    text += interval_cells(intervals[k]) + '\n';
  }
  return text;
}

}  // namespace beatscan
