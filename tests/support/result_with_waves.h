// tests/support/result_with_waves.h — a stored result with P, QRS and T waves, without a folder.
#pragma once

#include <nlohmann/json.hpp>

#include "app/report/stored/stored_result.h"

namespace beatscan {

// Returns the medians of this many beats, as in summary.json.
inline Json medians_of_waves(int beats, double qt_ms, int non_conducted) {
  return {{"beats", beats},
          {"pr_ms", 160.0},
          {"qrs_ms", 90.6},
          {"qt_ms", qt_ms},
          {"qtc_ms", qt_ms + 20},
          {"p_share", 0.985},
          {"st_mv", {{"II", -0.004}, {"V<5>", 0.25}}},
          {"non_conducted_p", non_conducted}};
}

// Returns this many hours at 100 Hz in two leads. QT grows by 20 ms an hour from 380 ms on. The second hour has no PR
// interval. One beat a second has waves: P from 0.2 to 0.1 s before R, QRS from 0.04 s before it to 0.06 s after it, T
// from 0.25 to 0.35 s after it. The third beat has no P wave. Two non-conducted P waves are at 10.4 and 20.4 s.
inline StoredResult result_with_waves(int hours) {
  StoredResult result;
  result.rate_hz = 100;
  result.samples = hours * 360'000;
  result.bin_samples = 4;
  result.leads = {{.name = "II", .unit = "mV"}, {.name = "V<5>", .unit = "mV"}};
  result.config = {{"waves", {{"qtc", "fridericia"}, {"st_after_j_s", 0.06}}}};
  result.summary = {{"input", {{"path", "a.csv"}, {"unit", "mV"}}}, {"waves", medians_of_waves(10000, 400, 2)}};
  Json& waves = result.summary["waves"];
  waves["longest_qtc"] = {{"qtc_ms", 444.0}, {"begin_s", 3600.0 * (hours - 1)}};
  waves["hours"] = Json::array();
  for (int hour = 0; hour < hours; ++hour) waves["hours"].push_back(medians_of_waves(3600, 380 + 20 * hour, hour));
  if (hours > 1) waves["hours"][1]["pr_ms"] = nullptr;
  for (std::int64_t beat = 0; beat < result.samples / 100 - 1; ++beat) {
    const double r = static_cast<double>(beat) + 0.5;
    result.beats.sample.push_back(100 * beat + 50);
    result.beats.waves.push_back({r - 0.2, r - 0.15, r - 0.1, r - 0.04, r + 0.06, r + 0.25, r + 0.35});
  }
  WaveTimes& third = result.beats.waves[2];
  third.p_onset = third.p_peak = third.p_end = WaveTimes::kNone;
  result.beats.rr_next.assign(result.beats.sample.size(), 1);
  result.beats.beat_class.assign(result.beats.sample.size(), 'N');
  result.arrays.strip_beats = {{1}, {100}};
  result.arrays.strips = {{2, 1, 1000}, std::vector<float>(2000)};
  result.arrays.finding_places = {{2}, {1500, 30'000}};
  result.arrays.non_conducted_p = {{2, 2}, {1040, 1050, 2040, 2050}};
  return result;
}

}  // namespace beatscan
