#include "app/pipeline/sample_rate.h"

#include <cmath>

#include "app/common/numbers.h"
#include "app/config/config.h"
#include "app/output/run_result.h"
#include "kernels/runtime/error.h"
#include "stages/common/number_text.h"
#include "stages/io/input.h"

namespace beatscan {

namespace {

constexpr double kWidestMillivolts = 50;  // an ECG with its baseline wander and its pacing spikes spans less

}  // namespace

std::string unit_uncertainty(const InputFacts& input, Method method) {
  if (method != Method::published) return "";
  const std::string unit = input.leads.empty() ? "" : input.leads.front().unit;
  const double range = double{input.range.max} - double{input.range.min};
  const bool is_known = !unit.empty() && unit != "NU";
  if (unit == "mV" || (!is_known && range <= kWidestMillivolts)) return "";
  return "the published method needs samples in mV, and these " +
         (is_known ? "are in " + unit
                   : "from " + significant(input.range.min, 4) + " to " + significant(input.range.max, 4) +
                         " look like uV or ADC steps") +
         "; convert them";
}

namespace {

std::string shown(double hz) { return number_text(hz, 7) + " Hz"; }

Config at_rate(Config config, std::optional<double> hz) {
  config.ingest.sample_rate_hz = hz;
  return config;
}

// Throws if a rate is needed. Called if the rate is unknown.
void check_unknown(const SignalInfo& signal, const Config& config, bool needed, const std::filesystem::path& input) {
  try {
    if (needed) in_samples(seconds(1), std::nullopt);
    check_rate_known(at_rate(config, std::nullopt));
  } catch (const Error& error) {
    const std::string because = signal.no_rate_because.empty() ? "" : "; " + signal.no_rate_because;
    fail(error.kind(), input.string(), error.what() + because);
  }
}

}  // namespace

SampleRate sample_rate_of(const SignalInfo& signal, const Config& config, const RateGiven& given,
                          const std::filesystem::path& input) {
  const auto users = config.ingest.sample_rate_hz, own = signal.sample_rate_hz;
  const std::string teller = name_of(signal.rate_origin);
  if (users) {
    SampleRate rate{users, given.source, ""};
    if (own && std::abs(*users / *own - 1) > kSameRate)
      rate.warning = "the " + teller + " says " + shown(*own) + "; " + shown(*users) + " is used, as asked for";
    return rate;
  }
  if (!own && !given.of_model_hz) {
    check_unknown(signal, config, given.needed, input);
    return {};
  }
  const SampleRate rate =
      own ? SampleRate{own, teller, ""}
          : SampleRate{given.of_model_hz, "model",
                       "the recording does not specify its sampling rate: " + shown(*given.of_model_hz) +
                           ", that of the model's recording, is used; override it with --rate HZ"};
  try {
    check_config(at_rate(config, rate.hz));
  } catch (const Error& error) {
    fail(ErrorKind::unanalysable, input.string(), shown(*rate.hz) + " by the " + rate.source + ": " + error.what());
  }
  return rate;
}

void check_rates(const std::vector<std::filesystem::path>& inputs, const Config& config, const RateGiven& given) {
  if (config.ingest.sample_rate_hz || given.of_model_hz) return;
  for (const auto& input : inputs) {
    try {
      if (const auto signal = first_look(input, ingest_options(config));
          signal && signal->rate_origin == RateOrigin::none)
        check_unknown(*signal, config, given.needed, input);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::usage) throw;  // other errors are reported when the recording is opened
    }
  }
}

}  // namespace beatscan
