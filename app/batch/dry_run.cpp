#include "app/batch/dry_run.h"

#include <cstdio>

#include "app/batch/gpus.h"
#include "app/batch/listed_recording.h"
#include "app/batch/plan.h"
#include "app/common/log.h"
#include "app/evaluation/truth.h"
#include "app/pipeline/run_options.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"
#include "stages/io/input.h"

namespace beatscan {
namespace {

Json names_of(const std::vector<Lead>& leads) {
  Json names = Json::array();
  for (const auto& lead : leads) names.push_back(lead.name);
  return names;
}

Json planned(const Plan& plan, const RunOptions& options, std::size_t i) {
  const ListedRecording& recording = plan.recordings[i];
  const Config config = config_of(plan, recording);
  const Input input = resolve_input(recording.input, ingest_options(config));
  const SignalInfo signal = look_at(input, ingest_options(config));
  const auto users = config.ingest.sample_rate_hz, known = users ? users : signal.sample_rate_hz;
  Json json = {{"input", recording.input.string()},
               {"format", signal.format},
               {"bytes", input.bytes},
               {"column", signal.name},
               {"leads", names_of(signal.leads)},
               {"sample_rate_hz", known ? Json(*known) : Json(nullptr)},
               {"out", folder_of(plan, options, i).string()}};
  if (!recording.truth.empty()) {
    if (plan.batch) read_truth(recording.truth);
    json["truth"] = recording.truth.string();
  }
  return json;
}

}  // namespace

BatchOutcome print_plan(const Plan& plan, const CommonOptions& common, const RunOptions& options, const Log& log) {
  check_targets(plan, common, options);
  if (plan.config.device == DeviceChoice::cuda) gpus_to_use(plan.config, {}, log);
  BatchOutcome outcome{.recordings = plan.recordings.size()};
  Json json = {{"config", to_json(plan.config)}, {"recordings", Json::array()}};
  for (std::size_t i = 0; i < plan.recordings.size(); ++i) {
    throw_if_interrupted();
    try {
      json["recordings"].push_back(planned(plan, options, i));
    } catch (const Error& error) {
      if (!plan.batch) throw;
      log.error(error.what());
      json["recordings"].push_back({{"input", plan.recordings[i].input.string()},
                                    {"error", error.what()},
                                    {"out", folder_of(plan, options, i).string()}});
      if (!outcome.first_failure) outcome.first_failure = error.kind();
      ++outcome.failed;
    }
  }
  std::printf("%s\n", text_of(json).c_str());
  return outcome;
}

}  // namespace beatscan
