#include "app/report/stored/stored_waves.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/report/stored/damaged_file.h"
#include "app/report/stored/stored_result.h"
#include "app/text/json.h"
#include "app/text/json_text.h"

namespace beatscan {
namespace {

constexpr double kMostOfWaves = 1e9;  // milliseconds, seconds or millivolts; nothing comes near it

// Reads the values under a part of `waves`.
class WavePart {
 public:
  WavePart(const StoredResult& result, const Json& part) : result_(result), part_(part) {}

  // Returns a number; NaN for null.
  double number(const char* key) const { return checked(part_.value(key, Json()), key); }
  std::int64_t count(const char* key) const {
    const Json value = part_.value(key, Json());
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0) refuse(key);
    return value.get<std::int64_t>();
  }
  IntervalMedians medians(const std::vector<std::string>& leads) const {
    IntervalMedians medians{.beats = count("beats"),
                            .pr = number("pr_ms"),
                            .qrs = number("qrs_ms"),
                            .qt = number("qt_ms"),
                            .qtc = number("qtc_ms"),
                            .p_share = number("p_share"),
                            .st_mv = {},
                            .non_conducted = count("non_conducted_p")};
    const Json st = part_.value("st_mv", Json::object());
    for (const std::string& lead : leads) medians.st_mv.push_back(checked(st.value(lead, Json()), "st_mv"));
    return medians;
  }
  std::optional<LongestQtc> longest_qtc() const {
    const Json longest = part_.value("longest_qtc", Json());
    if (!longest.is_object()) return std::nullopt;
    const WavePart minute(result_, longest);
    const LongestQtc found{minute.number("qtc_ms"), minute.number("begin_s")};
    if (std::isnan(found.qtc_ms) || !(found.begin_s >= 0 && found.begin_s <= result_.length())) refuse("longest_qtc");
    return found;
  }
  [[noreturn]] void refuse(const char* key) const {
    fail_damaged(result_.folder / "summary.json", std::string("'waves.") + key + "' is out of range");
  }

 private:
  double checked(const Json& value, const char* key) const {
    if (!value.is_number()) return std::numeric_limits<double>::quiet_NaN();
    if (!(std::abs(value.get<double>()) <= kMostOfWaves)) refuse(key);
    return value.get<double>();
  }
  const StoredResult& result_;
  const Json& part_;
};

// Returns the name of the QT correction of the result's configuration, capitalised: that of its author.
std::string correction_name(const Json& config) {
  const Json::json_pointer place("/waves/qtc");
  std::string name = config.contains(place) && config[place].is_string() ? config[place].get<std::string>() : "";
  if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

}  // namespace

std::optional<StoredWaves> stored_waves(const StoredResult& result) {
  const auto part = result.summary.find("waves");
  if (part == result.summary.end() || !part->is_object() || !result.rate_hz) return std::nullopt;
  StoredWaves waves{.correction = correction_name(result.config),
                    .st_after_j_s = result.config.at(Json::json_pointer("/waves/st_after_j_s")).get<double>(),
                    .leads = {},
                    .summary = {}};
  const Json levels = part->value("st_mv", Json::object());
  for (const auto& [lead, level] : levels.items()) waves.leads.push_back(lead);
  const WavePart whole(result, *part);
  waves.summary.all = whole.medians(waves.leads);
  waves.summary.longest_qtc = whole.longest_qtc();
  const Json hours = part->value("hours", Json::array());
  if (static_cast<double>(hours.size()) > result.length() / 3600 + 1) whole.refuse("hours");  // the last may be shorter
  for (const Json& hour : hours) waves.summary.hours.push_back(WavePart(result, hour).medians(waves.leads));
  return waves;
}

}  // namespace beatscan
