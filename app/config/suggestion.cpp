#include "app/config/suggestion.h"

#include <algorithm>
#include <iterator>

#include "stages/common/nearest_name.h"

namespace beatscan {
namespace {

// "vae" of "vae.epochs"; empty for a key without a section.
std::string section_of(const std::string& key) {
  const auto dot = key.find('.');
  return dot == key.npos ? "" : key.substr(0, dot);
}

std::vector<std::string> sections_of(const std::vector<std::string>& keys) {
  std::vector<std::string> sections;
  for (const auto& key : keys)
    if (const auto section = section_of(key); !section.empty() && !std::ranges::count(sections, section))
      sections.push_back(section);
  return sections;
}

// The keys of the section that contain this name; all keys of the section if there are none.
std::vector<std::string> keys_in(const std::string& section, const std::string& name,
                                 const std::vector<std::string>& keys) {
  std::vector<std::string> all, similar;
  for (const auto& key : keys) {
    if (section_of(key) != section) continue;
    all.push_back(key);
    if (!name.empty() && key.find(name, section.size()) != key.npos) similar.push_back(key);
  }
  return similar.empty() ? all : similar;
}

// The keys that have this name in their section: "vae.epochs" for "epochs".
std::vector<std::string> keys_named(const std::string& name, const std::vector<std::string>& keys) {
  std::vector<std::string> found;
  std::ranges::copy_if(keys, std::back_inserter(found), [&](const auto& key) { return key.ends_with("." + name); });
  return found;
}

}  // namespace

std::string suggestion(const std::string& unknown_key, const std::vector<std::string>& keys) {
  if (const auto nearest = nearest_name(unknown_key, keys); !nearest.empty())
    return "; did you mean '" + nearest + "'?";
  if (const auto named = keys_named(unknown_key, keys); named.size() == 1) return "; did you mean '" + named[0] + "'?";
  const auto dot = unknown_key.find('.');
  const std::string first = unknown_key.substr(0, dot), name = dot == first.npos ? "" : unknown_key.substr(dot + 1);
  const auto sections = sections_of(keys);
  const auto section = std::ranges::count(sections, first) ? first : nearest_name(first, sections);
  if (section.empty()) return "; `beatscan config show` lists all";
  const auto candidates = keys_in(section, name, keys);
  if (candidates.size() == 1) return "; did you mean '" + candidates[0] + "'?";
  return "; the section '" + section + "' has " + listed_names(candidates);
}

}  // namespace beatscan
