#include "app/revision/corrections.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>

#include "app/common/json.h"
#include "app/common/json_text.h"
#include "app/evaluation/beat_quality.h"
#include "app/evaluation/truth.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

constexpr const char* kFormat = "beatscan corrections";
constexpr int kVersion = 1;
constexpr int kMostTemplates = 1000;  // more than any result has
constexpr std::array<std::string_view, 2> kActions = {"delete", "insert"};
constexpr std::array<std::string_view, 3> kVerdicts = {"confirmed", "rejected", "added"};  // in the order of Verdict

// One entry of a list, and how errors name it.
class Entry {
 public:
  Entry(const Json& json, std::string place, const std::filesystem::path& path)
      : json_(json), place_(std::move(place)), path_(path) {
    if (!json.is_object()) refuse("is not an object");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    fail(ErrorKind::input, path_.string(), place_ + " " + what);
  }
  bool has(const char* key) const { return json_.contains(key); }
  double seconds(const char* key) const {
    if (!has(key) || !json_[key].is_number()) refuse(std::string("has no number as '") + key + "'");
    const double value = json_[key].get<double>();
    if (!std::isfinite(value) || value < 0) refuse(std::string("has a '") + key + "' before the recording's start");
    return value;
  }
  // Returns the place of a text among `words`.
  std::size_t word(const char* key, std::span<const std::string_view> words) const {
    const std::string text = text_at(json_, key);
    const auto found = std::ranges::find(words, text);
    std::string list;
    for (const auto& word : words) list += (list.empty() ? "" : ", ") + std::string(word);
    if (found == words.end()) refuse("needs '" + std::string(key) + "', one of " + list);
    return found - words.begin();
  }
  BeatClass beat_class() const {
    constexpr std::array<std::string_view, kBeatClassCount> kLetters = {"N", "S", "V", "F", "Q"};
    return static_cast<BeatClass>(word("beat_class", kLetters));
  }
  void check_keys(std::initializer_list<std::string_view> known) const {
    for (const auto& [key, value] : json_.items())
      if (std::ranges::find(known, key) == known.end()) refuse("has the unknown key " + in_one_line("'" + key + "'"));
  }
  void check_span(double from_s, double to_s) const {
    if (!(to_s > from_s)) refuse("does not end after it begins");
  }

 private:
  const Json& json_;
  std::string place_;
  const std::filesystem::path& path_;
};

BeatCorrection beat_in(const Entry& entry) {
  entry.check_keys({"time_s", "beat_class", "action"});
  BeatCorrection beat{.time_s = entry.seconds("time_s")};
  if (entry.has("action")) beat.action = entry.word("action", kActions) == 0 ? BeatAction::remove : BeatAction::insert;
  if (beat.action != BeatAction::remove) beat.beat_class = entry.beat_class();
  return beat;
}

TemplateCorrection template_in(const Entry& entry, const Json& json) {
  entry.check_keys({"time_s", "template", "beat_class"});
  TemplateCorrection its{.time_s = {}, .number = {}, .beat_class = entry.beat_class()};
  if (entry.has("time_s"))
    its.time_s = entry.seconds("time_s");
  else if (entry.has("template") && json["template"].is_number_unsigned() && json["template"] <= kMostTemplates)
    its.number = json["template"].get<std::int64_t>();
  else
    entry.refuse("needs 'time_s', the time of one of its beats, or 'template', its number");
  return its;
}

NoiseMark noise_in(const Entry& entry) {
  entry.check_keys({"from_s", "to_s"});
  const NoiseMark mark{entry.seconds("from_s"), entry.seconds("to_s")};
  entry.check_span(mark.from_s, mark.to_s);
  return mark;
}

EpisodeCorrection episode_in(const Entry& entry) {
  entry.check_keys({"label", "from_s", "to_s", "verdict"});
  std::array<std::string_view, static_cast<std::size_t>(EpisodeLabel::gap) + 1> labels;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = name_of(static_cast<EpisodeLabel>(i));
  EpisodeCorrection its{.label = static_cast<EpisodeLabel>(entry.word("label", labels)),
                        .from_s = entry.seconds("from_s"),
                        .to_s = entry.seconds("to_s"),
                        .verdict = static_cast<Verdict>(entry.word("verdict", kVerdicts))};
  entry.check_span(its.from_s, its.to_s);
  return its;
}

// Calls read(entry, json) for each entry of a list.
void each_entry(const Json& document, const char* list, const std::filesystem::path& path, auto&& read) {
  if (!document.contains(list)) return;
  const Json& entries = document[list];
  if (!entries.is_array()) fail(ErrorKind::input, path.string(), std::string(list) + " is not a list");
  for (std::size_t i = 0; i < entries.size(); ++i)
    read(Entry(entries[i], list + ("[" + std::to_string(i) + "]"), path), entries[i]);
}

}  // namespace

Corrections parse_corrections(const std::string& text, const std::filesystem::path& path) {
  Json document;
  try {
    document = parse_json<Json>(text);
  } catch (const std::invalid_argument& error) {
    fail(ErrorKind::input, path.string(), std::string("is not JSON: ") + error.what());
  }
  const Entry whole(document, "the document", path);
  whole.check_keys({"format", "version", "recording", "beats", "templates", "noise", "episodes"});
  if (text_at(document, "format") != kFormat) whole.refuse(std::string("has no \"format\": \"") + kFormat + "\"");
  const Json version = document.value("version", Json());
  if (!version.is_number_integer() || version.get<std::int64_t>() != kVersion)
    whole.refuse("has no \"version\": " + std::to_string(kVersion) + ", the only one that this program reads");
  Corrections corrections;
  if (const Json recording = document.value("recording", Json()); recording.is_object())
    corrections.input_sha256 = text_at(recording, "sha256");
  each_entry(document, "beats", path,
             [&](const Entry& entry, const Json&) { corrections.beats.push_back(beat_in(entry)); });
  each_entry(document, "templates", path,
             [&](const Entry& entry, const Json& json) { corrections.templates.push_back(template_in(entry, json)); });
  each_entry(document, "noise", path,
             [&](const Entry& entry, const Json&) { corrections.noise.push_back(noise_in(entry)); });
  each_entry(document, "episodes", path,
             [&](const Entry& entry, const Json&) { corrections.episodes.push_back(episode_in(entry)); });
  // A beat or an episode may be added where another was taken away, and noise is noise in either list.
  std::ranges::stable_partition(corrections.beats,
                                [](const BeatCorrection& its) { return its.action == BeatAction::remove; });
  std::ranges::stable_partition(corrections.episodes,
                                [](const EpisodeCorrection& its) { return its.verdict == Verdict::rejected; });
  std::erase_if(corrections.episodes, [&](const EpisodeCorrection& its) {
    const bool is_noise = its.label == EpisodeLabel::noise && its.verdict == Verdict::added;
    if (is_noise) corrections.noise.push_back({its.from_s, its.to_s});
    return is_noise;
  });
  return corrections;
}

std::string corrections_text(const Corrections& corrections) {
  Json document = {{"format", kFormat}, {"version", kVersion}};
  if (!corrections.input_sha256.empty()) document["recording"] = {{"sha256", corrections.input_sha256}};
  for (const BeatCorrection& its : corrections.beats) {
    Json entry = {{"time_s", its.time_s}};
    if (its.action != BeatAction::reclassify) entry["action"] = kActions[its.action == BeatAction::insert];
    if (its.action != BeatAction::remove) entry["beat_class"] = std::string(1, letter_of(its.beat_class));
    document["beats"].push_back(std::move(entry));
  }
  for (const TemplateCorrection& its : corrections.templates)
    document["templates"].push_back({its.time_s ? Json{"time_s", *its.time_s} : Json{"template", *its.number},
                                     {"beat_class", std::string(1, letter_of(its.beat_class))}});
  for (const NoiseMark& its : corrections.noise)
    document["noise"].push_back({{"from_s", its.from_s}, {"to_s", its.to_s}});
  for (const EpisodeCorrection& its : corrections.episodes)
    document["episodes"].push_back({{"label", name_of(its.label)},
                                    {"from_s", its.from_s},
                                    {"to_s", its.to_s},
                                    {"verdict", kVerdicts[static_cast<std::size_t>(its.verdict)]}});
  return text_of(document, 1) + "\n";
}

std::set<std::string> entries_of(const Corrections& corrections) {
  const Json document = Json::parse(corrections_text(corrections));
  std::set<std::string> entries;
  for (const char* list : {"beats", "templates", "noise", "episodes"})
    for (const Json& entry : document.value(list, Json::array())) entries.insert(list + entry.dump());
  return entries;
}

std::int64_t missing_in(const Corrections& earlier, const Corrections& later) {
  const auto there = entries_of(later);
  return std::ranges::count_if(entries_of(earlier), [&](const std::string& entry) { return !there.contains(entry); });
}

Corrections joined(Corrections earlier, const Corrections& later) {
  const auto append = [](auto& list, const auto& more) {
    const bool is_there = list.size() >= more.size() && std::equal(more.begin(), more.end(), list.end() - more.size());
    if (!is_there) list.insert(list.end(), more.begin(), more.end());
  };
  if (earlier.input_sha256.empty()) earlier.input_sha256 = later.input_sha256;
  append(earlier.beats, later.beats);
  append(earlier.templates, later.templates);
  append(earlier.noise, later.noise);
  append(earlier.episodes, later.episodes);
  return earlier;
}

Corrections corrections_of_beats(const std::vector<ReferenceBeat>& listed, const std::vector<double>& samples,
                                 const std::vector<BeatClass>& classes, double sample_rate_hz) {
  std::vector<std::int64_t> annotated, found;
  for (const ReferenceBeat& beat : listed) annotated.push_back(beat.sample);
  for (const double sample : samples) found.push_back(std::llround(sample));
  const auto matches = match_beats(annotated, found, std::llround(kSameBeat_s * sample_rate_hz));
  Corrections corrections;
  std::vector<std::uint8_t> is_matched(found.size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const BeatClass beat_class = *class_of(listed[i].symbol);
    const double time_s = static_cast<double>(listed[i].sample) / sample_rate_hz;
    if (!matches[i]) {
      corrections.beats.push_back({time_s, BeatAction::insert, beat_class});
      continue;
    }
    is_matched[*matches[i]] = 1;
    if (classes[*matches[i]] != beat_class)
      corrections.beats.push_back({samples[*matches[i]] / sample_rate_hz, BeatAction::reclassify, beat_class});
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!is_matched[i]) corrections.beats.push_back({samples[i] / sample_rate_hz, BeatAction::remove, {}});
  return corrections;
}

}  // namespace beatscan
