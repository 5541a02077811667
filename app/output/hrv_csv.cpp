#include "app/output/hrv_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "app/config/durations.h"
#include "app/output/tables/table_csv.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/one_line.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {

namespace {

constexpr double kDay_s = 86400;

using Measure = std::optional<double> Hrv::*;
constexpr std::array<std::pair<const char*, Measure>, 16> kMeasures = {{
    {"mean_nn_ms", &Hrv::mean_nn_ms},
    {"sdnn_ms", &Hrv::sdnn_ms},
    {"sdann_ms", &Hrv::sdann_ms},
    {"rmssd_ms", &Hrv::rmssd_ms},
    {"pnn50_percent", &Hrv::pnn50_percent},
    {"vlf_ms2", &Hrv::vlf_ms2},
    {"lf_ms2", &Hrv::lf_ms2},
    {"hf_ms2", &Hrv::hf_ms2},
    {"lf_hf", &Hrv::lf_hf},
    {"sd1_ms", &Hrv::sd1_ms},
    {"sd2_ms", &Hrv::sd2_ms},
    {"dfa_alpha1", &Hrv::dfa_alpha1},
    {"dfa_alpha2", &Hrv::dfa_alpha2},
    {"dc_ms", &Hrv::dc_ms},
    {"hrt_onset_percent", &Hrv::hrt_onset_percent},
    {"hrt_slope_ms_per_rr", &Hrv::hrt_slope_ms_per_rr},
}};

// Adds the part of a stretch that lies in the recording.
void add_within(std::vector<TimePart>& parts, double from_s, double to_s, double length_s) {
  const TimePart part{std::max(from_s, 0.0), std::min(to_s, length_s)};
  if (part.from_s < part.to_s) parts.push_back(part);
}

// Returns the nights of a recording; nullopt if it is not known where they are.
std::optional<std::vector<TimePart>> nights_of(const HrvRecording& recording) {
  const auto sleep = sleep_of(recording.parts.sleep);
  if (!sleep || (sleep->by_clock && !recording.start)) return std::nullopt;
  std::vector<TimePart> nights;
  if (!sleep->by_clock) {
    add_within(nights, sleep->from_s, sleep->to_s, recording.length_s);
    return nights;
  }
  const double long_s = std::fmod(sleep->to_s - sleep->from_s + kDay_s, kDay_s);
  for (double from_s = sleep->from_s - recording.start->second_of_day - kDay_s; from_s < recording.length_s;
       from_s += kDay_s)
    add_within(nights, from_s, from_s + long_s, recording.length_s);
  return nights;
}

// Returns the rest of a recording.
std::vector<TimePart> days_between(const std::vector<TimePart>& nights, double length_s) {
  std::vector<TimePart> days;
  double from_s = 0;
  for (const TimePart& night : nights) {
    add_within(days, from_s, night.from_s, length_s);
    from_s = night.to_s;
  }
  add_within(days, from_s, length_s, length_s);
  return days;
}

// Appends the row of a part.
void append_row(const HrvPart& part, std::optional<std::int64_t> intervals, const Hrv& hrv, std::string& text) {
  Row line(text);
  if (part.times.empty())
    line.empty().empty();
  else
    line.seconds(part.times.front().from_s).seconds(part.times.back().to_s);
  line.cell(part.name);
  if (intervals)
    line.number(hrv.intervals);
  else
    line.empty();
  if (intervals && *intervals > 0)
    line.number(hrv.used_share);
  else
    line.empty();
  for (const auto& [name, measure] : kMeasures)
    if (const auto& value = hrv.*measure)
      line.number(*value);
    else
      line.empty();
  if (intervals)
    line.number(hrv.hrt_vpcs);
  else
    line.empty();
  line.words(in_one_line(part.event));
}

}  // namespace

std::vector<HrvPart> hrv_parts(const HrvRecording& recording) {
  const double length_s = recording.length_s, window_s = recording.parts.window_s;
  std::vector<HrvPart> parts{{.name = "whole", .times = {{0, length_s}}}};
  const auto nights = nights_of(recording);
  parts.push_back({.name = "day",
                   .times = nights ? days_between(*nights, length_s) : std::vector<TimePart>(),
                   .known = nights.has_value()});
  parts.push_back({.name = "night", .times = nights.value_or(std::vector<TimePart>()), .known = nights.has_value()});
  if (window_s <= 0) return parts;
  for (std::int64_t k = 0; static_cast<double>(k) * window_s < length_s; ++k) {
    const double from_s = static_cast<double>(k) * window_s;
    parts.push_back({.name = "window", .times = {{from_s, std::min(from_s + window_s, length_s)}}});
  }
  for (const FileEvent& event : recording.events) {
    HrvPart part{.name = "event", .times = {}, .event = event.text};
    const double middle_s = event.time_s + event.duration_s / 2;
    add_within(part.times, middle_s - window_s / 2, middle_s + window_s / 2, length_s);
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string hrv_csv(const RhythmBeats& beats, const RhythmFindings& findings, const HrvRecording& recording) {
  const std::vector<HrvPart> parts = hrv_parts(recording);
  const NnIntervals nn = nn_of_recording(beats, findings.episodes);
  std::vector<std::string> rows(parts.size());
  parallel_each(Cpu(), std::ssize(parts), [&](std::int64_t i) {
    const HrvPart& part = parts[i];
    if (part.name == "whole") return append_row(part, interval_count(beats), findings.hrv, rows[i]);
    if (!part.known) return append_row(part, std::nullopt, {}, rows[i]);
    const std::int64_t intervals = intervals_in_parts(beats, part.times);
    append_row(part, intervals, hrv_of(nn_in(nn, part.times), intervals, recording.measures), rows[i]);
  });
  std::string text;
  {
    Row header(text);
    for (const char* name : {"start_s", "end_s", "part", "intervals", "used_share"}) header.cell(name);
    for (const auto& [name, measure] : kMeasures) header.cell(name);
    header.cell("hrt_vpcs").cell("event");
  }
  for (const std::string& row : rows) text += row;
  return text;
}

std::string nn_csv(const RhythmBeats& beats, const Episodes& episodes) {
  const NnIntervals nn = nn_of_recording(beats, episodes);
  std::string text = "time_s,nn_ms\n";
  for (std::size_t i = 0; i < nn.ms.size(); ++i) Row(text).seconds(nn.end_s[i]).number(nn.ms[i]);
  return text;
}

}  // namespace beatscan
