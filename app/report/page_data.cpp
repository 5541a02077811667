#include "app/report/page_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/common/json_text.h"
#include "app/output/result_facts.h"
#include "app/report/drawing/html.h"
#include "app/report/page_arrays.h"
#include "app/report/page_options.h"
#include "app/report/page_signal.h"
#include "app/report/page_waves.h"
#include "app/report/paper/strip.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_arrays.h"
#include "app/report/stored/stored_leads.h"
#include "app/report/stored/stored_result.h"
#include "app/report/words/class_words.h"
#include "app/report/words/episode_labels.h"
#include "app/report/words/reasons.h"
#include "kernels/signal/signal_part.h"
#include "stages/common/duration.h"
#include "stages/score/score.h"
#include "stages/waves/wave_summary.h"

namespace beatscan {
namespace {

// Returns the least n with score <= n / 100.
std::int32_t hundredths_up(float score) {
  if (!std::isfinite(score)) return std::numeric_limits<std::int32_t>::min();
  constexpr float kMost = 2e7f;  // fits in 32 bits, and adding 1 to its hundredfold still counts
  score = std::clamp(score, -kMost, kMost);
  double n = std::ceil(static_cast<double>(score) * 100);
  while (score > n / 100) ++n;
  while (score <= (n - 1) / 100) --n;
  return static_cast<std::int32_t>(n);
}

std::vector<std::uint8_t> flags_of(const StoredResult& result) {
  const auto& beats = result.beats;
  std::vector<std::uint8_t> flags(beats.size());
  for (std::int64_t i = 0; i < beats.size(); ++i)
    flags[i] = static_cast<std::uint8_t>((beats.kept[i] ? 1 : 0) | (beats.anomalous[i] ? 2 : 0) |
                                         (std::isfinite(beats.rr_next[i]) ? 4 : 0) |
                                         (beats.quality[i] != Quality::good ? 8 : 0) | (beats.corrected[i] ? 32 : 0));
  if (!result.episodes || beats.beat_class.empty()) return flags;
  for (const auto& episode : *result.episodes) {
    if (episode.label != "AFIB") continue;
    const auto first = std::ranges::lower_bound(beats.sample, episode.from, {},
                                                [&](std::int64_t sample) { return result.position(sample); });
    for (auto i = first - beats.sample.begin(); i < beats.size() && result.beat_position(i) <= episode.to; ++i)
      if (beats.beat_class[i] == 'S') flags[i] |= 16;
  }
  return flags;
}

// Adds a column of the episodes as whole numbers: value(episode) in steps, -1 where there is none.
template <class Value>
void add_episode_column(const StoredResult& result, const std::string& name, double step, PageArrays& arrays,
                        Value&& value) {
  arrays.packed.differences("episode_" + name, [&result, step, value] {
    std::vector<std::int32_t> numbers;
    for (const auto& episode : *result.episodes) {
      const double number = static_cast<double>(value(episode)) / step;
      numbers.push_back(std::isfinite(number) ? ArraySteps::nearest(std::min(number, 2e9)) : -1);
    }
    return numbers;
  });
}

// Returns the texts of a column of the episodes, each once.
std::vector<std::string> texts_of(const StoredResult& result, std::string StoredEpisode::*column) {
  std::vector<std::string> texts;
  for (const auto& episode : *result.episodes)
    if (std::ranges::find(texts, episode.*column) == texts.end()) texts.push_back(episode.*column);
  return texts;
}

void add_episodes(const StoredResult& result, PageArrays& arrays) {
  if (!result.episodes) return;
  const auto place = [&](std::string StoredEpisode::*column) {
    return [texts = texts_of(result, column), column](const StoredEpisode& its) {
      return std::ranges::find(texts, its.*column) - texts.begin();
    };
  };
  using Its = const StoredEpisode&;
  add_episode_column(result, "from", 0.001, arrays, [](Its its) { return its.from; });
  add_episode_column(result, "length", 0.001, arrays, [](Its its) { return its.to - its.from; });
  add_episode_column(result, "label", 1, arrays, place(&StoredEpisode::label));
  add_episode_column(result, "beats", 1, arrays, [](Its its) { return its.beats; });
  add_episode_column(result, "rate", 0.1, arrays, [](Its its) { return its.rate_bpm; });
  add_episode_column(result, "confidence", 0.001, arrays, [](Its its) { return its.confidence; });
  add_episode_column(result, "quality", 1, arrays, place(&StoredEpisode::quality));
}

void add_classes(const BeatTable& beats, PageArrays& arrays) {
  arrays.packed.flags("classes", [&] {
    std::vector<std::uint8_t> beat_classes(beats.size());
    std::ranges::copy(beats.beat_class, beat_classes.begin());
    return beat_classes;
  });
  arrays.packed.flags("shapes", [&] {
    std::vector<std::uint8_t> shapes(beats.size());  // 0 where a beat has none, else 1 more than its number
    std::ranges::transform(beats.shape, shapes.begin(), [](auto s) { return static_cast<std::uint8_t>(s + 1); });
    return shapes;
  });
}

// Returns a 400th of the range that eight of ten values lie in: the others may be of any size.
ArraySteps latent_steps(std::vector<float> values) {
  std::erase_if(values, [](float value) { return !std::isfinite(value); });
  if (values.empty()) return {0, 1};
  const auto quantile = [&](double share) {
    const auto place = values.begin() + std::llround(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, place);
    return static_cast<double>(*place);
  };
  const double low = quantile(0.1), high = quantile(0.9);
  return {low, std::max((high - low) / 400, 1e-6)};
}

void add_beats(const StoredResult& result, PageArrays& arrays) {
  const auto& beats = result.beats;
  arrays.packed.differences("samples", [&] {
    std::vector<std::int32_t> samples(beats.size());
    std::ranges::transform(beats.sample, samples.begin(),
                           [](auto sample) { return static_cast<std::int32_t>(sample); });
    return samples;
  });
  arrays.packed.flags("flags", [&] { return flags_of(result); });
  arrays.packed.integers("scores", [&] {
    std::vector<std::int32_t> scores(beats.size());
    std::ranges::transform(beats.score, scores.begin(), hundredths_up);
    return scores;
  });
  if (!result.published) {
    arrays.scaled("rhythm", beats.rhythm_score, {0, 0.1});
    arrays.scaled("baselines", beats.baseline_score, {0, 0.1});
  }
  if (result.several_leads())
    arrays.packed.flags("lead", [&] {
      std::vector<std::uint8_t> leads(beats.size());  // 0 if unknown, else 1 more than the lead's place
      std::ranges::transform(beats.lead, leads.begin(), [](auto lead) { return static_cast<std::uint8_t>(lead + 1); });
      return leads;
    });
  if (result.has_classes()) add_classes(beats, arrays);
  if (!result.latents) return;
  arrays.scaled("latent_x", beats.latent_x, latent_steps(beats.latent_x));
  arrays.scaled("latent_y", beats.latent_y, latent_steps(beats.latent_y));
}

Json facts(const StoredResult& result) {
  const Json& report = result.summary.at("report");
  return {{"rate_hz", or_null(result.rate_hz)},
          {"start_s", result.start ? Json(result.start->second_of_day) : Json()},
          {"samples", result.samples},
          {"length", result.length()},
          {"bin_samples", result.bin_samples},
          {"other_bin_samples", result.other_bin_samples},
          {"strip_samples", result.arrays.strips.shape.back()},
          {"row_points", result.arrays.rows.shape[1]},
          {"generated_points", result.generated.empty() ? 0 : std::ssize(result.generated[0])},
          {"row_before_s", report.value("row_before_s", Json())},
          {"row_after_s", report.value("row_after_s", Json())},
          {"threshold", result.threshold},
          {"published", result.published},
          {"none", ArraySteps::kNone}};
}

Json json_of(const std::vector<PoorStretch>& stretches) {
  Json json = Json::array();
  for (const auto& stretch : stretches) json.push_back({stretch.from, stretch.to, name_of(stretch.quality)});
  return json;
}

// Returns the number, or null if it is none.
Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

// Returns what the script knows of each lead.
Json leads_json(const StoredResult& result) {
  Json leads = Json::array();
  for (std::int64_t number = 0; number < std::ssize(result.leads); ++number) {
    const StoredLead& lead = result.leads[number];
    leads.push_back({{"name", lead.name},
                     {"unit", result.signal_unit(number)},
                     {"mm_per_unit", paper_scale(result, number).mm_per_unit},
                     {"strip_samples", page_strip_samples(result, number)},
                     {"used", lead.used},
                     {"analysable", or_null(lead.analysable)},
                     {"missing", lead.missing},
                     {"gaps", lead.gaps},
                     {"poor", json_of(lead.poor)}});
  }
  return leads;
}

Json templates_json(const StoredResult& result) {
  Json templates = Json::array();
  for (std::int64_t k = 0; k < std::ssize(result.templates); ++k) {
    const StoredTemplate& its = result.templates[k];
    templates.push_back({{"beat_class", std::string(1, its.beat_class)},
                         {"beats", its.beats},
                         {"share", its.share},
                         {"rate_bpm", number_json(its.rate_bpm)},
                         {"first_s", its.first_s},
                         {"last_s", its.last_s},
                         {"typical", its.typical},
                         {"most_atypical", its.most_atypical},
                         {"paced", its.paced == Chamber::ventricles ? "ventricles" : ""},
                         {"lead", most_telling_lead(result, k)},
                         {"reason", template_reason(result, k)}});
  }
  return templates;
}

// Returns why each beat of the gallery ranks there: the words, which parts make its score, and the parts that no array
// has.
Json reasons_json(const StoredResult& result) {
  Json reasons = Json::array();
  for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k) {
    const std::int64_t beat = result.arrays.strip_beats.values[k];
    const Reason reason = reason_of(result, k);
    reasons.push_back({{"words", reason.words},
                       {"waveform", reason.waveform},
                       {"rhythm", reason.rhythm},
                       {"waveform_part", number_json(waveform_part(result, beat))},
                       {"learned", number_json(result.beats.learned_score[beat])}});
  }
  return reasons;
}

// Returns the summary without what the page does not show: comments in a recording's header may name a person.
Json shown_summary(const StoredResult& result) {
  Json summary = result.summary;
  for (const char* key : {"metadata", "files"}) summary["input"].erase(key);
  summary["run"].erase("input_stamps");
  summary.erase("revision");
  return summary;
}

Json labels_json() {
  Json labels = Json::array();
  for (const EpisodeName& name : episode_names()) labels.push_back({name.label, name.words, name.group});
  return labels;
}

}  // namespace

PackedResult packed_result(const StoredResult& result) {
  PageArrays arrays;
  add_signal(result, arrays);
  add_beats(result, arrays);
  add_waves(result, arrays);
  add_episodes(result, arrays);
  return {arrays.packed.json_parts(), arrays.scales};
}

std::vector<std::string> page_data(const StoredResult& result) {
  PackedResult packed = packed_result(result);
  const PaperScale paper = paper_scale(result);
  Json row_leads = Json::array(), episodes;
  for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k) row_leads.push_back(result.row_lead(k));
  if (result.episodes)
    episodes = {{"labels", texts_of(result, &StoredEpisode::label)},
                {"qualities", texts_of(result, &StoredEpisode::quality)}};
  const Json data = {{"facts", facts(result)},
                     {"summary", shown_summary(result)},
                     {"revision", result.summary.value("revision", Json())},
                     {"config", result.config},
                     {"options", changed_options(result)},
                     {"paper",
                      {{"mm_per_second", paper.mm_per_second},
                       {"samples_per_second", paper.samples_per_second},
                       {"text", paper_text(result)}}},
                     {"leads", leads_json(result)},
                     {"poor", json_of(result.poor)},
                     {"strip_beats", result.arrays.strip_beats.values},
                     {"finding_places", result.arrays.finding_places.values},
                     {"row_leads", row_leads},
                     {"reference_leads", result.reference_leads},
                     {"reasons", reasons_json(result)},
                     {"templates", templates_json(result)},
                     {"labels", labels_json()},
                     {"episodes", episodes},
                     {"pr_beats", beats_with_pr(result)},
                     {"least_measured", kLeastMeasured},
                     {"active_variance", kActiveVariance},
                     {"scales", packed.scales}};
  std::string text = script_safe(text_of(data, -1));
  text.pop_back();  // removes the closing brace, so that the large arrays can be appended without being parsed
  std::vector<std::string> parts{std::move(text), ",\"arrays\":"};
  std::ranges::move(packed.arrays, std::back_inserter(parts));
  parts.push_back("}");
  return parts;
}

}  // namespace beatscan
