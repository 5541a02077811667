#include "app/evaluation/result_clock.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "app/common/json_text.h"
#include "app/common/whole_file.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

nlohmann::json summary_of(const std::filesystem::path& path) {
  try {
    return parse_json<nlohmann::json>(read_whole_file(path));
  } catch (const std::invalid_argument& error) {
    fail(ErrorKind::input, path.string(), error.what() + std::string("; give the output folder of a finished run"));
  }
}

double rate_in(const nlohmann::json& summary, const std::filesystem::path& path) {
  const nlohmann::json::json_pointer key("/sample_rate/hz");
  if (!summary.contains(key))
    fail(ErrorKind::input, path.string(), "has no sample_rate.hz; give the output folder of a run, or --rate");
  if (summary[key].is_null())
    fail(ErrorKind::usage, path.string(),
         "sample_rate.hz is null: the run did not know the sampling rate; give it with --rate");
  if (!summary[key].is_number())
    fail(ErrorKind::input, path.string(), "sample_rate.hz is not a number; give the rate with --rate");
  return summary[key].get<double>();
}

ResultClock read_clock(const std::filesystem::path& folder, std::optional<double> given) {
  const auto path = folder / "summary.json";
  std::error_code unknown;  // reading the summary reports the error
  if (given && !std::filesystem::exists(path, unknown) && !unknown) return {*given, {given}};
  const auto summary = summary_of(path);
  const double rate = given ? *given : rate_in(summary, path);
  ResultClock clock{rate, {rate}};
  const auto number_at = [&](const char* key) -> std::optional<double> {
    const nlohmann::json::json_pointer pointer(key);
    return summary.contains(pointer) && summary[pointer].is_number() ? std::optional(summary[pointer].get<double>())
                                                                     : std::nullopt;
  };
  if (const auto own = number_at("/input/sample_rate_hz")) clock.of_recording.sample_rate_hz = own;
  if (const auto samples = number_at("/input/samples_per_frame"); samples && *samples >= 1 && *samples <= 1 << 20)
    clock.of_recording.samples_per_frame = static_cast<std::int64_t>(*samples);
  clock.samples = number_at("/input/samples");
  const nlohmann::json::json_pointer found("/beats/found");
  if (summary.contains(found) && summary[found].is_number_integer()) clock.beats = summary[found].get<std::int64_t>();
  return clock;
}

}  // namespace

ResultClock clock_of_result(const std::filesystem::path& folder, std::optional<double> given) {
  if (std::error_code unknown; !std::filesystem::is_directory(folder, unknown))
    fail(ErrorKind::input, folder.string(),
         "is not a folder" + (unknown ? " (" + unknown.message() + ")" : "") + "; give the folder of a result");
  const ResultClock clock = read_clock(folder, given);
  if (!(clock.rate_hz > 0 && std::isfinite(clock.rate_hz)))
    throw Error(ErrorKind::usage, "the sampling rate must be a positive number of Hz; give it with --rate");
  return clock;
}

void check_tolerance(double tolerance_ms) {
  // With a tolerance above a second, a beat would match its neighbours.
  if (!(tolerance_ms >= 0 && tolerance_ms <= 1000))
    throw Error(ErrorKind::usage, "the tolerance must be from 0 to 1000 ms; 150 is usual");
}

}  // namespace beatscan
