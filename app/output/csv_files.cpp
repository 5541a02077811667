#include "app/output/csv_files.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/common/json.h"
#include "app/common/numbers.h"
#include "app/output/output_folder.h"
#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "app/output/summary_text.h"
#include "app/output/tables/table_csv.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/beat_findings.h"
#include "stages/classify/beat_table.h"
#include "stages/common/one_line.h"
#include "stages/common/robust.h"
#include "stages/quality/quality.h"
#include "stages/rhythm/episode.h"
#include "stages/rhythm/episodes.h"
#include "stages/score/scores.h"
#include "stages/waves/wave_summary.h"
#include "stages/waves/waves.h"

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
  if (!result.classes.findings || result.classes.findings->posteriors.empty()) return "";
  const BeatClass beat_class = result.classes.findings->beat_classes[beat];
  if (beat_class != BeatClass::ventricular && beat_class != BeatClass::supraventricular) return "";
  const int c = beat_class == BeatClass::ventricular ? kClassV : kClassS;
  return std::string("class: ") + letter_of(beat_class) + " (" +
         fixed(result.classes.findings->posteriors[beat * kPosteriorClasses + c], 2) + ")";
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
  const char beat_class = result.classes.findings ? letter_of(result.classes.findings->beat_classes[beat]) : ' ';
  line.cell(result.classes.findings ? std::string_view(&beat_class, 1) : "");
  if (result.classes.findings && result.classes.findings->templates[beat] >= 0)
    line.number(std::int64_t{result.classes.findings->templates[beat]});
  else
    line.empty();
}

}  // namespace

std::vector<std::string> abnormal_csv_parts(const RunResult& result, std::string_view only) {
  constexpr std::int64_t kPartRows = 256;
  const auto ranks = ranks_in_good_signal(result);
  auto rows = abnormal_rows(result);
  std::erase_if(rows, [&](std::int64_t row) { return !is_of_classes(result, result.beats.kept[row], only); });
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

std::string episodes_csv(const RhythmBeats& beats, const Episodes& episodes,
                         const std::optional<StartTime>& start_time) {
  std::string text = "start_s,end_s,start_sample,end_sample,label,beats,rate_bpm,confidence,quality,time_of_day\n";
  for (const Episode& episode : episodes.list) {
    const std::int64_t start = std::llround(episode.start), end = std::llround(episode.end);
    const auto rate = rate_of(episode, beats, episodes.hidden);
    Row line(text);
    const double start_s = static_cast<double>(start) / beats.sample_rate_hz;
    line.seconds(start_s);
    line.seconds(static_cast<double>(end) / beats.sample_rate_hz);
    line.number(start).number(end).cell(name_of(episode.label)).number(episode.beats);
    line.cell(rate ? fixed(*rate, 1) : "").cell(fixed(episode.confidence, 3));
    line.cell(name_of(episode.quality)).cell(start_time ? time_of_day(*start_time, start_s) : "");
  }
  return text;
}

std::string features_json(const BeatFeatures& table) {
  Json columns = Json::array();
  for (const FeatureColumn& column : table.columns)
    columns.push_back({{"name", column.name}, {"unit", column.unit}, {"text", column.text}});
  return text_of({{"format", "beatscan features"}, {"version", 1}, {"columns", columns}}) + "\n";
}

void write_features(OutputFolder& folder, const BeatFeatures& table) {
  const std::int64_t width = std::ssize(table.columns), beats = table.beats();
  std::vector<float> by_beat(beats * width);
  for (std::int64_t c = 0; c < width; ++c)
    for (std::int64_t i = 0; i < beats; ++i) by_beat[i * width + c] = table.columns[c].values[i];
  write_npy(folder, "features.npy", by_beat, {beats, width});
  folder.write("features.json", features_json(table));
}

namespace {

// Returns the shape [part][items...] for `part` leads; without the first dimension if the recording has one lead.
std::vector<std::int64_t> by_lead(std::int64_t leads, std::int64_t part, std::vector<std::int64_t> items) {
  if (leads > 1) items.insert(items.begin(), part);
  return items;
}

}  // namespace

void write_arrays(OutputFolder& folder, const RunResult& result) {
  const SavedArrays& arrays = *result.arrays;
  const auto beats = std::ssize(result.beats.kept), leads = std::ssize(result.input.leads),
             cut = leads > 1 ? std::ssize(result.beats.leads) : 1;
  std::vector<std::int64_t> starts, lengths;
  for (const double r_peak : result.beats.found.r_peaks)
    starts.push_back(nearest_sample(r_peak) - result.beats.samples_to_peak);
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) lengths.push_back(starts[i + 1] - starts[i]);
  write_npy(folder, "arrays/signal.npy", arrays.signal, by_lead(leads, leads, {result.input.samples}));
  std::visit([&](const auto& values) { write_npy(folder, "arrays/response.npy", values, {result.input.samples}); },
             arrays.response);
  write_npy(folder, "arrays/starts.npy", starts, {std::ssize(starts)});
  write_npy(folder, "arrays/lengths.npy", lengths, {std::ssize(lengths)});
  write_npy(folder, "arrays/embeddings.npy", arrays.embeddings, by_lead(leads, cut, {beats, result.beats.row_points}));
  write_npy(folder, "arrays/latents.npy", result.scored.rows.latents, by_lead(leads, cut, {beats, latents_of(result)}));
}

std::string quality_csv(const RunResult& result) {
  std::string text = "from_s,to_s,quality,lead,time_of_day\n";
  const auto& leads = result.beats.lead_quality;  // none with method published
  for (std::int64_t l = 0; l < std::ssize(leads); ++l)
    for (const auto& stretch : poor_stretches(leads[l], result.input.samples)) {
      Row line(text);
      const double from_s = static_cast<double>(stretch.first) / *result.input.sample_rate_hz;
      line.seconds(from_s);
      line.seconds(static_cast<double>(stretch.last) / *result.input.sample_rate_hz);
      line.cell(name_of(stretch.kind)).number(l).cell(clock_at(result, from_s));
    }
  return text;
}

std::string generated_csv(const RunResult& result) {
  std::string text;
  {
    Row header(text);
    for (std::int64_t point = 0; point < result.beats.row_points; ++point)
      header.cell(std::string("p") += std::to_string(point));
  }
  for (std::size_t i = 0; i < result.model.training.generated.size();) {
    Row line(text);
    for (std::int64_t point = 0; point < result.beats.row_points; ++point)
      line.number(result.model.training.generated[i++]);
  }
  return text;
}

namespace {

// The intervals before the beats of one template, and the times of its beats.
struct TemplateRow {
  std::vector<double> intervals_s;
  double first = 0, last = 0;  // samples
  bool seen = false;
};

std::vector<TemplateRow> rows_of(const RunResult& result) {
  const Findings& findings = *result.classes.findings;
  const auto& found = result.beats.found;
  std::vector<TemplateRow> rows(findings.groups.size());
  for (std::size_t beat = 0; beat < found.r_peaks.size(); ++beat) {
    if (findings.templates[beat] < 0) continue;
    TemplateRow& row = rows[findings.templates[beat]];
    if (!row.seen) row.first = found.r_peaks[beat];
    row.seen = true;
    row.last = found.r_peaks[beat];
    if (beat > 0 && !found.broken[beat - 1])
      row.intervals_s.push_back((found.r_peaks[beat] - found.r_peaks[beat - 1]) / *result.input.sample_rate_hz);
  }
  return rows;
}

std::string fixed_or_empty(double value, int decimals) { return std::isfinite(value) ? fixed(value, decimals) : ""; }

// The intervals of the beats of one template, ms.
struct TemplateIntervals {
  std::vector<double> pr, qrs, qt, qtc;
};

std::vector<TemplateIntervals> intervals_of_templates(const RunResult& result) {
  std::vector<TemplateIntervals> all(result.classes.findings->groups.size());
  if (!result.waves.beats) return all;
  const auto add = [](std::vector<double>& values, float value) {
    if (!std::isnan(value)) values.push_back(value);
  };
  for (std::int64_t beat = 0; beat < result.waves.beats->beats(); ++beat) {
    if (result.classes.findings->templates[beat] < 0) continue;
    TemplateIntervals& of_template = all[result.classes.findings->templates[beat]];
    const WaveIntervals intervals = wave_intervals(result.waves.beats->fiducials_of(beat));
    add(of_template.pr, intervals.pr);
    add(of_template.qrs, intervals.qrs);
    add(of_template.qt, intervals.qt);
    add(of_template.qtc, result.waves.beats->qtc_ms[beat]);
  }
  return all;
}

// Returns the cells of a template's median intervals, each after a comma.
std::string interval_cells(TemplateIntervals& intervals) {
  std::string cells;
  for (auto* values : {&intervals.pr, &intervals.qrs, &intervals.qt, &intervals.qtc})
    cells += ',' + (values->empty() ? "" : fixed(quantile(*values, 0.5), 1));
  return cells;
}

// Returns the cells of a template's mean beat, each after a comma.
std::string shape_cells(const TemplateShapes& shapes, std::size_t k) {
  if (k >= shapes.typical.size()) return ",,,,";
  return ',' + std::to_string(shapes.typical[k]) + ',' + std::to_string(shapes.most_atypical[k]) + ',' +
         fixed_or_empty(shapes.spread[k], 4) + ',' + fixed_or_empty(shapes.width_ms[k], 1);
}

}  // namespace

std::string templates_csv(const RunResult& result) {
  std::string text =
      "template,beat_class,beats,share,rate_bpm,first_s,last_s,most_typical_beat,most_atypical_beat,spread,width_ms,"
      "first_time_of_day,last_time_of_day,paced,pr_ms,qrs_ms,qt_ms,qtc_ms\n";
  if (!result.classes.findings) return text;
  const double rate_hz = *result.input.sample_rate_hz;
  auto rows = rows_of(result);
  auto intervals = intervals_of_templates(result);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const BeatGroup& group = result.classes.findings->groups[k];
    const double share = static_cast<double>(group.beats) / static_cast<double>(result.beats.kept.size());
    text += std::to_string(k) + ',' + letter_of(group.beat_class) + ',' + std::to_string(group.beats) + ',';
    text += fixed(share, 6) + ',';
    if (!rows[k].intervals_s.empty()) text += fixed(60 / quantile(rows[k].intervals_s, 0.5), 1);
    const double first_s = rows[k].first / rate_hz, last_s = rows[k].last / rate_hz;
    text += ',' + fixed(first_s, 6) + ',' + fixed(last_s, 6);
    text += shape_cells(result.report.templates, k);
    text += ',' + clock_at(result, first_s) + ',' + clock_at(result, last_s) + ',';
    const auto& pacing = result.classes.findings->pacing;
    if (k < pacing.size()) text += name_of(pacing[k].chamber);
    text += interval_cells(intervals[k]) + '\n';
  }
  return text;
}

}  // namespace beatscan
