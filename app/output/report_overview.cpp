#include "app/output/report_overview.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/output/cut_rows.h"
#include "app/output/latent_grid.h"
#include "app/output/run_result.h"
#include "app/output/shown_gaps.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/bin_ranges.h"
#include "stages/common/duration.h"
#include "stages/common/robust.h"
#include "stages/io/recording/recording.h"
#include "stages/model/vae.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {
namespace {

constexpr std::int64_t kSpreadRows = 2048;  // enough rows for mean and standard deviation to a few hundredths
constexpr double kTwoThirds = 0.6827;       // share of a normal distribution within a standard deviation

// Returns the minimum and the maximum of each bin, [E][values_of_bin()].
template <class Context>
std::vector<float> envelope_of(Context& context, const Buffer<float, Context>& signal, std::int64_t bin_samples) {
  if (bin_samples == 1) return std::get<0>(to_hosts(context, signal));
  Buffer<float, Context> extremes(context, 2 * ((signal.size() - 1) / bin_samples + 1));
  bin_ranges(context, signal, bin_samples, extremes);
  return std::get<0>(to_hosts(context, extremes));
}

// Returns the least power of two that divides the samples into at most `most_bins` bins.
std::int64_t bin_for(std::int64_t samples, std::int64_t most_bins) {
  std::int64_t bin_samples = 1;
  while ((samples - 1) / bin_samples >= most_bins) bin_samples *= 2;
  return bin_samples;
}

template <class Context>
void draw_envelopes(Context& context, const Recording<Context>& recording, const std::vector<GapList>& gaps,
                    ReportData& report) {
  const auto samples = recording.leads.front().samples.size(), others = std::ssize(recording.leads) - 1;
  report.bin_samples = bin_for(samples, kSignalBins);
  report.bin_ranges = envelope_of(context, recording.leads.front().samples, report.bin_samples);
  show_gaps_in_bins(gaps[0], report.bin_samples, samples, report.bin_ranges);
  if (others == 0) return;
  const bool whole = report.bin_samples == 1 && samples <= kOtherLeadsSamples / others;
  report.other_bin_samples = whole ? 1 : bin_for(samples, kOtherLeadsBins / others);
  for (std::int64_t l = 1; l <= others; ++l) {
    auto bins = envelope_of(context, recording.leads[l].samples, report.other_bin_samples);
    show_gaps_in_bins(gaps[l], report.other_bin_samples, samples, bins);
    report.other_bin_ranges.insert(report.other_bin_ranges.end(), bins.begin(), bins.end());
  }
}

// Returns the median beat, and point by point the deviation of the reference beats from it.
template <class Context>
std::vector<float> median_and_spread(Context& context, const ReferenceBeats<Context>& reference) {
  const auto points = std::ssize(reference.median), count = reference.rows.size();
  const auto values = to_host(context, reference.values);
  std::vector<float> both(2 * points);
  parallel_for(Cpu(), points, 16, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> column(count);
    for (std::int64_t j = first; j < last; ++j) {
      for (std::int64_t i = 0; i < count; ++i) column[i] = std::abs(values[i * points + j]);
      both[j] = static_cast<float>(reference.amplitude * reference.median[j]);
      both[points + j] = static_cast<float>(reference.amplitude * reference.spread * quantile(column, kTwoThirds));
    }
  });
  return both;
}

// Returns mean and standard deviation of some evenly spaced rows.
template <class Context>
std::vector<float> mean_and_deviation(Context& context, const Rows<Context>& rows) {
  std::vector<std::int64_t> some(std::min(rows.count, kSpreadRows));
  const auto count = std::ssize(some);
  for (std::int64_t i = 0; i < count; ++i) some[i] = i * rows.count / count;
  const auto values = rows_at(context, rows, some);
  std::vector<double> mean(rows.points), squares(rows.points);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t t = 0; t < rows.points; ++t) mean[t] += values[i * rows.points + t];
  for (double& value : mean) value /= static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t t = 0; t < rows.points; ++t) {
      const double difference = values[i * rows.points + t] - mean[t];
      squares[t] += difference * difference;
    }
  std::vector<float> both(mean.begin(), mean.end());
  for (const double value : squares) both.push_back(static_cast<float>(std::sqrt(value / static_cast<double>(count))));
  return both;
}

}  // namespace

template <class Context>
void draw_overview(Context& context, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                   const std::vector<GapList>& gaps, ReportData& report) {
  report.leads = std::ssize(recording.leads);
  draw_envelopes(context, recording, gaps, report);
  if (embedded.leads.empty()) report.reference = mean_and_deviation(context, embedded.rows);
  for (const auto& lead : embedded.leads) {
    const auto reference = median_and_spread(context, lead.beats.reference);
    report.reference.insert(report.reference.end(), reference.begin(), reference.end());
    report.reference_leads.push_back(lead.lead);
  }
}

template <class Context>
void draw_grid(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model, const ModelFacts& facts,
               const RowScores& rows, std::int64_t latents, ReportData& report) {
  report.grid = decoded_rows(context, model, lay_grid(facts, rows, latents, report));
  if (!embedded.leads.empty()) in_input_unit(embedded.leads.front().beats.reference, std::span(report.grid));
}

#define BEATSCAN_REPORT_OVERVIEW(Context)                                                              \
  template void draw_overview(Context&, const Recording<Context>&, const EmbeddedBeats<Context>&,      \
                              const std::vector<GapList>&, ReportData&);                               \
  template void draw_grid(Context&, const EmbeddedBeats<Context>&, const VaeModel&, const ModelFacts&, \
                          const RowScores&, std::int64_t, ReportData&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_REPORT_OVERVIEW)

}  // namespace beatscan
