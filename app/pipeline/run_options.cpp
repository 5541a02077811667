#include "app/pipeline/run_options.h"

#include <algorithm>

#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "kernels/runtime/error.h"
#include "stages/rhythm/episode.h"

namespace beatscan {

namespace {

bool has_rhythm_findings(const RunResult& result) {
  if (!result.rhythm.findings) return false;
  return std::ranges::any_of(result.rhythm.findings->episodes.list, [](const Episode& episode) {
    return episode.label != EpisodeLabel::noise && episode.label != EpisodeLabel::gap;
  });
}

}  // namespace

bool wants_page(Pages pages, const RunResult& result) {
  if (pages != Pages::abnormal) return pages == Pages::all;
  return anomaly_counts(result).good > 0 || has_rhythm_findings(result);
}

namespace {

// Lets the command line's choice of leads override the configuration's, including "auto". Throws if one source chooses
// a lead by ingest.column and several by ingest.leads.
void settle_leads(IngestOptions& ingest, const std::set<std::string>& on_command_line) {
  const bool one = on_command_line.contains("ingest.column"), several = on_command_line.contains("ingest.leads");
  if (several && !one) ingest.column = {};
  if (ingest.column.empty() || ingest.leads.empty()) return;
  if (one == several)
    fail(ErrorKind::usage, "ingest.leads",
         "chooses leads, and ingest.column (or --lead) chooses '" + ingest.column.text + "' alone; give one of them");
  ingest.leads.clear();
}

}  // namespace

Config resolve_config(const CommonOptions& common, const Config& base) {
  Config config = load_config(common.config, common.settings, base);
  if (common.sample_rate_hz) apply(config, {{"ingest", {{"sample_rate_hz", *common.sample_rate_hz}}}}, "--rate");
  if (!common.lead.empty()) apply(config, {{"ingest", {{"column", common.lead}}}}, "--lead");
  if (!common.source.empty()) apply(config, {{"rhythm", {{"source", common.source}}}}, "--source");
  if (common.threshold)
    apply(config, {{"score", {{"threshold_deviations", *common.threshold}, {"threshold_fraction", nullptr}}}},
          "--threshold");
  if (common.without_model) apply(config, {{"vae", {{"epochs", 0}}}}, "--model none");
  if (common.seed) apply(config, {{"seed", *common.seed}}, "--seed");
  if (!common.device.empty()) apply(config, {{"device", common.device}}, "--device");
  if (common.waves) apply(config, {{"output", {{"waves", true}}}}, "--waves");
  if (common.features) apply(config, {{"output", {{"features", true}}}}, "--features");
  if (!common.hrv_window.empty()) apply(config, {{"hrv", {{"window", common.hrv_window}}}}, "--hrv-window");
  if (common.nn) apply(config, {{"output", {{"nn", true}}}}, "--nn");
  if (!common.only.empty()) apply(config, {{"output", {{"only", common.only}}}}, "--only");
  if (common.deidentify) apply(config, {{"output", {{"deidentify", true}}}}, "--deidentify");
  settle_leads(config.ingest, keys_on_command_line(common));
  return config;
}

Config resolve_config(const CommonOptions& common) { return resolve_config(common, Config()); }

std::set<std::string> keys_on_command_line(const CommonOptions& common) {
  std::set<std::string> keys;
  for (const auto& setting : common.settings) keys.insert(key_of_setting(setting));
  if (common.sample_rate_hz) keys.insert("ingest.sample_rate_hz");
  if (!common.lead.empty()) keys.insert("ingest.column");
  if (!common.source.empty()) keys.insert("rhythm.source");
  if (common.threshold) keys.insert({"score.threshold_deviations", "score.threshold_fraction"});
  if (common.without_model) keys.insert("vae.epochs");
  if (common.seed) keys.insert("seed");
  if (!common.device.empty()) keys.insert("device");
  if (common.waves) keys.insert("output.waves");
  if (common.features) keys.insert("output.features");
  if (!common.hrv_window.empty()) keys.insert("hrv.window");
  if (common.nn) keys.insert("output.nn");
  if (!common.only.empty()) keys.insert("output.only");
  if (common.deidentify) keys.insert("output.deidentify");
  return keys;
}

std::string rate_source(const CommonOptions& common) {
  return keys_on_command_line(common).contains("ingest.sample_rate_hz") ? "command line" : "configuration";
}

}  // namespace beatscan
