#include "app/result/report_data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/files/npy.h"
#include "app/result/run_result.h"
#include "kernels/runtime/parallel.h"
#include "kernels/signal/bin_ranges.h"
#include "kernels/signal/strips.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr std::int64_t kSpreadRows = 2048;  // so many rows tell mean and standard deviation to a few hundredths
constexpr double kTwoThirds = 0.6827;       // share of a normal distribution within a standard deviation
constexpr double kPriorReach = 2;           // a grid covers the prior to here, and the beats but for 1 % on either side
constexpr double kBeyondGrid = 0.01;

template <class Context>
std::vector<float> cut(Context& context, std::span<const float> values, const std::vector<std::int64_t>& firsts,
                       std::int64_t length) {
  Buffer<float, Context> strips(context, std::ssize(firsts) * length);
  cut_strips(context, values, from_host(context, firsts), strips);
  return to_host(context, strips);
}

template <class Context>
std::vector<float> rows_at(Context& context, const Rows<Context>& rows, std::vector<std::int64_t> indices) {
  for (std::int64_t& index : indices) index *= rows.points;
  return cut(context, rows.values, indices, rows.points);
}

template <class Context>
void draw_envelope(Context& context, std::span<const float> signal, ReportData& report) {
  while ((std::ssize(signal) - 1) / report.bin_samples >= kSignalBins) report.bin_samples *= 2;
  Buffer<float, Context> extremes(context, 2 * ((std::ssize(signal) - 1) / report.bin_samples + 1));
  bin_ranges(context, signal, report.bin_samples, extremes);
  report.bin_ranges = std::get<0>(to_hosts(context, extremes));
}

// Returns those of the rows that have the highest scores, in falling order; of equal ones the earlier first.
std::vector<std::int64_t> highest(const std::vector<float>& scores, std::vector<std::int64_t> rows, std::int64_t most) {
  const auto end = rows.begin() + std::min(most, std::ssize(rows));
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

// Returns the rows that the report shows: first the highest scores in good signal, then some abnormal beats in poor
// signal, the highest first. These take more of the places where there are few beats in good signal.
std::vector<std::int64_t> shown_rows(const RunResult& result) {
  const auto& scores = result.scored.scores;
  std::vector<std::int64_t> good, poor;
  for (std::int64_t row = 0; row < std::ssize(scores.score); ++row) {
    const bool in_good = !result.scored.ranking || result.beats.found.quality[result.beats.kept[row]] == Quality::good;
    (in_good ? good : poor).push_back(row);
  }
  if (!good.empty()) std::erase_if(poor, [&](std::int64_t row) { return !scores.anomalous[row]; });
  const std::int64_t places = std::max(kReportBeats - std::ssize(good), kReportPoorBeats);
  const auto doubtful = highest(scores.score, std::move(poor), places);
  auto rows = highest(scores.score, std::move(good), kReportBeats - std::ssize(doubtful));
  rows.insert(rows.end(), doubtful.begin(), doubtful.end());
  return rows;
}

std::vector<float> latents_at(const RowScores& scores, const std::vector<std::int64_t>& rows, std::int64_t latents) {
  std::vector<float> chosen;
  for (const std::int64_t row : rows)
    chosen.insert(chosen.end(), &scores.latents[row * latents], &scores.latents[row * latents] + latents);
  return chosen;
}

// Returns the median beat, and point by point how far the reference beats are from it.
template <class Context>
std::vector<float> median_and_spread(Context& context, const ReferenceBeats<Context>& reference) {
  const auto points = std::ssize(reference.median), count = reference.rows.size();
  const auto values = to_host(context, reference.values);
  std::vector<float> both(2 * points);
  parallel_for(Cpu(), points, 16, [&](std::int64_t first, std::int64_t last) {
    std::vector<double> column(count);
    for (std::int64_t j = first; j < last; ++j) {
      for (std::int64_t i = 0; i < count; ++i) column[i] = std::abs(values[i * points + j]);
      both[j] = static_cast<float>(reference.amplitude * reference.median[j]);
      both[points + j] = static_cast<float>(reference.amplitude * reference.spread * quantile(column, kTwoThirds));
    }
  });
  return both;
}

// Returns mean and standard deviation of some rows, evenly spread.
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

// Returns evenly spaced values of a latent. They cover its prior and a sample of the beats that were trained on.
std::vector<double> grid_values_of(int latent, const RunResult& result, std::int64_t latents) {
  std::vector<std::uint8_t> in_train(result.model.training.split.size());
  std::ranges::transform(result.model.training.split, in_train.begin(), [](Split use) { return use == Split::train; });
  std::vector<double> trained;
  for (const std::int64_t row : sample_places(in_train))
    trained.push_back(result.scored.rows.latents[row * latents + latent]);
  const double low = trained.empty() ? 0 : quantile(trained, kBeyondGrid);
  const double high = trained.empty() ? 0 : quantile(trained, 1 - kBeyondGrid);
  const double from = std::min(low, -kPriorReach), to = std::max(high, kPriorReach);
  std::vector<double> values;
  for (int i = 0; i < kGridSide; ++i) values.push_back(from + (to - from) * i / (kGridSide - 1));
  return values;
}

// Fills the report's grid, except for what is decoded; returns the grid's latents [y][x][Z].
std::vector<float> lay_grid(const RunResult& result, std::int64_t latents, ReportData& report) {
  const auto& variance = result.model.diagnosis.latent_variance;
  report.grid_latents.resize(latents);
  std::iota(report.grid_latents.begin(), report.grid_latents.end(), 0);
  std::ranges::stable_sort(report.grid_latents, [&](int a, int b) { return variance[a] > variance[b]; });
  report.grid_latents.resize(std::min<std::int64_t>(latents, 2));
  for (const int latent : report.grid_latents) report.grid_values.push_back(grid_values_of(latent, result, latents));
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

void place_rows(const RunResult& result, const Config& config, ReportData& report) {
  if (!result.input.sample_rate_hz) return;
  if (config.method == Method::r_peaks) {
    report.row_before_s = config.rows.before_s;
    report.row_after_s = config.rows.after_s;
  } else {
    const double rate = *result.input.sample_rate_hz;
    report.row_before_s = static_cast<double>(result.beats.samples_to_peak) / rate;
    report.row_after_s = in_samples(config.embed.row_span, rate) / rate - *report.row_before_s;
  }
}

}  // namespace

template <class Context>
void in_input_unit(const ReferenceBeats<Context>& reference, std::vector<float>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<float>(reference.amplitude *
                                 (reference.median[i % reference.median.size()] + reference.spread * rows[i]));
}

template <class Context>
ReportData report_data(Context& context, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                       const VaeModel& model, const RunResult& result, const Config& config) {
  ReportData report;
  draw_envelope(context, recording.leads.front().samples, report);
  const auto rate = result.input.sample_rate_hz;
  report.strip_samples = rate ? std::llround(kStrip_s * *rate) : kStripSamplesWithoutRate;
  const auto rows = shown_rows(result);
  std::vector<std::int64_t> firsts;
  for (const std::int64_t row : rows) {
    report.beats.push_back(result.beats.kept[row]);
    firsts.push_back(nearest_sample(result.beats.found.r_peaks[result.beats.kept[row]]) - report.strip_samples / 2);
  }
  report.strips = cut(context, recording.leads.front().samples, firsts, report.strip_samples);
  report.rows = rows_at(context, embedded.rows, rows);
  const std::int64_t latents = config.vae.latents;
  report.decoded = decoded_rows(context, model, latents_at(result.scored.rows, rows, latents));
  report.grid = decoded_rows(context, model, lay_grid(result, latents, report));
  if (embedded.leads.empty()) {
    report.reference = mean_and_deviation(context, embedded.rows);
  } else {
    const auto& reference = embedded.leads.front().beats.reference;
    for (auto* values : {&report.rows, &report.decoded, &report.grid}) in_input_unit(reference, *values);
    report.reference = median_and_spread(context, reference);
  }
  place_rows(result, config, report);
  return report;
}

Json report_json(const ReportData& report) {
  const auto number = [](std::optional<double> value) { return value ? Json(*value) : Json(nullptr); };
  return {{"bin_samples", report.bin_samples},           {"strip_samples", report.strip_samples},
          {"row_before_s", number(report.row_before_s)}, {"row_after_s", number(report.row_after_s)},
          {"grid_latents", report.grid_latents},         {"grid_values", report.grid_values}};
}

void write_report_data(OutputFolder& folder, const ReportData& report, std::int64_t row_points) {
  const auto write = [&](const std::string& name, const auto& values, std::int64_t row_length) {
    const std::int64_t rows = std::ssize(values) / std::max<std::int64_t>(row_length, 1);
    folder.write("report/" + name + ".npy", npy(values, {rows, row_length}));
  };
  folder.write("report/strip_beats.npy", npy(report.beats, {std::ssize(report.beats)}));
  write("envelope", report.bin_ranges, 2);
  write("strips", report.strips, report.strip_samples);
  write("rows", report.rows, row_points);
  write("decoded", report.decoded, row_points);
  write("reference", report.reference, row_points);
  write("grid", report.grid, row_points);
}

#define BEATSCAN_REPORT_DATA(Context)                                                                                  \
  template void in_input_unit(const ReferenceBeats<Context>&, std::vector<float>&);                                    \
  template ReportData report_data(Context&, const Recording<Context>&, const EmbeddedBeats<Context>&, const VaeModel&, \
                                  const RunResult&, const Config&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_REPORT_DATA)

}  // namespace beatscan
