// app/report/sections/episodes.h — shows the episodes of a recording: a lane of the timeline, and a table.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/report/stored/stored_findings.h"
#include "app/text/json.h"

namespace beatscan {

struct StoredResult;

inline constexpr std::size_t kDrawnEpisodes = 5000;  // at most in a page: the most serious, of these the longest
inline constexpr std::size_t kListedOfLabel = 30;    // at most in the table, of each label: the longest

// Returns the episodes that a page draws, in order of time.
std::vector<StoredEpisode> drawn_episodes(const std::vector<StoredEpisode>& episodes);

// Returns the lane with a row for each group; empty where there are no episodes.
std::string episode_lane(const StoredResult& result);

// Returns what the script draws the live lane by; null where there is none:
//   names  [[label, words, group], …]     rows  [[group, name], …]
//   from, to, name                        of each episode; `name` is a place in names
Json episodes_json(const StoredResult& result);

}  // namespace beatscan
