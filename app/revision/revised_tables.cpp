#include "app/revision/revised_tables.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "app/common/numbers.h"
#include "app/common/small_csv.h"
#include "app/output/result_facts.h"
#include "app/output/tables/table_csv.h"
#include "app/report/stored/stored_result.h"
#include "stages/rhythm/intervals.h"

namespace beatscan {
namespace {

// The cells of one row, which may be changed by the names of their columns.
class RowCells {
 public:
  RowCells(const TextTable& table, std::string_view row) : table_(table) {
    std::vector<std::string_view> cells;
    split_line(row, ',', cells);
    cells_.assign(cells.begin(), cells.end());
    cells_.resize(table.names.size());
  }
  explicit RowCells(const TextTable& table) : table_(table), cells_(table.names.size()) {}

  void set(std::string_view name, std::string value) {
    if (const auto place = table_.column(name); place < cells_.size()) cells_[place] = std::move(value);
  }
  std::string_view at(std::string_view name) const {
    const auto place = table_.column(name);
    return place < cells_.size() ? std::string_view(cells_[place]) : "";
  }
  void append_to(std::string& text) const {
    for (const auto& cell : cells_) (text += cell) += ',';
  }

 private:
  const TextTable& table_;
  std::vector<std::string> cells_;
};

// Returns the time of day, as the other tables of a result have it; empty where it is not known.
std::string clock_text(const StoredResult& result, double seconds) {
  return result.start ? time_of_day(*result.start, seconds) : "";
}

std::string six_decimals(double seconds) { return fixed(seconds, 6); }

std::string letter_text(BeatClass beat_class) { return {letter_of(beat_class)}; }

// Says whether a beat that a reader gave this class is abnormal; nullopt where its score alone decides.
std::optional<bool> abnormal_flag(BeatClass beat_class) {
  if (beat_class == BeatClass::unknown) return std::nullopt;
  return beat_class != BeatClass::normal;
}

// Says whether the interval to the next beat is the result's, of `before` beats; at the ends, whether the first or the
// last beat is.
bool follows_as_before(const RevisedBeats& revised, std::int64_t before, std::int64_t beat) {
  const auto& origin = revised.origin;
  const std::int64_t last = std::ssize(origin) - 1;
  if (beat < 0) return origin[0] == 0;
  if (beat == last) return origin[last] == before - 1;
  return origin[beat] >= 0 && origin[beat + 1] == origin[beat] + 1;
}

// Returns the seconds to the next beat; nullopt where they are not known.
std::optional<double> interval_seconds(const RhythmBeats& beats, std::int64_t beat) {
  if (beat < 0 || beat >= interval_count(beats) || beats.broken[beat]) return std::nullopt;
  return (std::round(beats.r_peaks[beat + 1]) - std::round(beats.r_peaks[beat])) / beats.sample_rate_hz;
}

// Changes the cells of one row.
struct RowEdit {
  const RevisedBeats& revised;
  const RhythmBeats& view;
  std::int64_t beat;
  RowCells& cells;

  double sample(std::int64_t of) const { return std::round(view.r_peaks[of]); }
  std::string interval_text(std::int64_t of) const {
    const auto seconds = interval_seconds(view, of);
    return seconds ? six_decimals(*seconds) : "";
  }
  void set_interval_before() {
    cells.set("rr_prev_s", interval_text(beat - 1));
    cells.set("rr_prev_ratio", "");
  }
  void set_interval_after() {
    cells.set("rr_next_s", interval_text(beat));
    cells.set("rr_next_ratio", "");
    const bool is_last = beat >= interval_count(view);
    cells.set("length_samples", is_last ? "" : fixed(sample(beat + 1) - sample(beat), 0));
  }
  void set_inserted() {
    cells.set("sample", fixed(sample(beat), 0));
    cells.set("time_s", six_decimals(sample(beat) / view.sample_rate_hz));
    cells.set("r_peak_s", six_decimals(view.r_peaks[beat] / view.sample_rate_hz));
    cells.set("kept", "0");
    cells.set("quality", name_of(revised.rhythm.quality[beat]));
  }
  void set_class() {
    const BeatClass beat_class = view.beat_classes[beat];
    cells.set("beat_class", letter_text(beat_class));
    for (const auto& [name, c] :
         {std::pair{"p_n", kClassN}, {"p_s", kClassS}, {"p_v", kClassV}, {"p_artifact", kClassX}})
      cells.set(name, fixed(view.posteriors[beat * kPosteriorClasses + c], 0));
    if (!revised.has_template[beat]) cells.set("template", "");
    if (const auto flag = abnormal_flag(beat_class); flag && cells.at("kept") == "1")
      cells.set("anomalous", *flag ? "1" : "0");
  }
};

// Splits a row whose cells may be in quotes; these stay.
std::vector<std::string> quoted_cells(std::string_view row) {
  std::vector<std::string> cells(1);
  bool in_quotes = false;
  for (const char c : row) {
    if (c == '"') in_quotes = !in_quotes;
    if (c == ',' && !in_quotes)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

// The place of a row in abnormal.csv: in good signal first, the highest score first.
struct AbnormalRow {
  bool poor = false;
  double score = 0;
  std::string text;
};

// Makes a row of abnormal.csv from one of beats.csv.
std::string abnormal_row(const TextTable& table, const RowCells& beat, const std::string& reason,
                         const StoredResult& result) {
  std::string text;
  const auto time_s = parse_double(beat.at("time_s"));
  for (const auto name : table.names) {
    if (name == "reason")
      text += reason;
    else if (name == "time_of_day")
      text += time_s ? clock_text(result, *time_s) : "";
    else
      text += beat.at(name);
    text += ',';
  }
  text.back() = '\n';
  return text;
}

}  // namespace

TextTable::TextTable(std::string_view text) {
  split_line(take_line(text), ',', names);
  while (!text.empty()) rows.push_back(take_line(text));
}

std::string RevisedRows::header() const {
  std::string text;
  for (const auto name : table_.names) (text += name) += ',';
  return text + "corrected\n";
}

bool RevisedRows::is_newly_noisy(std::int64_t beat) const {
  const std::int64_t origin = revised_.origin[beat];
  return revised_.rhythm.quality[beat] == Quality::noisy &&
         (origin < 0 || result_.beats.quality[origin] != Quality::noisy);
}

void RevisedRows::append(std::int64_t beat, std::string& text) const {
  const std::int64_t origin = revised_.origin[beat], rows = std::ssize(table_.rows);
  const bool before = follows_as_before(revised_, rows, beat - 1), after = follows_as_before(revised_, rows, beat),
             noisy = is_newly_noisy(beat);
  if (!revised_.is_corrected[beat] && before && after && !noisy) {
    const std::string_view row = table_.rows[origin];
    if (origin == beat)
      text += row;
    else
      (text += std::to_string(beat)) += row.substr(std::min(row.find(','), row.size()));
    text += ",\n";
    return;
  }
  RowCells cells = origin < 0 ? RowCells(table_) : RowCells(table_, table_.rows[origin]);
  RowEdit edit{revised_, view_, beat, cells};
  cells.set("beat", std::to_string(beat));
  if (origin < 0) edit.set_inserted();
  if (origin < 0 || !before) edit.set_interval_before();
  if (origin < 0 || !after) edit.set_interval_after();
  if (revised_.is_corrected[beat]) edit.set_class();
  if (noisy) cells.set("quality", name_of(Quality::noisy)), cells.set("rank", "");
  cells.append_to(text);
  text += origin < 0 ? "inserted" : revised_.is_corrected[beat] ? "class" : noisy ? "noise" : "";
  text += '\n';
}

BeatTable revised_beat_table(const StoredResult& result, const RevisedBeats& revised) {
  const BeatTable& from = result.beats;
  const RhythmBeats view = revised.rhythm.view();
  const std::int64_t count = std::ssize(revised.origin);
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  BeatTable to{.has_classes = from.has_classes, .lead_count = from.lead_count};
  const auto take = [&](auto member, auto absent) {
    if ((from.*member).empty()) return;
    auto& column = to.*member;
    column.assign(count, absent);
    for (std::int64_t i = 0; i < count; ++i)
      if (revised.origin[i] >= 0) column[i] = (from.*member)[revised.origin[i]];
  };
  take(&BeatTable::sample, std::int64_t{0});
  take(&BeatTable::kept, std::uint8_t{0});
  take(&BeatTable::anomalous, std::uint8_t{0});
  for (const auto member : {&BeatTable::rr_next, &BeatTable::score, &BeatTable::rhythm_score,
                            &BeatTable::baseline_score, &BeatTable::learned_score, &BeatTable::prev_ratio,
                            &BeatTable::next_ratio, &BeatTable::noise, &BeatTable::latent_x, &BeatTable::latent_y})
    take(member, kNone);
  take(&BeatTable::lead, BeatTable::kNoLead);
  take(&BeatTable::shape, BeatTable::kNoShape);
  take(&BeatTable::waves, WaveTimes());
  to.quality = revised.rhythm.quality;
  to.corrected = revised.is_corrected;
  for (std::int64_t i = 0; i < count; ++i) {
    to.beat_class.push_back(letter_of(view.beat_classes[i]));
    if (revised.origin[i] < 0) to.sample[i] = std::llround(view.r_peaks[i]);
    if (!follows_as_before(revised, from.size(), i - 1)) to.prev_ratio[i] = kNone;
    if (!follows_as_before(revised, from.size(), i)) {
      const auto rr = interval_seconds(view, i);
      to.rr_next[i] = rr ? static_cast<float>(*rr) : kNone;
      to.next_ratio[i] = kNone;
    }
    if (!revised.is_corrected[i]) continue;
    if (!revised.has_template[i]) to.shape[i] = BeatTable::kNoShape;
    if (const auto flag = abnormal_flag(view.beat_classes[i]); flag && to.kept[i]) to.anomalous[i] = *flag;
  }
  return to;
}

std::string revised_abnormal_csv(std::string_view text, const RevisedRows& beats, const StoredResult& result,
                                 const RevisedBeats& revised) {
  const std::string header = beats.header();
  const TextTable table(text), all(header);
  const std::size_t beat_place = table.column("beat"), reason_place = table.column("reason");
  std::map<std::int64_t, std::string> reasons;  // by the result's beat
  for (const auto row : table.rows) {
    const auto cells = quoted_cells(row);
    if (cells.size() == table.names.size()) reasons[parse_int64(cells[beat_place]).value_or(-1)] = cells[reason_place];
  }
  std::vector<AbnormalRow> rows;
  for (std::int64_t beat = 0; beat < std::ssize(revised.origin); ++beat) {
    const std::int64_t origin = revised.origin[beat];
    const bool was_abnormal = origin >= 0 && result.beats.anomalous[origin];
    if (!was_abnormal && !revised.is_corrected[beat]) continue;
    std::string row;
    beats.append(beat, row);
    row.pop_back();
    const RowCells cells(all, row);
    if (cells.at("anomalous") != "1") continue;
    const std::string reason = revised.is_corrected[beat]
                                   ? std::string("class: ") + std::string(cells.at("beat_class")) + " by a reader"
                                   : reasons[origin];
    rows.push_back({cells.at("quality") != name_of(Quality::good), -parse_double(cells.at("score")).value_or(0),
                    abnormal_row(table, cells, reason, result)});
  }
  std::ranges::stable_sort(rows, {}, [](const AbnormalRow& row) { return std::tuple(row.poor, row.score); });
  std::string revised_text(text.substr(0, std::min(text.find('\n') + 1, text.size())));
  for (const auto& row : rows) revised_text += row.text;
  return revised_text;
}

std::string revised_templates_csv(std::string_view text, const StoredResult& result, const RevisedBeats& revised) {
  const TextTable table(text);
  std::vector<std::int64_t> counts(revised.template_classes.size()), now(result.beats.size(), -1);
  std::int64_t kept = 0;
  for (std::int64_t beat = 0; beat < std::ssize(revised.origin); ++beat) {
    const std::int64_t origin = revised.origin[beat];
    if (origin < 0) continue;
    if (revised.has_template[beat]) now[origin] = beat;
    kept += result.beats.kept[origin];
    if (revised.has_template[beat]) ++counts[result.beats.shape[origin]];
  }
  const auto renumbered = [&](std::string_view cell) {
    const auto beat = parse_int64(cell);
    const bool is_there = beat && *beat >= 0 && *beat < std::ssize(now) && now[*beat] >= 0;
    return is_there ? std::to_string(now[*beat]) : std::string();
  };
  std::string revised_text(text.substr(0, std::min(text.find('\n') + 1, text.size())));
  for (std::size_t k = 0; k < std::min(table.rows.size(), counts.size()); ++k) {
    RowCells cells(table, table.rows[k]);
    cells.set("beat_class", letter_text(revised.template_classes[k]));
    cells.set("beats", std::to_string(counts[k]));
    cells.set("share", fixed(static_cast<double>(counts[k]) / static_cast<double>(std::max<std::int64_t>(kept, 1)), 6));
    for (const char* name : {"most_typical_beat", "most_atypical_beat"})
      cells.set(name, renumbered(std::string(cells.at(name))));
    cells.append_to(revised_text);
    revised_text.back() = '\n';
  }
  return revised_text;
}

std::vector<PoorStretch> new_noise(const Corrections& corrections, const std::vector<PoorStretch>& poor,
                                   double length_s) {
  std::vector<TimeSpan> known;
  for (const PoorStretch& its : poor) known.push_back({its.from, its.to});
  std::vector<PoorStretch> added;
  for (const NoiseMark& mark : corrections.noise) {
    const TimeSpan span{mark.from_s, std::min(mark.to_s, length_s)};
    if (span.end <= span.start) continue;
    for (const TimeSpan& part : parts_outside(span, known)) {
      added.push_back({part.start, part.end, Quality::noisy});
      known.push_back(part);
    }
    std::ranges::sort(known, {}, &TimeSpan::start);
  }
  std::ranges::sort(added, {}, &PoorStretch::from);
  return added;
}

std::string revised_quality_csv(const StoredResult& result, const Corrections& corrections) {
  std::string text = "from_s,to_s,quality,lead,time_of_day\n";
  for (std::int64_t l = 0; l < std::ssize(result.leads); ++l) {
    auto stretches = result.leads[l].poor;
    for (const PoorStretch& its : new_noise(corrections, stretches, result.length())) stretches.push_back(its);
    std::ranges::stable_sort(stretches, {}, &PoorStretch::from);
    for (const PoorStretch& its : stretches)
      Row(text)
          .seconds(its.from)
          .seconds(its.to)
          .cell(name_of(its.quality))
          .number(l)
          .cell(clock_text(result, its.from));
  }
  return text;
}

}  // namespace beatscan
