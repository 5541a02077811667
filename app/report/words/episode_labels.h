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

// Returns the words of a label, or the label itself where it is not known.
std::string label_words(std::string_view label);

}  // namespace beatscan
