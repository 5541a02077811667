// The options for the files of a result, and for the parts of a recording that hrv.csv has.
#include "app/config/config_fields.h"
#include "app/config/durations.h"
#include "app/config/field_makers.h"
#include "stages/classify/beat_findings.h"

namespace beatscan {

namespace {

using namespace fields;

constexpr double kLongestWindow_s = 366.0 * 86400;

// Accepts seconds as a number, or a text such as "5min".
ConfigField duration(std::string key, std::string meaning, double& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", {"number", "string"}}, {"minimum", 0}, {"maximum", kLongestWindow_s}},
          [&target] { return Json(target); },
          [&target](const Json& value) {
            std::optional<double> seconds;
            if (value.is_number()) seconds = value.get<double>();
            if (value.is_string()) seconds = duration_s(value.get<std::string>());
            if (!seconds || !(*seconds == 0 || (*seconds >= 1 && *seconds <= kLongestWindow_s)))
              reject(value, "a duration of a second and more, such as 300, 5min or 1h, or 0 for none");
            target = *seconds;
          }};
}

ConfigField sleep_hours(std::string key, std::string meaning, std::string& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", "string"}, {"examples", {"23:00-07:00", "14-22"}}},
          [&target] { return Json(target); },
          [&target](const Json& value) {
            if (!value.is_string() || !sleep_of(value.get<std::string>()))
              reject(value, "two times of day such as 23:00-07:00, or hours from the start such as 14-22");
            target = value.get<std::string>();
          }};
}

ConfigField class_letters(std::string key, std::string meaning, std::string& target) {
  return {std::move(key),
          std::move(meaning),
          {{"type", "string"}, {"pattern", "^[NSVFQ]*$"}},
          [&target] { return Json(target); },
          [&target](const Json& value) {
            const auto text = value.is_string() ? value.get<std::string>() : std::string("?");
            if (text.find_first_not_of(kClassLetters) != text.npos)
              reject(value, "letters of beat classes (" + std::string(kClassLetters) + "), such as V or VS");
            target = text;
          }};
}

}  // namespace

void add_output_fields(std::vector<ConfigField>& fields, Config& c) {
  fields.push_back(
      duration("hrv.window", "length of the windows in hrv.csv, seconds, or such as 5min; 0: none", c.hrv.window_s));
  fields.push_back(sleep_hours("hrv.sleep",
                               "the night in hrv.csv, by the clock as 23:00-07:00, or as 14-22 in hours from the start",
                               c.hrv.sleep));
  fields.push_back(boolean("output.waves",
                           "also write P, QRS and T waves of each beat and lead (waves.csv), and as WFDB annotations "
                           "(RECORD.waves)",
                           c.output.waves));
  fields.push_back(
      boolean("output.features",
              "also write the table of features of each beat (features.npy), with the names of its columns "
              "(features.json)",
              c.output.features));
  fields.push_back(boolean("output.nn", "also write the intervals between normal beats (nn.csv)", c.output.nn));
  fields.push_back(class_letters("output.only",
                                 "classes whose beats beats.csv and abnormal.csv have, such as V or VS; empty: all",
                                 c.output.only));
  fields.push_back(boolean("output.deidentify",
                           "whether names, dates, paths and digests of the input are left out of the result",
                           c.output.deidentify));
}

}  // namespace beatscan
