#include "app/python/embedded/embedded.h"

#include <csignal>
#include <string>

#include "app/batch/run_command.h"
#include "app/cli/command_line.h"
#include "app/common/build_info.h"
#include "app/common/log.h"
#include "app/pipeline/run_options.h"
#include "app/python/embedded/guarded.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

struct Request {
  CommonOptions common;
  RunOptions options;
};

Request parsed(const Json& json) {
  Request request;
  auto& [common, options] = request;
  for (const auto& input : json.at("inputs")) options.inputs.emplace_back(input.get<std::string>());
  options.out = json.at("out").get<std::string>();
  options.truth = json.value("truth", "");
  options.events = json.value("events", "");
  options.model = json.value("model", "");
  options.save_arrays = json.value("save_arrays", false);
  common.force = json.value("force", false);
  options.report = json.value("report", true) ? Pages::all : Pages::none;
  options.embedded = true;
  common.config = json.value("config", "");
  common.settings = json.value("settings", std::vector<std::string>{});
  common.device = json.value("device", "");
  common.lead = json.value("lead", "");
  if (json.contains("rate_hz")) common.sample_rate_hz = json["rate_hz"].get<double>();
  if (json.contains("seed")) common.seed = json["seed"].get<std::uint64_t>();
  common.command = "beatscan, embedded in another program";
  return request;
}

ExitStatus run(const std::string& text) {
  Request request;
  try {
    const Json json = Json::parse(text);
    if (!json.is_object())
      throw Error(ErrorKind::usage, "the request is not a JSON object; give {\"inputs\": ..., \"out\": ...}");
    request = parsed(json);
  } catch (const Json::parse_error& error) {
    throw Error(ErrorKind::usage, std::string("the request is not JSON: ") + error.what());
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::usage, std::string("the request lacks a key, or one has another type: ") + error.what());
  }
  Log log(-1, LogFormat::text);
  return status_of(run_command(request.common, request.options, log));
}

}  // namespace
}  // namespace beatscan

extern "C" {

int beatscan_run(const char* request, char* message, std::size_t size) noexcept {
  using namespace beatscan;
  return guarded(message, size, [&] {
    pretend_signal(0);
    return run(request);
  });
}

void beatscan_stop() noexcept { beatscan::pretend_signal(SIGINT); }

const char* beatscan_version() noexcept { return BEATSCAN_VERSION; }
}
