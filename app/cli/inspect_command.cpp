#include "app/cli/commands.h"

#include <algorithm>

#include "app/cli/print_json.h"
#include "app/common/log.h"
#include "app/output/summary_json.h"
#include "app/pipeline/run_options.h"
#include "app/pipeline/sample_rate.h"
#include "stages/common/interrupt.h"
#include "stages/io/input.h"

namespace beatscan {

namespace {

Json leads_json(const Recording<Cpu>& recording) {
  Json leads = Json::array();
  for (const auto& lead : recording.leads)
    leads.push_back({{"name", lead.name},
                     {"unit", lead.unit.empty() ? Json(nullptr) : Json(lead.unit)},
                     {"missing", lead.missing},
                     {"gaps", lead.gap_firsts.size()},
                     {"min", lead.range.min},
                     {"max", lead.range.max}});
  return leads;
}

// Lists the columns or signals that are not read, except the times.
Json left_out(const SignalInfo& signal) {
  Json names = Json::array();
  const auto is_read = [&](const std::string& name) {
    return std::ranges::any_of(signal.leads, [&](const Lead& lead) { return lead.name == name; }) ||
           (signal.csv ? signal.csv->time_column : signal.time_column) == name;
  };
  for (const auto& name : signal.names)
    if (!is_read(name)) names.push_back(name);
  return names;
}

}  // namespace

int inspect_command(const CommonOptions& common, const std::filesystem::path& path, Log& log) {
  const Config config = resolve_config(common);
  const IngestOptions options = ingest_options(config);
  Cpu cpu;
  const Input input = resolve_input(path, options);
  const auto recording = read_recording(cpu, input, options, [](auto...) { throw_if_interrupted(); });
  const SignalInfo& signal = recording.signal;
  const auto& first = recording.leads.front();
  const auto own = signal.sample_rate_hz, users = config.ingest.sample_rate_hz, rate = users ? users : own;
  Json json = {
      {"path", path.string()},
      {"format", signal.format},
      {"bytes", input.bytes},
      {"columns", signal.names},
      {"column", signal.name},
      {"left_out", left_out(signal)},
      {"unit", signal.unit.empty() ? Json(nullptr) : Json(signal.unit)},
      {"samples", recording.samples()},
      {"missing", {{"samples", first.missing}, {"gaps", first.gap_firsts.size()}}},
      {"bad", to_json(recording.bad)},
      {"min", first.range.min},
      {"max", first.range.max},
      {"leads", leads_json(recording)},
      {"sample_rate_hz", rate ? Json(*rate) : Json(nullptr)},
      {"sample_rate_source", rate ? Json(users ? rate_source(common) : name_of(signal.rate_origin)) : Json(nullptr)},
      {"duration_s", rate ? Json(static_cast<double>(recording.samples()) / *rate) : Json(nullptr)},
      {"start", start_json(signal.start)},
      {"metadata", signal.metadata}};
  if (signal.csv) {
    json["delimiter"] = std::string(1, signal.csv->delimiter);
    json["has_header"] = signal.csv->has_header;
    json["decimal"] = std::string(1, signal.csv->decimal);
    json["skipped_lines"] = signal.csv->skipped_lines;
    json["time_column"] = signal.csv->time_column ? Json(*signal.csv->time_column) : Json(nullptr);
  }
  if (signal.time_column) json["time_column"] = *signal.time_column;
  for (const auto& warning : signal.warnings) log.warning(path.string() + ": " + warning);
  if (users)
    if (const auto chosen = sample_rate_of(signal, config, {rate_source(common)}, path); !chosen.warning.empty())
      log.warning(path.string() + ": " + chosen.warning);
  print_json(json);
  return 0;
}

}  // namespace beatscan
