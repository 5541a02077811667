// app/result/report_data.h — the small arrays that report.html is drawn from, beside summary.json and beats.csv:
// report/*.npy. All values of signals are in their lead's unit; NaN where there is none.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "app/result/template_shapes.h"
#include "app/text/json.h"

namespace beatscan {

class OutputFolder;
class VaeModel;
struct Config;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;
template <class Context>
struct ReferenceBeats;

struct RunResult;

inline constexpr std::int64_t kSignalBins = 1 << 20;         // at most, of the first lead
inline constexpr std::int64_t kOtherLeadsSamples = 1 << 21;  // all other leads are kept whole up to this many samples
inline constexpr std::int64_t kOtherLeadsBins = 1 << 18;     // at most, of all other leads together, if not whole
inline constexpr double kStrip_s = 10;                       // half of it before the R peak
inline constexpr std::int64_t kStripSamplesWithoutRate = 2500;  // 10 s at 250 Hz

// Returns the number of values that are kept of a bin: the least and the greatest one. A bin of one sample has one
// value, because both are the same.
inline constexpr std::int64_t values_of_bin(std::int64_t bin_samples) { return bin_samples == 1 ? 1 : 2; }

// L leads of which C have rows, K beats, rows of D points, strips of S samples. A lead's number is that in the
// recording.
struct ReportData {
  std::int64_t leads = 1;         // L
  std::int64_t bin_samples = 1;   // the least power of two with at most kSignalBins bins
  std::vector<float> bin_ranges;  // [E][2] least and greatest value of each bin of the first lead; [E][1] of one sample
  std::int64_t other_bin_samples = 1;
  std::vector<float> other_bin_ranges;  // [L - 1][E'][2 or 1] the same of the other leads, in bins of other_bin_samples
  std::vector<std::int64_t> beats;      // [K] rows of beats.csv: in good signal, then in poor signal; in falling score
  std::int64_t strip_samples = 0;       // S
  std::vector<float> strips;            // [L][K][S] signal around the R peak, which is at S / 2
  std::vector<float> rows;              // [K][D] in the lead that says most for the beat
  std::vector<float> decoded;           // [K][D] from the row's mean latent; NaN where the row has none
  // [K] the lead of each row; none as published
  std::vector<std::int64_t> row_leads;
  // [C][2][D] the median beat, and how far two thirds of the reference beats stay from it; as published, mean and
  // standard deviation of the rows
  std::vector<float> reference;
  std::vector<std::int64_t> reference_leads;  // [C]; none as published
  // [P][3] first sample, sample after the last one and Quality of the stretches that are good in no lead; none where
  // there is but one lead
  std::vector<std::int64_t> poor;
  std::vector<std::int64_t> non_conducted_p;  // [N][2] onset and end, in samples, of each P wave without a QRS complex
  TemplateShapes templates;
  // Strips around more places of interest. There are none where all leads are kept whole.
  std::vector<std::int64_t> finding_places;  // [F] samples, ascending; each is in the middle of a strip
  std::vector<float> finding_strips;         // [L][F][S]
  // In the unit of the first lead that has rows. Decoded from a grid of the (at most) two latents with the greatest
  // variance, the others at 0.
  std::vector<int> grid_latents;                    // one or two
  std::vector<std::vector<double>> grid_values;     // first along x, then along y; {0} without a second
  std::vector<float> grid;                          // [y][x][D]
  std::optional<double> row_before_s, row_after_s;  // from the R peak; nothing without a rate
};

// Turns rows, which are residuals from the reference, into beats in the input's unit. As published, there is no
// reference: the rows are beats already.
template <class Context>
void in_input_unit(const ReferenceBeats<Context>& reference, std::span<float> rows);

// Cuts and decodes what the report shows of the beats of a result that is complete. `report` may be the result's own.
// Before, draw_overview() and, where there is a model, draw_grid() must have filled theirs (report_overview.h), and the
// templates must be there.
template <class Context>
void fill_report(Context&, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                 const VaeModel& model, const RunResult& result, const Config& config, ReportData& report);

// Returns what summary.json says of the arrays.
Json report_json(const ReportData& report);
void write_report_data(OutputFolder& folder, const ReportData& report, std::int64_t row_points);

}  // namespace beatscan
