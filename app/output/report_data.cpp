#include "app/output/report_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "app/common/json_text.h"
#include "app/config/config.h"
#include "app/output/output_folder.h"
#include "app/output/report_overview.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "kernels/runtime/error.h"
#include "stages/io/recording/recording.h"
#include "stages/model/vae.h"
#include "stages/quality/quality.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {
namespace {

// Returns the rows with the highest scores, descending; of equal ones the earlier first.
std::vector<std::int64_t> highest(const std::vector<float>& scores, std::vector<std::int64_t> rows, std::int64_t most) {
  const auto end = rows.begin() + std::min(most, std::ssize(rows));
  std::partial_sort(rows.begin(), end, rows.end(), [&](std::int64_t a, std::int64_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  rows.erase(end, rows.end());
  return rows;
}

// Returns the rows that the report shows: first the highest scores in good signal, then some abnormal beats in poor
// signal, the highest first. The latter fill up if there are few beats in good signal.
std::vector<std::int64_t> shown_rows(const RunResult& result) {
  const auto& scores = result.scored.scores;
  std::vector<std::int64_t> good, poor;
  for (std::int64_t row = 0; row < std::ssize(scores.score); ++row) {
    const bool in_good = !result.scored.ranking || result.beats.found.quality[result.beats.kept[row]] == Quality::good;
    (in_good ? good : poor).push_back(row);
  }
  if (!good.empty()) std::erase_if(poor, [&](std::int64_t row) { return !scores.anomalous[row]; });
  const std::int64_t places = std::max(kReportBeats - std::ssize(good), kReportPoorBeats);
  const auto uncertain = highest(scores.score, std::move(poor), places);
  auto rows = highest(scores.score, std::move(good), kReportBeats - std::ssize(uncertain));
  rows.insert(rows.end(), uncertain.begin(), uncertain.end());
  return rows;
}

// Appends a point in some of the longest episodes of each label except noise and gaps.
void add_episode_places(const RunResult& result, std::vector<std::int64_t>& places) {
  constexpr std::size_t kOfLabel = 4;
  constexpr double kInto_s = 4;  // distance of the point from the start of a long episode
  std::array<std::vector<Episode>, static_cast<std::size_t>(EpisodeLabel::noise)> by_label;
  for (const Episode& episode : result.rhythm.findings->episodes.list)
    if (episode.label < EpisodeLabel::noise) by_label[static_cast<std::size_t>(episode.label)].push_back(episode);
  for (auto& episodes : by_label) {
    std::ranges::stable_sort(episodes, std::greater<>(), [](const Episode& e) { return e.end - e.start; });
    episodes.resize(std::min(episodes.size(), kOfLabel));
    for (const Episode& episode : episodes)
      places.push_back(nearest_sample(
          std::min((episode.start + episode.end) / 2, episode.start + kInto_s * *result.input.sample_rate_hz)));
  }
}

// Appends the first non-conducted P wave, and the beginning of the minute with the longest QTc.
void add_wave_places(const RunResult& result, std::vector<std::int64_t>& places) {
  if (result.waves.beats && !result.waves.beats->non_conducted.empty())
    places.push_back(nearest_sample(result.waves.beats->non_conducted.front().onset));
  if (result.waves.summary && result.waves.summary->longest_qtc)
    places.push_back(
        nearest_sample((result.waves.summary->longest_qtc->begin_s + kStrip_s / 2) * *result.input.sample_rate_hz));
}

}  // namespace

std::vector<std::int64_t> finding_places(const RunResult& result, const ReportData& report) {
  const auto& r_peaks = result.beats.found.r_peaks;
  std::vector<std::int64_t> places;
  if (const auto pause = longest_interval(result))
    places.push_back(nearest_sample((r_peaks[*pause] + r_peaks[*pause + 1]) / 2));
  add_wave_places(result, places);
  if (result.rhythm.findings && result.input.sample_rate_hz) add_episode_places(result, places);
  for (const auto* beats : {&report.templates.typical, &report.templates.most_atypical})
    for (const std::int64_t beat : *beats) places.push_back(nearest_sample(r_peaks[beat]));
  places.resize(std::min(places.size(), kReportPlaces));
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::erase_if(places, [&](std::int64_t place) { return place < 0 || place >= result.input.samples; });
  return places;
}

namespace {

// Cuts the signal around the shown beats in every lead.
template <class Context>
void cut_signal(Context& context, const Recording<Context>& recording, const std::vector<GapList>& gaps,
                const RunResult& result, ReportData& report) {
  const auto rate = result.input.sample_rate_hz;
  report.strip_samples = rate ? std::llround(kStrip_s * *rate) : kStripSamplesWithoutRate;
  std::vector<std::int64_t> places;
  for (const std::int64_t beat : report.beats) places.push_back(nearest_sample(result.beats.found.r_peaks[beat]));
  if (report.bin_samples > 1 || report.other_bin_samples > 1) report.finding_places = finding_places(result, report);
  for (const auto& [centres, kept] :
       {std::pair{&places, &report.strips}, std::pair{&report.finding_places, &report.finding_strips}}) {
    std::vector<std::int64_t> firsts;
    for (const std::int64_t centre : *centres) firsts.push_back(centre - report.strip_samples / 2);
    for (std::size_t l = 0; l < recording.leads.size(); ++l) {
      auto strips = cut_to_host(context, recording.leads[l].samples, firsts, report.strip_samples);
      for (std::size_t k = 0; k < firsts.size(); ++k)
        show_gaps_in_strip(
            gaps[l], firsts[k],
            std::span(strips).subspan(static_cast<std::int64_t>(k) * report.strip_samples, report.strip_samples));
      kept->insert(kept->end(), strips.begin(), strips.end());
    }
  }
}

std::vector<float> latents_at(const RowScores& scores, const std::vector<std::int64_t>& rows, std::int64_t latents) {
  std::vector<float> chosen;
  for (const std::int64_t row : rows)
    chosen.insert(chosen.end(), &scores.latents[row * latents], &scores.latents[row * latents] + latents);
  return chosen;
}

// Returns for each beat which of the cut leads contributes most to its score. If the ranking names a lead that was not
// cut, it is the first one.
template <class Context>
std::vector<std::size_t> leads_of_rows(const EmbeddedBeats<Context>& embedded, const RunResult& result,
                                       const std::vector<std::int64_t>& rows) {
  std::vector<std::size_t> leads(rows.size());
  if (!result.scored.ranking || embedded.leads.empty()) return leads;
  for (std::size_t k = 0; k < rows.size(); ++k)
    for (std::size_t i = 0; i < embedded.leads.size(); ++i)
      if (embedded.leads[i].lead == result.scored.ranking->lead[rows[k]]) leads[k] = i;
  return leads;
}

// Fills the beat windows of the shown beats, and their reconstructions, each in the lead that contributes most.
template <class Context>
void show_rows(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model, const RunResult& result,
               std::int64_t latents, const std::vector<std::int64_t>& rows, ReportData& report) {
  const auto leads = leads_of_rows(embedded, result, rows);
  const std::int64_t beats = std::ssize(result.beats.kept);
  std::vector<std::int64_t> places;
  for (std::size_t k = 0; k < rows.size(); ++k) places.push_back(static_cast<std::int64_t>(leads[k]) * beats + rows[k]);
  report.rows = rows_at(context, embedded.rows, places);
  if (model.exists())
    report.decoded = decoded_rows(context, model, latents_at(result.scored.rows, places, latents));
  else
    report.decoded.assign(report.rows.size(), std::numeric_limits<float>::quiet_NaN());
  if (embedded.leads.empty()) return;
  const std::int64_t points = embedded.rows.points;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto& lead = embedded.leads[leads[k]];
    report.row_leads.push_back(lead.lead);
    for (auto* values : {&report.rows, &report.decoded})
      in_input_unit(lead.beats.reference, std::span(*values).subspan(static_cast<std::int64_t>(k) * points, points));
  }
}

// Keeps the segments that are good in no lead.
void keep_poor_stretches(const RunResult& result, ReportData& report) {
  if (!result.beats.quality) return;
  for (const auto& stretch : poor_stretches(*result.beats.quality, result.input.samples))
    report.poor.insert(report.poor.end(), {stretch.first, stretch.last, static_cast<std::int64_t>(stretch.kind)});
}

void keep_non_conducted_p(const RunResult& result, ReportData& report) {
  if (!result.waves.beats) return;
  for (const NonConductedP& wave : result.waves.beats->non_conducted)
    report.non_conducted_p.insert(report.non_conducted_p.end(),
                                  {nearest_sample(wave.onset), nearest_sample(wave.offset)});
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
void in_input_unit(const ReferenceBeats<Context>& reference, std::span<float> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = static_cast<float>(reference.amplitude *
                                 (reference.median[i % reference.median.size()] + reference.spread * rows[i]));
}

template <class Context>
void fill_report(Context& context, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                 const VaeModel& model, const RunResult& result, const Config& config, ReportData& report) {
  BEATSCAN_EXPECTS(!report.bin_ranges.empty() && report.grid.empty() == !model.exists(), "fill_report: no overview");
  const auto rows = shown_rows(result);
  for (const std::int64_t row : rows) report.beats.push_back(result.beats.kept[row]);
  cut_signal(context, recording, drawn_gaps(context, recording, config.quality.bridge_s, result.input.sample_rate_hz),
             result, report);
  show_rows(context, embedded, model, result, config.vae.latents, rows, report);
  if (report.leads > 1) keep_poor_stretches(result, report);
  keep_non_conducted_p(result, report);
  place_rows(result, config, report);
}

Json report_json(const ReportData& report) {
  Json json = {{"bin_samples", report.bin_samples},
               {"strip_samples", report.strip_samples},
               {"row_before_s", or_null(report.row_before_s)},
               {"row_after_s", or_null(report.row_after_s)},
               {"grid_latents", report.grid_latents},
               {"grid_values", report.grid_values}};
  if (report.leads > 1) {
    json["other_bin_samples"] = report.other_bin_samples;
    json["reference_leads"] = report.reference_leads;
  }
  return json;
}

void write_report_data(OutputFolder& folder, const ReportData& report, std::int64_t row_points) {
  each_report_array(report, row_points,
                    [&]<class T>(const char* name, const std::vector<T>& values, const auto& shape) {
                      write_npy(folder, std::string("report/") + name + ".npy", values, shape);
                    });
}

#define BEATSCAN_REPORT_DATA(Context)                                                                            \
  template void in_input_unit(const ReferenceBeats<Context>&, std::span<float>);                                 \
  template void fill_report(Context&, const Recording<Context>&, const EmbeddedBeats<Context>&, const VaeModel&, \
                            const RunResult&, const Config&, ReportData&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_REPORT_DATA)

}  // namespace beatscan
