#include "app/report/words/beat_runs.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_findings.h"
#include "app/report/stored/stored_result.h"
#include "app/text/json.h"
#include "app/text/numbers.h"
#include "stages/episodes/episode_options.h"

namespace beatscan {
namespace {

// Returns the first beat at a position or behind it.
std::int64_t first_beat_from(const StoredResult& result, double position) {
  std::int64_t first = 0, end = result.beats.size();
  while (first < end) {
    const std::int64_t middle = (first + end) / 2;
    if (result.beat_position(middle) < position)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

// Calls visit(episode, first beat in it or behind it) for each stretch of ventricular fibrillation or flutter.
template <class Visit>
void for_each_fibrillation(const StoredResult& result, const Visit& visit) {
  if (!result.episodes) return;
  for (const auto& episode : *result.episodes)
    if (episode.label == "VF" || episode.label == "VFL") visit(episode, first_beat_from(result, episode.from));
}

std::vector<std::uint8_t> beats_in_fibrillation(const StoredResult& result) {
  std::vector<std::uint8_t> inside(result.beats.size());
  for_each_fibrillation(result, [&](const StoredEpisode& its, std::int64_t first) {
    for (std::int64_t i = first; i < result.beats.size() && result.beat_position(i) <= its.to; ++i) inside[i] = 1;
  });
  return inside;
}

// Says of each beat whether the next one follows it, as intervals.h does: [K].
std::vector<std::uint8_t> linked_beats(const StoredResult& result) {
  const Json options = result.config.is_object() ? result.config.value("episodes", Json::object()) : Json::object();
  const IntervalLimits usual;
  const double shortest = options.value("shortest_rr_s", usual.shortest_s),
               longest = options.value("longest_rr_s", usual.longest_s);
  const auto& rr = result.beats.rr_next;
  const auto left_out = intervals_in_fibrillation(result);
  std::vector<std::uint8_t> linked(result.beats.size());
  for (std::int64_t i = 0; i + 1 < result.beats.size(); ++i)
    linked[i] = !left_out[i] && rr[i] >= shortest && rr[i] <= longest;
  return linked;
}

// Adds the beats from `first` to before `end`, which follow each other.
void add_run(std::int64_t first, std::int64_t end, BeatRuns& runs) {
  const std::int64_t length = end - first;
  if (length == 1) ++runs.alone;
  if (length == 2 && runs.couplets++ == 0) runs.first_couplet = first;
  if (length < 3) return;
  ++runs.runs;
  if (length > runs.longest) runs.longest = length, runs.longest_run = first;
}

}  // namespace

std::vector<std::uint8_t> intervals_in_fibrillation(const StoredResult& result) {
  std::vector<std::uint8_t> inside(result.beats.size());
  for_each_fibrillation(result, [&](const StoredEpisode& its, std::int64_t first) {
    for (std::int64_t i = std::max<std::int64_t>(first, 1) - 1;
         i + 1 < result.beats.size() && result.beat_position(i) < its.to; ++i)
      if (result.beat_position(i + 1) > its.from) inside[i] = 1;
  });
  return inside;
}

BeatRuns runs_of(const StoredResult& result, char kind) {
  const BeatTable& beats = result.beats;
  const auto linked = linked_beats(result), left_out = beats_in_fibrillation(result);
  BeatRuns runs;
  for (std::int64_t i = 0; i < beats.size();) {
    if (beats.kind[i] != kind) {
      ++i;
      continue;
    }
    if (runs.first < 0) runs.first = i;
    std::int64_t end = i + 1;
    if (left_out[i]) {
      ++runs.in_fibrillation;
    } else {
      while (end < beats.size() && beats.kind[end] == kind && linked[end - 1] && !left_out[end]) ++end;
      add_run(i, end, runs);
    }
    runs.beats += end - i;
    i = end;
  }
  return runs;
}

std::string runs_words(const BeatRuns& runs) {
  if (runs.beats == 0) return "";
  if (runs.alone == runs.beats) return runs.beats == 1 ? "" : "each alone";
  std::vector<std::string> parts;
  if (runs.alone > 0) parts.push_back("alone");
  if (runs.couplets > 0)
    parts.push_back(runs.couplets == 1 ? "in a couplet" : "in " + grouped(runs.couplets) + " couplets");
  if (runs.runs == 1) parts.push_back("in a run of " + grouped(runs.longest));
  if (runs.runs > 1) parts.push_back("in " + grouped(runs.runs) + " runs of up to " + grouped(runs.longest));
  if (runs.in_fibrillation > 0)
    parts.push_back((runs.in_fibrillation == runs.beats ? "" : grouped(runs.in_fibrillation) + " of them ") +
                    "in ventricular fibrillation or flutter");
  return listed(parts);
}

std::string listed(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text;
}

}  // namespace beatscan
