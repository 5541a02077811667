// The first section: what was found, and what the reader must beware of.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/drawing/html.h"
#include "app/report/sections/findings_html.h"
#include "app/report/sections/page.h"
#include "app/report/words/abnormal_counts.h"
#include "app/result/result_facts.h"
#include "app/result/words/advisories.h"
#include "app/text/numbers.h"
#include "stages/common/counted.h"

namespace beatscan {
namespace {

std::string median_rate(const StoredResult& result) {
  const Json& beats = result.summary.at("beats");
  const Json rate = beats.value("median_a_minute", Json());
  if (!rate.is_number()) return grouped(beats.at("kept").get<std::int64_t>()) + " have a score";
  return fixed(rate.get<double>(), 0) + " a minute (median)";
}

// Tells the clock when the recording begins; empty where it is not known.
std::string start_words(const StoredResult& result) {
  if (!result.start) return "";
  const Json& start = result.summary.at("input").at("start");
  const auto text = [&](const char* before, const char* key) {
    const Json value = start.value(key, Json());
    return value.is_string() ? before + escaped(value.get<std::string>()) : "";
  };
  const std::string zone = text(" ", "zone");
  return ", from " + result.day_time(0) + (zone == " Z" ? " UTC" : zone) + text(" on ", "date");
}

Tile duration_tile(const StoredResult& result) {
  const std::string samples = grouped(result.samples, "sample");
  if (!result.rate_hz) return {grouped(result.samples), "Samples", "no sampling rate given"};
  return {duration(result.length()), "Duration",
          samples + " at " + significant(*result.rate_hz, 6) + " Hz" + start_words(result)};
}

Tile abnormal_tile(const AbnormalCounts& counts) {
  std::string detail =
      percent(static_cast<double>(counts.abnormal_good) / static_cast<double>(std::max<std::int64_t>(counts.good, 1))) +
      " of the scored beats" + (counts.poor > 0 ? " in good signal" : "");
  if (counts.abnormal_poor > 0) detail += "; " + grouped(counts.abnormal_poor) + " more in poor signal";
  return {grouped(counts.abnormal_good), "Abnormal beats", detail, counts.abnormal_good > 0 ? "abnormal" : ""};
}

Tile analysable_tile(const StoredResult& result) {
  const Json& quality = result.summary.at("quality");
  if (!quality.is_object()) return {"–", "Analysable signal", "not analysed by the published method"};
  std::string detail;
  for (const Quality kind : kPoorKinds)
    if (const double share = quality.value(std::string(name_of(kind)) + "_share", 0.0); share > 0)
      detail += (detail.empty() ? "" : ", ") + percent(share) + " " + name_of(kind);
  if (detail.empty()) detail = "no poor stretches";
  if (result.several_leads()) detail = "good in any of " + std::to_string(result.leads.size()) + " leads; " + detail;
  return {percent(quality.at("analysable_share").get<double>()), "Analysable signal", detail};
}

std::string drop_reasons(const Json& dropped) {
  std::string text;
  for (const auto& [key, words] : {std::pair{"too_short", "too short"},
                                   {"too_long", "too long"},
                                   {"in_gap", "touch missing samples"},
                                   {"last", "is the last beat, whose end is unknown"}})
    if (const auto count = dropped.value(key, std::int64_t{0}); count > 0)
      text += (text.empty() ? "" : ", ") + grouped(count) + " " + words;
  return text;
}

std::string rate_note(const StoredResult& result) {
  if (!result.rate_hz) return "No sampling rate was given. So positions are in samples, and there is no heart rate.";
  const Json& source = result.summary.at("run").value("sample_rate_source", Json());
  const std::string from = source.is_string() ? source.get<std::string>() : "configuration",
                    rate = significant(*result.rate_hz, 6) + " Hz";
  if (from == "model")
    return rate +
           " is the rate of the recording that the model was trained on. It is a guess, because this recording "
           "does not specify its own.";
  if (from == "time column") return rate + ", from the times in the file.";
  return rate + ", from the " + escaped(from) + ". If it is wrong, all times and heart rates are wrong too.";
}

// Tells what is missing in the leads; empty where nothing is.
std::string gaps_note(const StoredResult& result) {
  const auto words = [](std::int64_t samples, std::int64_t gaps, const std::string& where) {
    return grouped(samples, "sample") + " " + where + by_count(samples, "is", "are") + " missing in " +
           grouped(gaps, "gap");
  };
  std::string text;
  if (result.several_leads()) {
    for (const auto& lead : result.leads)
      if (lead.missing > 0)
        text += (text.empty() ? "" : "; ") + words(lead.missing, lead.gaps, "of " + escaped(lead.name) + " ");
  } else if (const Json& missing = result.summary.at("input").at("missing");
             missing.at("samples").get<std::int64_t>() > 0) {
    text = words(missing.at("samples").get<std::int64_t>(), missing.at("gaps").get<std::int64_t>(), "");
  }
  return text.empty() ? "" : text + ". The analysis puts straight lines in their place; drawings leave out long ones.";
}

// Returns the warnings and, after them, notes.
std::string notes(const StoredResult& result) {
  const Json& summary = result.summary;
  std::string html;
  const auto add = [&](const char* css, const char* word, const std::string& text) {
    html += std::string("<li class=\"") + css + "\"><strong>" + word + "</strong> " + text + "</li>\n";
  };
  for (const Json& entry : summary.value("advisories", Json::array()))
    add(entry.at("severity").get<std::string>() == "info" ? "note" : "warning", "Advisory",
        escaped(advisory_text(entry)));
  for (const Json& warning : summary.value("warnings", Json::array()))  // of an earlier version
    add("warning", "Advisory", escaped(warning.get<std::string>()));
  if (const auto gaps = gaps_note(result); !gaps.empty()) add("warning", "Gaps", gaps);
  if (const auto reasons = drop_reasons(summary.at("beats").at("dropped")); !reasons.empty())
    add("note", "Dropped beats", reasons + ".");
  const Json& diagnosis = summary.at("model").at("diagnosis");
  if (const std::string why = result.why_no_model(); !why.empty())
    add("note", "Model",
        "No model was trained: " + escaped(why) + ". Scores are those of rhythm, shape and class of a beat.");
  else if (diagnosis.at("collapsed").get<bool>() && !result.published)
    add("note", "Model",
        "The model explains no more than the median beat, so the ranking rests on the other distances.");
  html += not_told_entries(result);
  const bool guessed = summary.at("run").value("sample_rate_source", Json()) == "model";
  add(guessed ? "warning" : "note", "Sampling rate", rate_note(result));
  return "<ul class=\"notes\">\n" + html + "</ul>\n";
}

// Says how many beats in poor signal are abnormal; empty where none is.
std::string poor_headline(const StoredResult& result, const AbnormalCounts& counts) {
  if (counts.abnormal_poor == 0) return "";
  const Json& quality = result.summary.at("quality");
  const double share = quality.is_object() ? 1 - quality.at("analysable_share").get<double>() : 0;
  return " " + grouped(counts.abnormal_poor) + " more in poor signal (" + percent(share) + " of the recording" +
         (result.several_leads() ? ", in all leads" : "") + ").";
}

std::string headline(const StoredResult& result, const AbnormalCounts& counts) {
  const auto count = counts.abnormal_good;
  const std::string of = " of " + grouped(counts.good, "scored beat") + (counts.poor > 0 ? " in good signal" : "");
  const std::string above =
      " above " + significant(result.threshold, 4) + "." + kinds_sentence(counts) + poor_headline(result, counts);
  if (counts.good == 0) return "No scored beat is in good signal." + poor_headline(result, counts);
  if (count == 0) return "None" + of + " is abnormal by score: no score is" + above;
  if (count == 1) return "<strong>One</strong>" + of + " is abnormal by score: its score is" + above;
  return "<strong>" + grouped(count) + "</strong>" + of + " are abnormal by score: their scores are" + above;
}

}  // namespace

void add_verdict(Page& page) {
  const StoredResult& result = page.result;
  const AbnormalCounts counts(result.beats);
  page.open_section("verdict", "Verdict", "Verdict");
  const std::string findings = findings_paragraph(result);
  page.html +=
      findings + "<p class=\"" + (findings.empty() ? "headline" : "lead") + "\">" + headline(result, counts) + "</p>\n";
  const auto found = result.summary.at("beats").at("found").get<std::int64_t>();
  page.html += tiles_html({{grouped(found), "Beats", median_rate(result)},
                           duration_tile(result),
                           abnormal_tile(counts),
                           analysable_tile(result)});
  page.html +=
      notes(result) +
      "<p class=\"research\">For research use only: this page is not a diagnosis, and the program is not a medical "
      "device.</p>\n";
  page.close_section();
}

}  // namespace beatscan
