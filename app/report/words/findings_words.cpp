#include "app/report/words/findings_words.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_findings.h"
#include "app/report/stored/stored_result.h"
#include "app/report/words/beat_runs.h"
#include "app/report/words/episode_labels.h"
#include "app/report/words/kind_words.h"
#include "app/text/json.h"
#include "app/text/numbers.h"
#include "stages/advisories/limits.h"
#include "stages/common/counted.h"
#include "stages/common/duration.h"

namespace beatscan {
namespace {

// Returns a finding and its stretch, from the first beat to the last.
Finding between_beats(const StoredResult& result, std::string words, std::int64_t first, std::int64_t last) {
  return {std::move(words), result.beat_position(first), result.beat_position(last)};
}

// Says whether most beats of a class are premature.
bool mostly_premature(const BeatTable& beats, char kind) {
  constexpr float kPremature = 0.9f;
  std::int64_t premature = 0, known = 0;
  for (std::int64_t i = 0; i < beats.size(); ++i) {
    if (beats.kind[i] != kind || !std::isfinite(beats.prev_ratio[i])) continue;
    ++known;
    premature += beats.prev_ratio[i] < kPremature;
  }
  return 5 * premature >= 4 * known && premature > 0;
}

std::string kind_in_words(const BeatTable& beats, char kind, std::int64_t count) {
  const std::string noun = by_count(count, " beat");
  if (kind == 'V')
    return grouped(count) + (mostly_premature(beats, kind) ? " premature" : "") + " ventricular" + noun + " (V)";
  return grouped(count) + " supraventricular" + noun + " (S)";
}

// Returns the most typical beat of the largest template of a kind; -1 where it is not known.
std::int64_t typical_beat(const StoredResult& result, char kind) {
  for (const auto& shape : result.templates)
    if (shape.kind == kind && shape.typical >= 0) return shape.typical;
  return -1;
}

// Says how many beats of a class are in poor signal; empty where none is.
std::string poor_words(const BeatTable& beats, char kind) {
  std::int64_t poor = 0, all = 0;
  for (std::int64_t i = 0; i < beats.size(); ++i) {
    all += beats.kind[i] == kind;
    poor += beats.kind[i] == kind && beats.quality[i] != Quality::good;
  }
  if (poor == 0) return "";
  if (poor == 1 && all == 1) return ", in poor signal";
  return (poor == all ? ", all of them" : ", " + grouped(poor) + " of them") + std::string(" in poor signal");
}

Finding kind_finding(const StoredResult& result, char kind) {
  const BeatRuns runs = runs_of(result, kind);
  if (runs.beats == 0) return {};
  const std::string together = runs_words(runs);
  const std::string words = kind_in_words(result.beats, kind, runs.beats) + (together.empty() ? "" : ", " + together) +
                            poor_words(result.beats, kind);
  if (runs.longest_run >= 0) return between_beats(result, words, runs.longest_run, runs.longest_run + runs.longest - 1);
  if (runs.first_couplet >= 0) return between_beats(result, words, runs.first_couplet, runs.first_couplet + 1);
  const auto typical = typical_beat(result, kind), beat = typical >= 0 ? typical : runs.first;
  return between_beats(result, words, beat, beat);
}

// The episodes of one label.
struct LabelSum {
  std::int64_t episodes = 0;
  double seconds = 0, certain = 0;  // certain: seconds times confidence
  const StoredEpisode* longest = nullptr;
};

// Says whether an episode counts as one in good signal. VF and VFL always do: they leave the signal no rest, so that it
// is never good there.
bool is_in_good_signal(const StoredEpisode& episode) {
  return episode.quality.empty() || episode.quality == "good" || episode.label == "VF" || episode.label == "VFL";
}

// Sums those in good signal, or those in poor signal.
LabelSum sum_of(const std::vector<StoredEpisode>& episodes, std::string_view label, bool in_good) {
  LabelSum sum;
  for (const auto& episode : episodes) {
    if (episode.label != label) continue;
    if (is_in_good_signal(episode) != in_good) continue;
    ++sum.episodes;
    sum.seconds += episode.to - episode.from;
    sum.certain += (episode.to - episode.from) * (std::isfinite(episode.confidence) ? episode.confidence : 1);
    if (!sum.longest || episode.to - episode.from > sum.longest->to - sum.longest->from) sum.longest = &episode;
  }
  return sum;
}

// Returns a duration to a tenth of a second.
std::string tenths(double seconds) { return duration(seconds < 60 ? std::round(10 * seconds) / 10 : seconds); }

// Says which share an atrial fibrillation of so many seconds is, of the same time as `af_share` in summary.json.
std::string share_words(double seconds, const StoredResult& result) {
  const double told_s = std::max(fibrillation_told_s(result), seconds), share = seconds / told_s;
  const bool is_all = told_s >= 0.995 * result.length();
  return " (" + (share < 0.1 ? percent(share) : fixed(100 * share, 0) + " %") + " of the " +
         (is_all ? "recording)" : "classified time)");
}

std::string longest_words(const LabelSum& sum) {
  const StoredEpisode& longest = *sum.longest;
  const std::string rate =
      std::isfinite(longest.rate_bpm) ? " at " + fixed(longest.rate_bpm, 0) + " a minute" : std::string();
  if (longest.beats == 0) return tenths(longest.to - longest.from) + rate;
  return grouped(longest.beats, "beat") + rate;
}

// Says that the confidence of episodes is low; empty where it is not.
std::string confidence_words(const LabelSum& sum) {
  const double confidence = sum.seconds > 0 ? sum.certain / sum.seconds : 1;
  return confidence < advisory_limits::kLowConfidence ? ", low confidence (" + fixed(confidence, 2) + ")" : "";
}

// Sums up the episodes of a label in words: short ones by their number, long ones by their time.
std::string label_sum_words(std::string_view label, const LabelSum& sum, const StoredResult& result) {
  const std::string name = label_words(label);
  const std::string times = sum.episodes == 1 ? "" : " " + grouped(sum.episodes) + " times";
  if (label == "PAUSE" || label == "ASYS") {
    const std::string seconds = fixed(sum.longest->to - sum.longest->from, 1) + " s";
    if (sum.episodes == 1) return name + (label == "ASYS" ? " for " : " of ") + seconds;
    return grouped(sum.episodes, "", label == "PAUSE" ? "pauses" : "times asystole") + ", the longest " + seconds;
  }
  if (label == "VT" || label == "SVT" || label == "IVR")
    return name + times + (sum.episodes == 1 ? ", " : ", the longest ") + longest_words(sum);
  return name + times + (sum.episodes == 1 ? " for " : ", in all ") + tenths(sum.seconds) +
         (label == "AFIB" ? share_words(sum.seconds, result) : "");
}

// Returns the longest known interval between beats. It is named only where there is no pause.
Finding longest_interval(const StoredResult& result) {
  const auto& rr = result.beats.rr_next;
  const auto left_out = intervals_in_fibrillation(result);
  std::int64_t longest = -1;
  for (std::int64_t i = 0; i + 1 < result.beats.size(); ++i)
    if (!left_out[i] && std::isfinite(rr[i]) && (longest < 0 || rr[i] > rr[longest])) longest = i;
  if (longest < 0 || !result.rate_hz) return {};
  return between_beats(result, "longest interval between beats " + fixed(rr[longest], 1) + " s", longest, longest + 1);
}

std::int64_t kept_in_good_signal(const BeatTable& beats) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < beats.size(); ++i) count += beats.kept[i] && beats.quality[i] == Quality::good;
  return count;
}

bool has_fibrillation(const StoredResult& result) {
  return result.episodes && std::ranges::count(*result.episodes, "AFIB", &StoredEpisode::label) > 0;
}

double poor_share(const StoredResult& result) {
  double poor = 0;
  for (const auto& stretch : result.poor) poor += stretch.to - stretch.from;
  return poor / result.length();
}

// Adds to a sentence that there is no S or V how many beats are unclassified.
std::string unclassified_words(const StoredResult& result) {
  const auto unknown = std::ranges::count(result.beats.kind, 'Q');
  return unknown == 0 ? "" : ", but " + grouped(unknown) + by_count(unknown, " is", " are") + " unclassified (Q)";
}

// Says how many beats are unclassified, and why; empty where there are none.
std::string unclassified_sentence(const StoredResult& result) {
  std::int64_t unknown = 0, paced = 0;
  for (std::int64_t i = 0; i < result.beats.size(); ++i) {
    if (result.beats.kind[i] != 'Q') continue;
    ++unknown;
    paced += is_paced_shape(result, result.beats.shape[i]);
  }
  if (unknown == 0) return "";
  const std::string all = grouped(unknown, "beat") + by_count(unknown, " is", " are") + " unclassified (Q): ";
  if (paced == 0) return all + by_count(unknown, "a probable artifact.", "probable artifacts.");
  if (paced == unknown) return all + "paced in the ventricles.";
  return all + grouped(paced) + " paced in the ventricles, " +
         grouped(unknown - paced, "probable artifact", "probable artifacts") + ".";
}

// Says how many beats are paced where no other one is S or V; empty where none is.
std::string paced_words(const StoredResult& result) {
  const std::int64_t beats = result.beats.size();
  std::int64_t paced = 0;
  for (std::int64_t i = 0; i < beats; ++i)
    paced += result.beats.kind[i] == 'Q' && is_paced_shape(result, result.beats.shape[i]);
  if (paced == 0) return "";
  if (paced == beats) return "All " + grouped(beats, "beat") + " are paced in the ventricles (Q)";
  return grouped(paced) + " of " + grouped(beats, "beat") +
         " are paced in the ventricles (Q); none of the others is S or V";
}

}  // namespace

double fibrillation_told_s(const StoredResult& result) {
  const Json::json_pointer key("/findings/af/told_s");
  if (!result.summary.contains(key) || !result.summary.at(key).is_number()) return result.length();
  return result.summary.at(key).get<double>();
}

bool tells_fibrillation(const StoredResult& result) {
  return has_fibrillation(result) || (result.episodes && fibrillation_told_s(result) >= kLeastForFibrillation_s);
}

std::string unusual_words(const StoredResult& result) {
  std::int64_t count = 0;
  std::set<std::int16_t> shapes;
  for (std::int64_t i = 0; i < result.beats.size(); ++i) {
    const char kind = result.beats.kind[i];
    if (kind != 'V' && kind != 'S') continue;
    ++count;
    if (result.beats.shape[i] != BeatTable::kNoShape) shapes.insert(result.beats.shape[i]);
  }
  const std::string paced = paced_words(result);
  if (count == 0 && !paced.empty()) return paced;
  if (count == 0) return "None of " + grouped(result.beats.size(), "beat") + " is S or V" + unclassified_words(result);
  const std::string of = shapes.size() > 1 ? ", in " + std::to_string(shapes.size()) + " morphologies" : "";
  return grouped(count) + " of " + grouped(result.beats.size(), "beat") + (count == 1 ? " is" : " are") + " S or V" +
         of;
}

std::vector<Finding> beat_findings(const StoredResult& result) {
  std::vector<Finding> findings;
  for (const char kind : {'V', 'S'})
    if (Finding finding = kind_finding(result, kind); !finding.words.empty()) findings.push_back(std::move(finding));
  return findings;
}

std::vector<Finding> rhythm_findings(const StoredResult& result) {
  std::vector<Finding> findings;
  bool fibrillation = false, pause = false;
  for (const bool in_good : {true, false})
    for (const auto& name : episode_names()) {
      if (!result.episodes || name.group == "signal" || name.label == "V2") continue;  // reported elsewhere
      const LabelSum sum = sum_of(*result.episodes, name.label, in_good);
      if (sum.episodes == 0) continue;
      fibrillation |= name.label == "AFIB";
      pause |= name.group == "pause";
      findings.push_back({(in_good ? "" : "in poor signal: ") + label_sum_words(name.label, sum, result) +
                              (in_good ? confidence_words(sum) : ""),
                          sum.longest->from, sum.longest->to});
    }
  if (!fibrillation && tells_fibrillation(result)) findings.push_back({"no atrial fibrillation found"});
  if (Finding longest = longest_interval(result); !pause && !longest.words.empty())
    findings.push_back(std::move(longest));
  return findings;
}

std::vector<std::string> not_told(const StoredResult& result) {
  std::vector<std::string> sentences;
  const auto good = kept_in_good_signal(result.beats);
  if (good < kFewBeats)
    sentences.push_back("With few beats (" + grouped(good) +
                        " in good signal) the dominant morphology is uncertain: a rhythm that is abnormal "
                        "throughout is taken for normal.");
  if (result.rate_hz && result.length() < kLeastForFibrillation_s && !has_fibrillation(result))
    sentences.push_back("Atrial fibrillation: " + duration(result.length()) +
                        " has too few RR intervals to detect or exclude it.");
  else if (!result.episodes)
    sentences.push_back("The rhythm was not analysed: this result has no episodes.csv.");
  else if (const double share = fibrillation_told_s(result) / result.length(); share < 0.9)
    sentences.push_back("Atrial fibrillation was looked for in " + percent(share) + " of the recording.");
  if (const std::string words = unclassified_sentence(result); !words.empty()) sentences.push_back(words);
  if (const double share = poor_share(result); share >= 0.005)
    sentences.push_back(percent(share) + " of the recording is poor signal and may hide beats and episodes.");
  return sentences;
}

}  // namespace beatscan
