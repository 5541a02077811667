// app/output/report_data.h — the small arrays that report.html is drawn from, besides summary.json and beats.csv:
// report/*.npy. All signal values are in their lead's unit; NaN for missing ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "app/common/json.h"
#include "app/output/template_shapes.h"

namespace beatscan {

class OutputFolder;
class VaeModel;
struct Config;
struct RunResult;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;
template <class Context>
struct ReferenceBeats;

inline constexpr std::int64_t kSignalBins = 1 << 20;            // at most, of the first lead
inline constexpr std::int64_t kOtherLeadsSamples = 1 << 21;     // all other leads are kept unbinned up to this length
inline constexpr std::int64_t kOtherLeadsBins = 1 << 18;        // at most, of all other leads together, if binned
inline constexpr double kStrip_s = 10;                          // half of it before the R peak
inline constexpr std::int64_t kStripSamplesWithoutRate = 2500;  // 10 s at 250 Hz

// Returns the number of values of a bin: its minimum and its maximum. A bin of one sample has one value, because both
// are equal.
inline constexpr std::int64_t values_of_bin(std::int64_t bin_samples) { return bin_samples == 1 ? 1 : 2; }

// L leads of which C have beat windows, K beats, windows of D points, strips of S samples. A lead's number is its index
// in the recording.
struct ReportData {
  std::int64_t leads = 1;         // L
  std::int64_t bin_samples = 1;   // the least power of two with at most kSignalBins bins
  std::vector<float> bin_ranges;  // [E][2] minimum and maximum of each bin of the first lead; [E][1] of one sample
  std::int64_t other_bin_samples = 1;
  std::vector<float> other_bin_ranges;  // [L - 1][E'][2 or 1] the same of the other leads, in bins of other_bin_samples
  std::vector<std::int64_t> beats;      // [K] rows of beats.csv: in good, then in poor signal; by descending score
  std::int64_t strip_samples = 0;       // S
  std::vector<float> strips;            // [L][K][S] signal around the R peak, which is at S / 2
  std::vector<float> rows;              // [K][D] in the lead that contributes most to the score
  std::vector<float> decoded;           // [K][D] from the row's mean latent; NaN if the row has none
  // [K] the lead of each row; none with method published
  std::vector<std::int64_t> row_leads;
  // [C][2][D] the median beat, and the deviation that two thirds of the reference beats stay within; with method
  // published, mean and standard deviation of the rows
  std::vector<float> reference;
  std::vector<std::int64_t> reference_leads;  // [C]; none with method published
  // [P][3] first sample, sample after the last one and Quality of the segments that are good in no lead; none if there
  // is only one lead
  std::vector<std::int64_t> poor;
  std::vector<std::int64_t> non_conducted_p;  // [N][2] onset and end, in samples, of each non-conducted P wave
  TemplateShapes templates;
  // Strips at more points of interest. There are none if all leads are unbinned.
  std::vector<std::int64_t> finding_places;  // [F] samples, ascending; each is in the middle of a strip
  std::vector<float> finding_strips;         // [L][F][S]
  // In the unit of the first lead with beat windows. Decoded from a grid of the (at most) two latents with the greatest
  // variance, the others at 0.
  std::vector<int> grid_latents;                    // one or two
  std::vector<std::vector<double>> grid_values;     // first along x, then along y; {0} without a second
  std::vector<float> grid;                          // [y][x][D]
  std::optional<double> row_before_s, row_after_s;  // from the R peak; nullopt without a rate
};

// Converts rows, which are residuals from the reference, to beats in the input's unit. With method published there is
// no reference: the rows are beats already.
template <class Context>
void in_input_unit(const ReferenceBeats<Context>& reference, std::span<float> rows);

// Cuts and decodes the beats that the report shows, from a complete result. `report` may be the result's own.
// draw_overview() and, if there is a model, draw_grid() must have filled their parts before (report_overview.h), and
// the templates must exist.
template <class Context>
void fill_report(Context&, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                 const VaeModel& model, const RunResult& result, const Config& config, ReportData& report);

// Returns the entry of summary.json that describes the arrays.
Json report_json(const ReportData& report);
void write_report_data(OutputFolder& folder, const ReportData& report, std::int64_t row_points);

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

inline constexpr std::int64_t kReportBeats = 60;      // at most: those with the highest scores
inline constexpr std::int64_t kReportPoorBeats = 12;  // of these in poor signal, if enough are in good signal

inline constexpr std::size_t kReportPlaces = 96;  // at most, besides these beats

// Returns the samples that the report links to besides the shown beats, ascending: the most typical and the most
// atypical beat of each template, the longest episodes of each label, the longest interval between beats, the first
// non-conducted P wave, and the minute with the longest QTc.
std::vector<std::int64_t> finding_places(const RunResult& result, const ReportData& report);

}  // namespace beatscan
