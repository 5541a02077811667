#include "app/output/report_overview.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "app/output/report_data.h"
#include "app/output/run_result.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/peaks.h"
#include "stages/common/duration.h"
#include "stages/common/robust.h"
#include "stages/io/recording/recording.h"
#include "stages/model/vae.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {

template <class Context>
std::vector<GapList> drawn_gaps(Context& context, const Recording<Context>& recording, double bridge_s,
                                std::optional<double> rate) {
  const double rate_hz = rate.value_or(kStripSamplesWithoutRate / kStrip_s);
  std::vector<GapList> gaps;
  for (const auto& lead : recording.leads)
    gaps.push_back(long_gaps({to_host(context, lead.gap_firsts), to_host(context, lead.gap_lasts)}, bridge_s, rate_hz));
  return gaps;
}

void show_gaps_in_bins(const GapList& gaps, std::int64_t bin_samples, std::int64_t samples, std::span<float> bins) {
  const std::int64_t values = values_of_bin(bin_samples);
  for (std::size_t g = 0; g < gaps.firsts.size(); ++g) {
    const std::int64_t begin = (gaps.firsts[g] + bin_samples - 1) / bin_samples, behind = gaps.lasts[g] + 1;
    const std::int64_t end = behind >= samples ? std::ssize(bins) / values : behind / bin_samples;
    if (begin < end)
      std::ranges::fill(bins.subspan(values * begin, values * (end - begin)), std::numeric_limits<float>::quiet_NaN());
  }
}

void show_gaps_in_strip(const GapList& gaps, std::int64_t first, std::span<float> strip) {
  const std::int64_t end = first + std::ssize(strip);
  for (auto g = std::ranges::lower_bound(gaps.lasts, first) - gaps.lasts.begin();
       g < std::ssize(gaps.firsts) && gaps.firsts[g] < end; ++g) {
    const std::int64_t from = std::max(gaps.firsts[g], first), to = std::min(gaps.lasts[g] + 1, end);
    std::ranges::fill(strip.subspan(from - first, to - from), std::numeric_limits<float>::quiet_NaN());
  }
}

#define BEATSCAN_DRAWN_GAPS(Context) \
  template std::vector<GapList> drawn_gaps(Context&, const Recording<Context>&, double, std::optional<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_DRAWN_GAPS)

namespace {

constexpr double kPriorReach = 2;  // a grid covers the prior up to here, and the beats except 1 % on either side
constexpr double kBeyondGrid = 0.01;

// Returns evenly spaced values of a latent. They cover its prior and a sample of the training beats.
std::vector<double> grid_values_of(int latent, const ModelFacts& model, const RowScores& rows, std::int64_t latents) {
  std::vector<std::uint8_t> in_train(model.training.split.size());
  std::ranges::transform(model.training.split, in_train.begin(), [](Split use) { return use == Split::train; });
  std::vector<double> trained;
  for (const std::int64_t row : sample_places(in_train))
    if (const float value = rows.latents[row * latents + latent]; std::isfinite(value)) trained.push_back(value);
  const double low = trained.empty() ? 0 : quantile(trained, kBeyondGrid);
  const double high = trained.empty() ? 0 : quantile(trained, 1 - kBeyondGrid);
  const double from = std::min(low, -kPriorReach), to = std::max(high, kPriorReach);
  std::vector<double> values;
  for (int i = 0; i < kGridSide; ++i) values.push_back(from + (to - from) * i / (kGridSide - 1));
  return values;
}

// Fills the report's grid except for the decoded beats; returns the grid's latents [y][x][Z].
//   rows  errors and latents by the model
std::vector<float> lay_grid(const ModelFacts& model, const RowScores& rows, std::int64_t latents, ReportData& report) {
  const auto& variance = model.diagnosis.latent_variance;
  report.grid_latents.resize(latents);
  std::iota(report.grid_latents.begin(), report.grid_latents.end(), 0);
  std::ranges::stable_sort(report.grid_latents, [&](int a, int b) { return variance[a] > variance[b]; });
  report.grid_latents.resize(std::min<std::int64_t>(latents, 2));
  for (const int latent : report.grid_latents)
    report.grid_values.push_back(grid_values_of(latent, model, rows, latents));
  if (latents == 1) report.grid_values.push_back({0});
  std::vector<float> z;
  for (const double y : report.grid_values[1])
    for (const double x : report.grid_values[0]) {
      z.resize(z.size() + latents);
      if (latents > 1) z.end()[report.grid_latents[1] - latents] = static_cast<float>(y);
      z.end()[report.grid_latents[0] - latents] = static_cast<float>(x);
    }
  return z;
}

}  // namespace

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
