// app/output/report_arrays.h — the arrays of the folder report/, by name and shape.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "app/output/report_data.h"

namespace beatscan {

// Calls visit(name, values, shape) for each array of a result's page. The values are floats or std::int64_t in `report`
// itself. Report is ReportData, const or not.
template <class Report, class Visit>
void each_report_array(Report& report, std::int64_t row_points, Visit&& visit) {
  const auto array = [&](const char* name, auto& values, std::vector<std::int64_t> inner) {
    std::int64_t size = 1;
    for (const std::int64_t length : inner) size *= std::max<std::int64_t>(length, 1);
    inner.insert(inner.begin(), std::ssize(values) / size);
    visit(name, values, std::move(inner));
  };
  const auto beats = std::ssize(report.beats);
  if (const auto count = std::ssize(report.templates.typical); count > 0)
    array("templates", report.templates.means, {count, row_points});
  if (const auto places = std::ssize(report.finding_places); places > 0) {
    array("finding_places", report.finding_places, {});
    array("finding_strips", report.finding_strips, {places, report.strip_samples});
  }
  if (!report.non_conducted_p.empty()) array("non_conducted_p", report.non_conducted_p, {2});
  array("strip_beats", report.beats, {});
  array("envelope", report.bin_ranges, {values_of_bin(report.bin_samples)});
  array("rows", report.rows, {row_points});
  array("decoded", report.decoded, {row_points});
  array("grid", report.grid, {row_points});
  if (report.leads == 1) {  // its arrays have no dimension of leads
    array("strips", report.strips, {report.strip_samples});
    array("reference", report.reference, {row_points});
    return;
  }
  const std::int64_t values = values_of_bin(report.other_bin_samples);
  const std::int64_t bins = std::ssize(report.other_bin_ranges) / (values * (report.leads - 1));
  array("other_envelopes", report.other_bin_ranges, {bins, values});
  visit("strips", report.strips, std::vector<std::int64_t>{report.leads, beats, report.strip_samples});
  array("reference", report.reference, {2, row_points});
  array("row_leads", report.row_leads, {});
  array("poor", report.poor, {3});
}

}  // namespace beatscan
