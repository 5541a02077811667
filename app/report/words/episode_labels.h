// app/report/words/episode_labels.h — the labels of episodes in words, and the groups that the page draws them in.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace beatscan {

struct EpisodeName {
  std::string_view label;  // as in episodes.csv
  std::string_view words;  // "atrial fibrillation"
  std::string_view group;  // a CSS class, and a row of the timeline
};

// Returns all labels, the most serious first.
std::span<const EpisodeName> episode_names();

// Returns the place of a label in that list; its length for a label that is not known.
std::size_t seriousness_of(std::string_view label);

// Returns the words of a label, or the label itself where it is not known.
std::string label_words(std::string_view label);

// Returns the group of a label; "other" where it is not known.
std::string_view group_of(std::string_view label);

// Returns the groups in the order of the timeline, each with its name.
struct EpisodeGroup {
  std::string_view group, name;
};
std::span<const EpisodeGroup> episode_groups();

}  // namespace beatscan
