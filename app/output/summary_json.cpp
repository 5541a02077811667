#include "app/output/summary_json.h"

#include <algorithm>
#include <cmath>

#include "app/common/build_info.h"
#include "app/common/environment.h"
#include "app/common/json_text.h"
#include "app/config/config.h"
#include "app/output/advisories.h"
#include "app/output/findings_json.h"
#include "app/output/result_facts.h"
#include "app/output/rhythm_state.h"
#include "app/output/run_result.h"
#include "app/output/summary_text.h"
#include "stages/io/recording/signal_info.h"
#include "stages/model/vae.h"

namespace beatscan {

namespace {

Json drop_counts(const RunResult& result) {
  Json counts = Json::object();
  for (const Outcome outcome : {Outcome::too_short, Outcome::too_long, Outcome::in_gap, Outcome::last})
    counts[name_of(outcome)] = std::ranges::count(result.beats.found.outcomes, outcome);
  return counts;
}

// Returns the reliable part of the recording, and the rest by cause.
Json quality_json(const RunResult& result) {
  if (!result.beats.quality) return nullptr;
  Json quality = {{"block_s", static_cast<double>(result.beats.quality->block_samples) / *result.input.sample_rate_hz}};
  for (const auto& [poor, share] : poor_shares(result)) quality[std::string(name_of(poor)) + "_share"] = share;
  quality["analysable_share"] = *analysable_share(result);
  quality["poor_share"] = 1 - *analysable_share(result);
  quality["worst_trusted"] = name_of(result.beats.worst_trusted);
  const SignalNature& nature = result.beats.quality->nature;
  quality["qrs_band_share"] = nature.qrs_share;
  quality["two_levels_share"] = nature.two_levels;
  quality["even_share"] = nature.even;
  quality["rests_at_end_share"] = nature.rests_at_end;
  quality["beats_in_poor_signal"] =
      std::ranges::count_if(result.beats.found.quality, [](Quality own) { return own != Quality::good; });
  if (const QualityIndex& index = result.quality.index; index.exists()) {
    quality["acceptable"] = index.acceptable;
    quality["model_sha256"] = result.quality.model_sha256;
  }
  return quality;
}

std::string threshold_rule(const RunResult& result, const ScoreOptions& options) {
  const std::string beats = result.scored.ranking ? "the beats in good signal" : "the training beats";
  if (options.threshold_fraction) return "quantile of the scores of " + beats;
  return result.scored.ranking ? "fixed, in robust deviations within the recording"
                               : "robust deviations of the training beats' log loss";
}

Json anomaly_json(const RunResult& result, const Config& config) {
  Json anomaly = {{"threshold", result.scored.scores.threshold},
                  {"rule", threshold_rule(result, config.score)},
                  {"count", result.scored.scores.anomalous_count},
                  {"share", anomalous_share(result)}};
  if (!result.scored.ranking) return anomaly;
  const AnomalyCounts counts = anomaly_counts(result);
  anomaly["count_in_good_signal"] = counts.good;
  anomaly["share_in_good_signal"] = counts.good_share();
  anomaly["count_in_poor_signal"] = counts.poor;
  anomaly["baseline"] = {{"method", "plain distance to the median beat, and the same rhythm terms"},
                         {"threshold", result.scored.ranking->baseline.threshold},
                         {"count", result.scored.ranking->baseline.anomalous_count}};
  return anomaly;
}

// Returns null for NaN, which JSON does not have.
Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json leads_json(const RunResult& result) {
  Json list = Json::array();
  for (std::size_t l = 0; l < result.input.leads.size(); ++l) {
    const LeadFacts& lead = result.input.leads[l];
    const LeadScale& scale = lead.scale;
    list.push_back({{"name", lead.name},
                    {"unit", lead.unit.empty() ? Json(nullptr) : Json(lead.unit)},
                    {"mv_per_unit", scale.mv_per_unit},
                    {"unit_assumed", scale.assumed},
                    {"missing", lead.missing},
                    {"gaps", lead.gaps},
                    {"min", lead.range.min},
                    {"max", lead.range.max}});
    if (result.beats.lead_quality.empty()) continue;  // method published
    list.back()["analysable_share"] = analysable_share(result.beats.lead_quality[l], result.input.samples);
    list.back()["used"] = std::ranges::count(result.beats.leads, static_cast<std::int64_t>(l)) > 0;
    if (!result.quality.index.exists()) continue;
    const auto shares = quality_shares(result.quality.index, static_cast<std::int64_t>(l));
    list.back()["quality"] = {
        {"good", shares[quality::kGood]}, {"noise", shares[quality::kNoise]}, {"lost", shares[quality::kLost]}};
  }
  return list;
}

// Returns the handling of missing samples. The method published bridges no gap silently.
const char* gap_policy(const RunResult& result) {
  return result.scored.ranking
             ? "bridged by straight lines; a beat is dropped if in every lead that counts it touches a gap that is "
               "longer than quality.bridge_s"
             : "bridged by straight lines; beats that touch a gap are dropped";
}

Json input_json(const RunResult& result) {
  const auto rate = result.input.sample_rate_hz;
  Json input = {
      {"path", result.input.path.string()},
      {"bytes", result.input.bytes},
      {"sha256", result.input.sha256.empty() ? Json(nullptr) : Json(result.input.sha256)},
      {"files", result.input.files},
      {"format", result.input.signal.format},
      {"column", result.input.signal.name},
      {"metadata", result.input.signal.metadata},
      {"unit", result.input.signal.unit.empty() ? Json(nullptr) : Json(result.input.signal.unit)},
      {"samples", result.input.samples},
      {"duration_s", rate ? Json(static_cast<double>(result.input.samples) / *rate) : Json(nullptr)},
      {"start", start_json(result.input.signal.start)},
      {"min", result.input.range.min},
      {"max", result.input.range.max},
      {"missing", {{"samples", result.input.missing}, {"gaps", result.input.gaps}, {"policy", gap_policy(result)}}},
      {"bad", to_json(result.input.bad)},
      {"leads", leads_json(result)}};
  if (result.input.signal.sample_rate_hz) input["sample_rate_hz"] = *result.input.signal.sample_rate_hz;
  if (result.input.signal.samples_per_frame > 1)
    input["samples_per_frame"] = result.input.signal.samples_per_frame;  // these two are the clock of annotations
  return input;
}

Json events_json(const RunResult& result) {
  Json events = Json::array();
  for (const FileEvent& event : result.input.signal.events)
    events.push_back({{"time_s", event.time_s}, {"duration_s", event.duration_s}, {"text", event.text}});
  return events;
}

Json model_json(const RunResult& result) {
  const auto& d = result.model.diagnosis;
  std::int64_t parameters = 0;
  for (const auto& array : result.model.parameters) parameters += std::ssize(array.values);
  if (!result.model.why_none.empty())
    return {{"source", nullptr}, {"why_none", result.model.why_none}, {"parameters", 0},      {"train_beats", 0},
            {"test_beats", 0},   {"loss_per_epoch", Json::array()},   {"test_loss", nullptr}, {"diagnosis", nullptr}};
  return {{"source", result.model.source ? Json(result.model.source->string()) : Json(nullptr)},
          {"parameters", parameters},
          {"train_beats", std::ranges::count(result.model.training.split, Split::train)},
          {"test_beats", std::ranges::count(result.model.training.split, Split::test)},
          {"loss_per_epoch", result.model.training.loss_per_epoch},
          {"test_loss", finite_or_null(result.model.training.test_loss)},
          {"diagnosis",
           {{"active_latents", d.active_latents},
            {"latent_variance", d.latent_variance},
            {"test_reconstruction_error", d.test_error},
            {"mean_beat_error", d.mean_beat_error},
            {"explained", d.explained},
            {"collapsed", d.collapsed}}}};
}

Json host_json() {
  const Host host = this_host();
  return {{"processor", host.processor}, {"cores", host.cores}, {"operating_system", host.operating_system}};
}

Json run_json(const RunResult& result) {
  Json stages = Json::array();
  for (const auto& stage : result.run.stages)
    stages.push_back({{"name", stage.name},
                      {"start_s", stage.start_s},
                      {"seconds", stage.seconds},
                      {"bytes", stage.bytes},
                      {"gigabytes_per_s", static_cast<double>(stage.bytes) * 1e-9 / std::max(stage.seconds, 1e-9)}});
  Json run = {{"command", result.run.command},
              {"host", host_json()},
              {"sample_rate_source",
               result.input.sample_rate_source.empty() ? Json(nullptr) : Json(result.input.sample_rate_source)},
              {"wall_s", result.run.wall_s},
              {"input_stamps", result.run.input_stamps},
              {"stages", stages},
              {"device",
               {{"kind", result.run.device_kind},
                {"name", result.run.device.name},
                {"memory_bytes", result.run.device.memory_bytes}}}};
  if (!result.run.truth_sha256.empty()) run["truth_sha256"] = result.run.truth_sha256;
  if (result.run.pool)
    run["pool"] = {{"peak_bytes", result.run.pool->peak_bytes},
                   {"current_bytes", result.run.pool->current_bytes},
                   {"reserved_bytes", result.run.pool->reserved_bytes},
                   {"spilled_bytes", result.run.pool->spilled_bytes},
                   {"requests", result.run.pool->requests}};
  if (!result.run.device.driver_version.empty()) run["device"]["driver"] = result.run.device.driver_version;
  return run;
}

Json versions_json() {
  Json versions = {{"beatscan", BEATSCAN_VERSION}, {"libtorch", libtorch_version()}, {"compiler", BEATSCAN_COMPILER}};
  if (std::string_view(BEATSCAN_CUDA_COMPILER) != "") versions["cuda"] = BEATSCAN_CUDA_COMPILER;
  return versions;
}

}  // namespace

Json to_json(const BadRows& bad) {
  Json first = Json::array();
  for (const auto& row : bad.first) first.push_back({{"line", row.line}, {"byte", row.byte}, {"what", row.what}});
  return {{"count", bad.count}, {"first", first}};
}

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kept:
      return "kept";
    case Outcome::too_short:
      return "too_short";
    case Outcome::too_long:
      return "too_long";
    case Outcome::in_gap:
      return "in_gap";
    case Outcome::last:
      return "last";
  }
  return "";
}

Json summary_json(const RunResult& result, const Config& config, const Json& evaluation) {
  Json summary = {
      {"schema_version", 1},
      {"input", input_json(result)},
      {"sample_rate", {{"hz", or_null(result.input.sample_rate_hz)}}},
      {"beats",
       {{"found", result.beats.found.r_peaks.size()},
        {"kept", result.beats.kept.size()},
        {"dropped", drop_counts(result)},
        {"median_a_minute", or_null(median_heart_rate(result))}}},
      {"findings",
       result.rhythm.findings ? findings_json(rhythm_beats(result), *result.rhythm.findings) : Json(nullptr)},
      {"hours", result.rhythm.findings ? hours_json(*result.rhythm.findings) : Json(nullptr)},
      {"classes", result.classes.findings ? Json{{"model_sha256", result.classes.model_sha256}} : Json(nullptr)},
      {"rhythm", rhythm_json(result)},
      {"waves", waves_json(result)},
      {"events", events_json(result)},
      {"model", model_json(result)},
      {"drift", drift_json(result)},
      {"quality", quality_json(result)},
      {"advisories", advisories_json(advisories_of(result), distinct_lead_names(result))},
      {"anomaly", anomaly_json(result, config)},
      {"report", report_json(result.report)},
      {"seed", config.seed},
      {"versions", versions_json()},
      {"run", run_json(result)}};
  if (!evaluation.is_null()) summary["evaluation"] = evaluation;
  return summary;
}

Json start_json(const std::optional<StartTime>& start) {
  if (!start) return nullptr;
  const auto text_or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
  return {{"time_of_day", time_of_day(*start, 0)},
          {"second_of_day", start->second_of_day},
          {"date", text_or_null(date_text(*start))},
          {"zone", text_or_null(zone_text(*start))}};
}

}  // namespace beatscan
