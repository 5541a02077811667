#include "app/report/stored/beat_table.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "app/common/small_csv.h"
#include "app/output/result_facts.h"
#include "app/output/tables/table.h"
#include "kernels/runtime/parallel.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/from_chars.h"

namespace beatscan {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

// Stores a cell in a row of one of the table's columns.
using Store = void (*)(BeatTable&, std::int64_t row, std::string_view cell);

template <class Number>
Number parsed(std::string_view cell, Number empty) {
  if (cell.empty()) return empty;
  Number value{};
  const auto [stop, error] = from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc::result_out_of_range) return value;  // a divergence may exceed float32: no fault
  if (error != std::errc{} || stop != cell.data() + cell.size()) throw std::invalid_argument(quoted(cell));
  return value;
}

template <auto member>
void store_float(BeatTable& table, std::int64_t row, std::string_view cell) {
  (table.*member)[row] = parsed(cell, kNone);
}
template <auto member>
void store_flag(BeatTable& table, std::int64_t row, std::string_view cell) {
  (table.*member)[row] = cell == "1";
}
template <auto member>
void store_time(BeatTable& table, std::int64_t row, std::string_view cell) {
  table.waves[row].*member = parsed(cell, WaveTimes::kNone);
}
void store_sample(BeatTable& table, std::int64_t row, std::string_view cell) {
  table.sample[row] = parsed<std::int64_t>(cell, 0);
}
void store_quality(BeatTable& table, std::int64_t row, std::string_view cell) {
  for (const Quality poor : kPoorKinds)
    if (cell == name_of(poor)) table.quality[row] = poor;
}

void store_corrected(BeatTable& table, std::int64_t row, std::string_view cell) {
  table.corrected[row] = cell == "class" || cell == "inserted";
}

void keep_lead(BeatTable& table, std::int64_t row, std::int64_t lead) {
  if (table.lead_count > 1 && lead >= 0 && lead < table.lead_count) table.lead[row] = static_cast<std::int16_t>(lead);
}

void store_lead(BeatTable& table, std::int64_t row, std::string_view cell) {
  keep_lead(table, row, parsed<std::int64_t>(cell, -1));
}

void store_class(BeatTable& table, std::int64_t row, std::string_view cell) {
  if (cell.size() == 1 && kClassLetters.find(cell[0]) != kClassLetters.npos) table.beat_class[row] = cell[0];
}

void keep_shape(BeatTable& table, std::int64_t row, std::int64_t shape) {
  if (shape >= 0 && shape < BeatTable::kMostShapes) table.shape[row] = static_cast<std::int16_t>(shape);
}

void store_shape(BeatTable& table, std::int64_t row, std::string_view cell) {
  keep_shape(table, row, parsed<std::int64_t>(cell, -1));
}

// Takes the cells of a whole column from a table in memory. They are what would be read back from its text.
using Load = void (*)(BeatTable&, const Cells& cells);

template <auto member>
void load_float(BeatTable& table, const Cells& cells) {
  auto& column = table.*member;
  if (const auto* floats = std::get_if<Floats>(&cells)) column = floats->values;
  // No number of microseconds is so near to the middle between two float32 that rounding to float64 first changes it.
  if (const auto* times = std::get_if<Seconds>(&cells))
    std::ranges::transform(times->microseconds, column.begin(), [](std::int64_t microseconds) {
      return microseconds == kNoInteger ? kNone : static_cast<float>(static_cast<double>(microseconds) / 1e6);
    });
  if (const auto* whole = std::get_if<Integers>(&cells))
    std::ranges::transform(whole->values, column.begin(),
                           [](std::int64_t value) { return value == kNoInteger ? kNone : static_cast<float>(value); });
}
template <auto member>
void load_flag(BeatTable& table, const Cells& cells) {
  std::ranges::transform(std::get<Flags>(cells).values, (table.*member).begin(), [](auto flag) { return flag == 1; });
}
template <auto member>
void load_time(BeatTable& table, const Cells& cells) {
  const auto& times = std::get<Seconds>(cells).microseconds;
  for (std::int64_t row = 0; row < std::ssize(times); ++row)
    if (times[row] != kNoInteger) table.waves[row].*member = static_cast<double>(times[row]) / 1e6;
}
void load_sample(BeatTable& table, const Cells& cells) { table.sample = std::get<Integers>(cells).values; }

// Calls store(row, number) for each cell that has one.
void each_integer(const Cells& cells, auto&& store) {
  const auto& values = std::get<Integers>(cells).values;
  for (std::int64_t row = 0; row < std::ssize(values); ++row)
    if (values[row] != kNoInteger) store(row, values[row]);
}
void load_lead(BeatTable& table, const Cells& cells) {
  each_integer(cells, [&](std::int64_t row, std::int64_t lead) { keep_lead(table, row, lead); });
}
void load_shape(BeatTable& table, const Cells& cells) {
  each_integer(cells, [&](std::int64_t row, std::int64_t shape) { keep_shape(table, row, shape); });
}
template <Store store>
void load_words(BeatTable& table, const Cells& cells) {
  const auto& words = std::get<Words>(cells);
  for (std::int64_t row = 0; row < std::ssize(words.places); ++row)
    if (words.places[row] != kNoWord) store(table, row, words.list[words.places[row]]);
}

struct Named {
  std::string name;
  Store store;
  Load load;
};

template <auto member>
Named floats(std::string name) {
  return {std::move(name), store_float<member>, load_float<member>};
}

template <auto member>
Named times(std::string name) {
  return {std::move(name), store_time<member>, load_time<member>};
}

// The columns that give the places of P, QRS and T waves.
std::vector<Named> wave_time_columns() {
  return {times<&WaveTimes::p_onset>("p_onset_s"), times<&WaveTimes::p_peak>("p_peak_s"),
          times<&WaveTimes::p_end>("p_end_s"),     times<&WaveTimes::qrs_onset>("qrs_onset_s"),
          times<&WaveTimes::qrs_end>("qrs_end_s"), times<&WaveTimes::t_peak>("t_peak_s"),
          times<&WaveTimes::t_end>("t_end_s")};
}

bool is_wave_column(std::string_view name) {
  return std::ranges::any_of(wave_time_columns(), [&](const Named& column) { return column.name == name; });
}

std::vector<Named> wanted_columns(bool rate_known, LatentPair latents) {
  std::vector<Named> wanted = {{"sample", store_sample, load_sample},
                               floats<&BeatTable::rr_next>(rate_known ? "rr_next_s" : "length_samples"),
                               {"kept", store_flag<&BeatTable::kept>, load_flag<&BeatTable::kept>},
                               {"anomalous", store_flag<&BeatTable::anomalous>, load_flag<&BeatTable::anomalous>},
                               floats<&BeatTable::score>("score"),
                               floats<&BeatTable::rhythm_score>("rhythm_score"),
                               floats<&BeatTable::baseline_score>("baseline_score"),
                               floats<&BeatTable::learned_score>("learned_score"),
                               floats<&BeatTable::prev_ratio>("rr_prev_ratio"),
                               floats<&BeatTable::next_ratio>("rr_next_ratio"),
                               floats<&BeatTable::noise>("noise"),
                               {"quality", store_quality, load_words<store_quality>},
                               {"corrected", store_corrected, load_words<store_corrected>},
                               {"lead", store_lead, load_lead},
                               {"beat_class", store_class, load_words<store_class>},
                               {"template", store_shape, load_shape},
                               floats<&BeatTable::latent_x>("latent_" + std::to_string(latents.x)),
                               floats<&BeatTable::latent_y>("latent_" + std::to_string(latents.y))};
  std::ranges::copy(wave_time_columns(), std::back_inserter(wanted));
  return wanted;
}

constexpr std::string_view kNeeded[] = {"sample", "kept", "score", "anomalous"};

// Returns what stores the cells of each column, in the file's order. A column that the page does not use has nothing.
std::vector<std::vector<Store>> stores_for(const std::filesystem::path& path, std::string_view header, bool rate_known,
                                           LatentPair latents) {
  const auto wanted = wanted_columns(rate_known, latents);
  std::vector<std::vector<Store>> stores;
  std::vector<std::string_view> missing(std::begin(kNeeded), std::end(kNeeded));
  std::vector<std::string_view> names;
  split_line(header, ',', names);
  for (const auto name : names) {
    stores.emplace_back();
    for (const auto& column : wanted)
      if (column.name == name) stores.back().push_back(column.store);
    std::erase(missing, name);
  }
  if (!missing.empty()) fail_at_line(path, 1, "the header has no column " + quoted(missing[0]));
  return stores;
}

void resize(BeatTable& table, std::int64_t beats, bool has_waves) {
  if (has_waves) table.waves.resize(beats);
  table.sample.resize(beats);
  table.kept.resize(beats);
  table.anomalous.resize(beats);
  table.corrected.resize(beats);
  table.quality.resize(beats, Quality::good);
  table.lead.resize(beats, BeatTable::kNoLead);
  table.beat_class.resize(beats, BeatTable::kNoClass);
  table.shape.resize(beats, BeatTable::kNoShape);
  for (auto* column : {&table.rr_next, &table.score, &table.rhythm_score, &table.baseline_score, &table.learned_score,
                       &table.prev_ratio, &table.next_ratio, &table.noise, &table.latent_x, &table.latent_y})
    column->resize(beats, kNone);
}

void note_classes(BeatTable& table) {
  table.has_classes =
      std::ranges::any_of(table.beat_class, [](char beat_class) { return beat_class != BeatTable::kNoClass; });
}

void parse_line(std::string_view line, std::int64_t row, const std::vector<std::vector<Store>>& stores,
                BeatTable& table) {
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t column = 0; column < stores.size(); ++column) {
    const bool last = column + 1 == stores.size();
    const auto* comma = at <= end ? static_cast<const char*>(std::memchr(at, ',', end - at)) : nullptr;
    if (at > end || last != (comma == nullptr))
      throw std::invalid_argument("not " + std::to_string(stores.size()) + " cells as in the header");
    const char* const stop = last ? end : comma;
    for (const Store store : stores[column]) store(table, row, {at, static_cast<std::size_t>(stop - at)});
    at = stop + 1;
  }
}

// Cuts the text at line ends into about `parts` equal pieces. Returns where each piece starts, and the text's end.
std::vector<std::size_t> cuts(std::string_view text, std::int64_t parts) {
  std::vector<std::size_t> starts{0};
  for (std::int64_t part = 1; part < parts; ++part) {
    const auto at = text.find('\n', text.size() * part / parts);
    if (at != text.npos && at + 1 > starts.back()) starts.push_back(at + 1);
  }
  starts.push_back(text.size());
  return starts;
}

void parse_part(const std::filesystem::path& path, std::string_view part, std::int64_t row,
                const std::vector<std::vector<Store>>& stores, BeatTable& table) {
  for (; !part.empty(); ++row) {
    const auto length = std::min(part.find('\n'), part.size());
    try {
      parse_line(part.substr(0, length), row, stores, table);
    } catch (const std::invalid_argument& error) {
      fail_at_line(path, row + 2, std::string(error.what()) + "; run the analysis again");
    }
    part.remove_prefix(std::min(length + 1, part.size()));
  }
}

}  // namespace

float BeatTable::rr_prev(std::int64_t beat) const { return beat > 0 ? rr_next[beat - 1] : kNone; }

BeatTable beat_table_of(const Table& beats, bool rate_known, LatentPair latents, std::int64_t lead_count) {
  BeatTable table;
  table.lead_count = lead_count;
  resize(table, beats.rows,
         std::ranges::any_of(beats.columns, [](const Column& column) { return is_wave_column(column.name); }));
  const auto wanted = wanted_columns(rate_known, latents);
  for (const Column& column : beats.columns)
    for (const Named& named : wanted)
      if (named.name == column.name) named.load(table, column.cells);
  note_classes(table);
  return table;
}

BeatTable parse_beat_table(std::string_view text, const std::filesystem::path& path, bool rate_known,
                           LatentPair latents, std::int64_t lead_count) {
  const auto header_end = std::min(text.find('\n'), text.size());
  const auto header = text.substr(0, header_end);
  const auto stores = stores_for(path, header, rate_known, latents);
  std::vector<std::string_view> names;
  split_line(header, ',', names);
  text.remove_prefix(std::min(header_end + 1, text.size()));

  constexpr std::int64_t kPartBytes = 1 << 18;
  const auto starts = cuts(text, std::ssize(text) / kPartBytes + 1);
  const auto parts = std::ssize(starts) - 1;
  std::vector<std::int64_t> rows(parts + 1);
  parallel_each(Cpu(), parts, [&](std::int64_t i) {
    rows[i + 1] = std::count(text.begin() + starts[i], text.begin() + starts[i + 1], '\n');
  });
  for (std::int64_t i = 0; i < parts; ++i) rows[i + 1] += rows[i];
  BeatTable table;
  table.lead_count = lead_count;
  resize(table, rows.back() + (!text.empty() && text.back() != '\n'), std::ranges::any_of(names, is_wave_column));
  parallel_each(Cpu(), parts, [&](std::int64_t i) {
    parse_part(path, text.substr(starts[i], starts[i + 1] - starts[i]), rows[i], stores, table);
  });
  note_classes(table);
  return table;
}

}  // namespace beatscan
