#include "app/output/deidentify.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/output/run_result.h"

namespace beatscan {

namespace {

constexpr std::chrono::year_month_day kEpoch{std::chrono::year(1985), std::chrono::January, std::chrono::day(1)};

// Says whether a name is more than a short number, which a message may have for another reason.
bool is_telling(const std::string& name) {
  const bool has_letter = std::ranges::any_of(name, [](unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; });
  return name.size() >= (has_letter ? 3 : 5);
}

void keep_file_name(std::string& path) { path = std::filesystem::path(path).filename().string(); }

}  // namespace

Redaction::Redaction(const std::vector<std::filesystem::path>& paths, std::string replacement)
    : replacement_(std::move(replacement)) {
  for (const auto& path : paths) {
    names_.insert(names_.end(), {path.string(), path.filename().string(), record_name(path)});
    if (const std::string folder = path.parent_path().string(); folder.find('/') != folder.npos)
      names_.push_back(folder);
  }
  std::erase_if(names_, [](const std::string& name) { return !is_telling(name); });
  std::ranges::sort(names_, std::ranges::greater(), &std::string::size);
}

std::string Redaction::operator()(std::string text) const {
  for (std::size_t at = 0; at < text.size();) {
    const auto is_of_word = [&](std::size_t place) {
      return place < text.size() && (std::isalnum(static_cast<unsigned char>(text[place])) || text[place] == '_');
    };
    const auto here = [&](const std::string& name) {
      return text.compare(at, name.size(), name) == 0 && !(at > 0 && is_of_word(at - 1)) &&
             !is_of_word(at + name.size());
    };
    const auto name = std::ranges::find_if(names_, here);
    if (name != names_.end()) text.replace(at, name->size(), replacement_);
    at += name != names_.end() ? replacement_.size() : 1;
  }
  return text;
}

Json Redaction::in_json(Json json) const {
  if (json.is_string()) return (*this)(json.get<std::string>());
  if (json.is_structured())
    for (auto& value : json) value = in_json(std::move(value));
  return json;
}

void deidentify(RunResult& result, const Redaction& redaction) {
  InputFacts& input = result.input;
  input.path = input.name;
  input.files.clear();
  input.sha256.clear();
  input.signal.metadata.clear();
  for (BadRow& row : input.bad.first) row.what = "a bad row";
  for (std::string& warning : input.warnings) warning = redaction(std::move(warning));
  if (auto& start = input.signal.start) {
    if (start->date) start->date = kEpoch;
    start->ahead_of_utc_s.reset();
  }
  std::size_t number = 0;
  for (FileEvent& event : input.signal.events) event.text = "event " + std::to_string(++number);
  if (result.model.source) result.model.source = result.model.source->filename();
  result.run.command.clear();
  result.run.input_stamps.clear();
  result.run.truth_sha256.clear();
}

Config deidentified(Config config) {
  for (std::string* path :
       {&config.classify.model, &config.quality.model, &config.waves.model, &config.rhythm_model.model})
    keep_file_name(*path);
  return config;
}

}  // namespace beatscan
