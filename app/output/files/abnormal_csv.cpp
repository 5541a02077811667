#include "app/output/files/abnormal_csv.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/common/numbers.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "app/output/tables/csv_row.h"
#include "app/output/text/rhythm_words.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/one_line.h"
#include "stages/score/scores.h"

namespace beatscan {
namespace {

constexpr const char* kAbnormalColumns =
    "rank,beat,sample,time_s,time_of_day,score,waveform_score,rhythm_score,rr_prev_s,rr_next_s,rr_prev_ratio,"
    "rr_next_ratio,quality,lead,reason,beat_class,template\n";

Quality quality_of(const RunResult& result, std::int64_t beat) {
  return result.scored.ranking ? result.beats.found.quality[beat] : Quality::good;
}

// Returns the rows of the abnormal beats in the order of the table.
std::vector<std::int64_t> abnormal_rows(const RunResult& result) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = 0; row < std::ssize(result.beats.kept); ++row)
    if (result.scored.scores.anomalous[row]) rows.push_back(row);
  const auto key = [&](std::int64_t row) {
    return std::pair(quality_of(result, result.beats.kept[row]) != Quality::good, -result.scored.scores.score[row]);
  };
  std::ranges::stable_sort(rows, {}, key);
  return rows;
}

// Returns the lead in which a beat's shape is most atypical, as text.
std::string shape_words_of(const RunResult& result, std::int64_t row) {
  const auto& leads = result.input.leads;
  const std::size_t lead = result.scored.ranking->lead[row];
  return "atypical" + (leads.size() > 1 && lead < leads.size() ? ", most in " + leads[lead].name : "");
}

// Returns the class of a beat that is S or V with its probability: "class: V (0.98)".
std::string class_words(const RunResult& result, std::int64_t beat) {
  if (!result.findings || result.findings->posteriors.empty()) return "";
  const BeatClass beat_class = result.findings->beat_classes[beat];
  if (beat_class != BeatClass::ventricular && beat_class != BeatClass::supraventricular) return "";
  const int c = beat_class == BeatClass::ventricular ? kClassV : kClassS;
  return std::string("class: ") + letter_of(beat_class) + " (" +
         fixed(result.findings->posteriors[beat * kPosteriorClasses + c], 2) + ")";
}

// Returns why a beat is abnormal, as text: "rhythm: 34 % premature; shape: atypical, most in V1".
std::string reason_in_words(const RunResult& result, std::int64_t row) {
  if (!result.scored.ranking) return "shape: far from what the model decodes";
  const Ranking& ranking = *result.scored.ranking;
  const auto beat = result.beats.kept[row];
  const ScoreParts parts = named_parts(ranking.waveform[row], ranking.rhythm[row]);
  const std::string rhythm = rhythm_words(result.beats.rhythm->prev_ratio[beat], result.beats.rhythm->next_ratio[beat]);
  std::string words;
  const auto add = [&](const std::string& more) { words += (words.empty() ? "" : "; ") + more; };
  if (parts.rhythm) add("rhythm: " + (rhythm.empty() ? "irregular with the beats around it" : rhythm));
  if (parts.waveform) add("shape: " + shape_words_of(result, row));
  if (!parts.rhythm && !rhythm.empty()) add("besides " + rhythm);
  if (const std::string words_of_class = class_words(result, beat); !words_of_class.empty()) add(words_of_class);
  if (quality_of(result, beat) != Quality::good)
    add(std::string("in ") + name_of(quality_of(result, beat)) + " signal");
  return in_one_line(words);
}

// Appends one row. `rank` is 0 for a beat without a rank.
void append_abnormal(const RunResult& result, std::int64_t row, std::int64_t rank, std::string& text) {
  const auto beat = result.beats.kept[row];
  const std::int64_t sample = nearest_sample(result.beats.found.r_peaks[beat]);
  std::optional<double> time_s;
  if (result.input.sample_rate_hz) time_s = static_cast<double>(sample) / *result.input.sample_rate_hz;
  Row line(text);
  rank > 0 ? line.number(rank) : line.empty();
  line.number(beat).number(sample).seconds(time_s);
  line.cell(time_s ? clock_at(result, *time_s) : "");
  line.number(result.scored.scores.score[row]);
  if (const auto& ranking = result.scored.ranking) {
    line.number(ranking->waveform[row]).number(ranking->rhythm[row]);
    line.seconds(interval_s(result, beat - 1)).seconds(interval_s(result, beat));
    line.number_or_empty(result.beats.rhythm->prev_ratio[beat]);
    line.number_or_empty(result.beats.rhythm->next_ratio[beat]);
    line.cell(name_of(quality_of(result, beat))).number(std::int64_t{ranking->lead[row]});
  } else {
    line.empty().empty().seconds(interval_s(result, beat - 1)).seconds(interval_s(result, beat));
    line.empty().empty().empty().empty();
  }
  line.words(reason_in_words(result, row));
  const char beat_class = result.findings ? letter_of(result.findings->beat_classes[beat]) : ' ';
  line.cell(result.findings ? std::string_view(&beat_class, 1) : "");
  if (result.findings && result.findings->templates[beat] >= 0)
    line.number(std::int64_t{result.findings->templates[beat]});
  else
    line.empty();
}

}  // namespace

std::vector<std::string> abnormal_csv_parts(const RunResult& result) {
  constexpr std::int64_t kPartRows = 256;
  const auto ranks = ranks_in_good_signal(result);
  const auto rows = abnormal_rows(result);
  std::vector<std::string> parts(1 + (std::ssize(rows) + kPartRows - 1) / kPartRows);
  parts[0] = kAbnormalColumns;
  parallel_each(Cpu(), std::ssize(parts) - 1, [&](std::int64_t part) {
    const std::int64_t first = part * kPartRows, end = std::min(first + kPartRows, std::ssize(rows));
    for (std::int64_t place = first; place < end; ++place) {
      const std::int64_t rank = result.scored.ranking ? ranks[rows[place]] : place + 1;
      append_abnormal(result, rows[place], rank, parts[part + 1]);
    }
  });
  return parts;
}

}  // namespace beatscan
