#include "app/report/words/findings_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/report/sections/findings_html.h"
#include "app/report/stored/stored_findings.h"
#include "app/report/stored/stored_result.h"
#include "app/report/words/beat_runs.h"
#include "app/report/words/kind_words.h"
#include "app/report/words/reasons.h"
#include "kernels/beats/quality_class.h"
#include "stages/findings/chamber.h"

namespace beatscan {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

// Returns a result at 100 Hz with a beat every 0.8 s, of the kinds that the letters tell. A '|' breaks the interval.
StoredResult result_of_kinds(const std::string& letters) {
  StoredResult result;
  result.rate_hz = 100;
  auto& beats = result.beats;
  for (const char letter : letters) {
    if (letter == '|') {
      beats.rr_next.back() = kUnknown;
      continue;
    }
    beats.sample.push_back(80 * std::ssize(beats.sample));
    beats.rr_next.push_back(0.8f);
    beats.kind.push_back(letter);
    beats.shape.push_back(letter == 'V' ? 1 : letter == 'S' ? 2 : letter == 'F' ? 3 : 0);
    beats.prev_ratio.push_back(letter == 'N' ? 1.0f : 0.7f);
  }
  beats.rr_next.back() = kUnknown;
  beats.kept.assign(beats.sample.size(), 1);
  beats.quality.assign(beats.sample.size(), Quality::good);
  beats.has_kinds = true;
  result.templates = {{.kind = 'N'}, {.kind = 'V'}, {.kind = 'S'}, {.kind = 'F'}};
  result.samples = 80 * std::ssize(beats.sample);
  return result;
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::vector<std::string> words_of(const std::vector<Finding>& findings) {
  std::vector<std::string> words;
  for (const auto& finding : findings) words.push_back(finding.words);
  return words;
}

using Words = std::vector<std::string>;

TEST(FindingsWords, ListsJoinTheirParts) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(WaveformPart, IsWhatRhythmAndClassLeave) {
  StoredResult result = result_of_kinds("NVS");
  result.beats.score = {4, 10, 10};
  result.beats.rhythm_score = {1, 2, 2};
  result.beats.learned_score = {NAN, 5, -2};  // a result of another version has none
  EXPECT_EQ((std::vector{waveform_part(result, 0), waveform_part(result, 1), waveform_part(result, 2)}),
            (std::vector<double>{3, 3, 10}));
}

TEST(KindReason, NamesClassAndTiming) {
  const StoredResult result = result_of_kinds("NS");
  EXPECT_EQ(kind_reason(result, 0), "");
  EXPECT_EQ(kind_reason(result, 1), "supraventricular: 30 % premature");
}

TEST(FindingsWords, BeatsStandAloneInCoupletsAndInRuns) {
  const BeatRuns runs = runs_of(result_of_kinds("VNVVNVVVVNVVVNV"), 'V');
  EXPECT_EQ(runs.beats, 11);
  EXPECT_EQ(runs.alone, 2);
  EXPECT_EQ(runs.couplets, 1);
  EXPECT_EQ(runs.runs, 2);
  EXPECT_EQ(runs.longest, 4);
  EXPECT_EQ(runs.first, 0);
  EXPECT_EQ(runs.first_couplet, 2);
  EXPECT_EQ(runs.longest_run, 5);
  EXPECT_EQ(runs_words(runs), "alone, in a couplet and in 2 runs of up to 4");
  EXPECT_EQ(runs_words(runs_of(result_of_kinds("NVVNVVN"), 'V')), "in 2 couplets");
  EXPECT_EQ(runs_words(runs_of(result_of_kinds("NVNVN"), 'V')), "each alone");
  EXPECT_EQ(runs_words(runs_of(result_of_kinds("NVN"), 'V')), "");
  EXPECT_EQ(runs_words(runs_of(result_of_kinds("NN"), 'V')), "");
  EXPECT_EQ(runs_words(runs_of({}, 'V')), "");
}

// The words say what the rows VT and V2 of episodes.csv say: an interval above episodes.longest_rr_s parts a run, and
// so does flutter.
TEST(FindingsWords, RunsAreThoseOfTheEpisodes) {
  StoredResult result = result_of_kinds("NVVVN");
  EXPECT_EQ(runs_of(result, 'V').longest, 3);
  result.beats.rr_next[1] = 3.5f;
  EXPECT_EQ(runs_of(result, 'V').couplets, 1);
  EXPECT_EQ(runs_of(result, 'V').alone, 1);
  result.config = {{"episodes", {{"longest_rr_s", 4}}}};
  EXPECT_EQ(runs_of(result, 'V').longest, 3);
  result.episodes = {{.from = 1.7, .to = 2, .label = "VFL"}};
  EXPECT_EQ(runs_of(result, 'V').couplets, 1);
}

// Beats in fibrillation are no runs of their own, and are told apart. The VF reaches from the third beat to the fifth.
TEST(FindingsWords, BeatsInFibrillationAreToldApart) {
  StoredResult result = result_of_kinds("VNVVVNVVN");
  result.episodes = {{.from = 1.6, .to = 3.2, .label = "VF"}};
  const BeatRuns runs = runs_of(result, 'V');
  EXPECT_EQ(runs.beats, 6);
  EXPECT_EQ(runs.in_fibrillation, 3);
  EXPECT_EQ(runs.longest, 0);
  EXPECT_EQ(runs_words(runs), "alone, in a couplet and 3 of them in ventricular fibrillation or flutter");
  EXPECT_EQ(runs_words(runs_of(result, 'S')), "");
  result.episodes = {{.from = 0, .to = 100, .label = "VFL"}};
  EXPECT_EQ(runs_words(runs_of(result, 'V')), "in ventricular fibrillation or flutter");
}

TEST(FindingsWords, AnUnknownIntervalEndsARun) {
  EXPECT_EQ(runs_words(runs_of(result_of_kinds("NVV|VN"), 'V')), "alone and in a couplet");
}

TEST(FindingsWords, CountEctopicBeats) {
  const auto result = result_of_kinds("NVVVNSNSNNFN");
  EXPECT_EQ(unusual_words(result), "5 of 12 beats are S or V, in 2 morphologies");
  const auto findings = beat_findings(result);
  EXPECT_EQ(words_of(findings),
            (Words{"3 premature ventricular beats (V), in a run of 3", "2 supraventricular beats (S), each alone"}));
  EXPECT_DOUBLE_EQ(findings[0].from, 0.8);  // the run
  EXPECT_DOUBLE_EQ(findings[0].to, 2.4);
  EXPECT_DOUBLE_EQ(findings[1].from, 4);  // the first one, because no most typical beat is known
  EXPECT_EQ(unusual_words(result_of_kinds("NNVN")), "1 of 4 beats is S or V");
  EXPECT_EQ(unusual_words(result_of_kinds("NNNN")), "None of 4 beats is S or V");
  EXPECT_EQ(unusual_words(result_of_kinds("NNQN")), "None of 4 beats is S or V, but 1 is unclassified (Q)");
}

TEST(FindingsWords, VentricularBeatsOnTimeAreNotCalledPremature) {
  auto result = result_of_kinds("NVNVN");
  result.beats.prev_ratio.assign(5, 1);
  EXPECT_EQ(words_of(beat_findings(result)), Words{"2 ventricular beats (V), each alone"});
}

TEST(FindingsWords, TellTheRhythmByItsEpisodes) {
  auto result = result_of_kinds(repeated("N", 1000));  // 800 s
  result.episodes = {{.from = 1, .to = 2.5, .label = "VT", .beats = 5, .rate_bpm = 160},
                     {.from = 10, .to = 11, .label = "VT", .beats = 3, .rate_bpm = 150},
                     {.from = 20, .to = 23.5, .label = "PAUSE", .beats = 2},
                     {.from = 30, .to = 32.1, .label = "PAUSE", .beats = 2},
                     {.from = 100, .to = 300, .label = "AFIB"},
                     {.from = 400, .to = 401, .label = "V2"},
                     {.from = 500, .to = 510, .label = "NOISE"}};
  const auto findings = rhythm_findings(result);
  EXPECT_EQ(words_of(findings),
            (Words{"ventricular tachycardia 2 times, the longest 5 beats at 160 a minute",
                   "2 pauses, the longest 3.5 s", "atrial fibrillation for 3 min 20 s (25 % of the recording)"}));
  result.summary = {{"findings", {{"af", {{"told_s", 400}}}}}};
  EXPECT_EQ(rhythm_findings(result).back().words, "atrial fibrillation for 3 min 20 s (50 % of the classified time)");
  EXPECT_EQ(findings[1].from, 20);
  EXPECT_EQ(findings[1].to, 23.5);
}

// Findings in poor signal are named apart, but fibrillation of the ventricles is not.
TEST(FindingsWords, PoorSignalIsSaid) {
  auto result = result_of_kinds("N" + repeated("N", 998) + "V");
  result.beats.quality.back() = Quality::noisy;
  result.episodes = {{.from = 1, .to = 2.5, .label = "VT", .beats = 5, .rate_bpm = 160, .quality = "good"},
                     {.from = 10, .to = 12, .label = "VT", .beats = 6, .rate_bpm = 150, .quality = "noisy"},
                     {.from = 50, .to = 60, .label = "VF", .quality = "noisy"}};
  result.summary = {{"findings", {{"af", {{"told_s", 0}}}}}};
  EXPECT_EQ(words_of(beat_findings(result)), Words{"1 premature ventricular beat (V), in poor signal"});
  const auto words = words_of(rhythm_findings(result));
  EXPECT_NE(std::ranges::find(words, "ventricular tachycardia, 5 beats at 160 a minute"), words.end());
  EXPECT_NE(std::ranges::find(words, "in poor signal: ventricular tachycardia, 6 beats at 150 a minute"), words.end());
}

TEST(FindingsWords, LowConfidenceIsSaid) {
  auto result = result_of_kinds(repeated("N", 1000));
  result.episodes = {{.from = 10, .to = 20, .label = "VF", .confidence = 0.2},
                     {.from = 30, .to = 40, .label = "VF", .confidence = 0.3},
                     {.from = 100, .to = 300, .label = "AFIB", .confidence = 0.5}};
  const auto words = words_of(rhythm_findings(result));
  EXPECT_EQ(words[0], "ventricular fibrillation 2 times, in all 20 s, low confidence (0.25)");
  EXPECT_EQ(words[1], "atrial fibrillation for 3 min 20 s (25 % of the recording)");
}

TEST(FindingsWords, NoFibrillationIsSaidOnlyWhereItWasLookedFor) {
  auto result = result_of_kinds(repeated("N", 1000));
  result.beats.rr_next[7] = 1.94f;
  EXPECT_EQ(words_of(rhythm_findings(result)), Words{"longest interval between beats 1.9 s"})
      << "there is no episodes.csv";
  result.episodes.emplace();
  EXPECT_EQ(words_of(rhythm_findings(result)),
            (Words{"no atrial fibrillation found", "longest interval between beats 1.9 s"}));
  result.summary = {{"findings", {{"af", {{"told_s", 0}}}}}};
  EXPECT_EQ(words_of(rhythm_findings(result)), Words{"longest interval between beats 1.9 s"});
  EXPECT_EQ(not_told(result), Words{"Atrial fibrillation was looked for in 0 % of the recording."});
  result.summary = {};
  result.samples = 1000;  // 10 s
  EXPECT_EQ(words_of(rhythm_findings(result)), Words{"longest interval between beats 1.9 s"});
}

TEST(FindingsWords, AnIntervalInFibrillationIsNotTheLongest) {
  auto result = result_of_kinds(repeated("N", 1000));
  result.beats.rr_next[7] = 1.94f;
  result.beats.rr_next[100] = 2.5f;
  result.episodes.emplace();
  const double at_s = result.beat_position(100);
  StoredEpisode episode;
  episode.label = "VF";
  episode.from = at_s - 3, episode.to = at_s + 0.1;
  result.episodes->push_back(episode);
  const auto words = words_of(rhythm_findings(result));
  EXPECT_EQ(words.back(), "longest interval between beats 1.9 s");
}

TEST(FindingsWords, SayWhatIsUndetermined) {
  auto result = result_of_kinds(repeated("N", 1000));
  result.episodes.emplace();
  EXPECT_EQ(not_told(result), Words{});
  result.poor = {{0, 80, Quality::noisy}};
  result.beats.kind[3] = 'Q';
  EXPECT_EQ(not_told(result), (Words{"1 beat is unclassified (Q): a probable artifact.",
                                     "10.0 % of the recording is poor signal and may hide beats and episodes."}));
  result.templates.resize(2);
  result.templates[1].paced = Chamber::ventricles;
  result.beats.kind[4] = 'Q', result.beats.shape[4] = 1;
  EXPECT_EQ(not_told(result)[0], "2 beats are unclassified (Q): 1 paced in the ventricles, 1 probable artifact.");
  EXPECT_EQ(kind_reason(result, 4), "paced");
  EXPECT_EQ(unusual_words(result), "1 of 1,000 beats are paced in the ventricles (Q); none of the others is S or V");
  auto few = result_of_kinds("NNNNNNNNNN");
  few.episodes.emplace();
  ASSERT_EQ(not_told(few).size(), 2u);
  EXPECT_TRUE(not_told(few)[0].starts_with("With few beats (10 in good signal)"));
  EXPECT_TRUE(not_told(few)[1].starts_with("Atrial fibrillation: 8 s has too few RR intervals"));
  few.summary = {{"findings", {{"af", {{"told_s", 6}}}}}};
  EXPECT_EQ(not_told(few).size(), 2u);
  few.episodes->emplace_back().label = "AFIB";
  EXPECT_EQ(not_told(few)[1], "Atrial fibrillation was looked for in 75.0 % of the recording.");
}

TEST(FindingsHtml, LinksLeadToTheirStrips) {
  EXPECT_EQ(finding_link({"a <b>"}), "a &lt;b&gt;");
  EXPECT_EQ(finding_link({"a", 1.5, 2}, "V\""),
            "<a class=\"see\" href=\"#recording\" data-from=\"1.500\" data-to=\"2.000\" data-label=\"V&quot;\">a</a>");
  auto result = result_of_kinds("NVNN");
  EXPECT_EQ(
      findings_paragraph(result),
      "<p class=\"headline findings\"><strong>1</strong> of 4 beats is S or V: <a class=\"see\" "
      "href=\"#recording\" data-from=\"0.800\" data-to=\"0.800\">1 premature ventricular beat (V)</a>; <a "
      "class=\"see\" "
      "href=\"#recording\" data-from=\"0.000\" data-to=\"0.800\">longest interval between beats 0.8 s</a>.</p>\n");
  result.beats.has_kinds = false;
  EXPECT_EQ(findings_paragraph(result), "");
  EXPECT_EQ(not_told_entries(result), "");
}

}  // namespace
}  // namespace beatscan
