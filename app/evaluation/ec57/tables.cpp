#include "app/evaluation/ec57/tables.h"

#include <algorithm>
#include <utility>

#include "app/common/numbers.h"
#include "stages/common/counted.h"

namespace beatscan::ec57 {
namespace {

using Cells = std::vector<std::string>;

// The mean of each figure, and over how many records.
void set_average(Table& table) {
  table.average = table.gross.figures;
  for (std::size_t i = 0; i < table.average.size(); ++i) {
    double sum = 0;
    int count = 0;
    for (const auto& [name, row] : table.records)
      if (const auto& value = row.figures[i].value) {
        sum += *value;
        ++count;
      }
    table.average[i].value = count > 0 ? std::optional(sum / count) : std::nullopt;
    table.averaged.push_back(count);
  }
}

// Makes a table of one part of the comparisons.
template <class RowOf>
Table table_of(std::string title, std::string key, const std::map<std::string, Comparison>& comparisons,
               const Comparison& gross, RowOf&& row_of) {
  Table table{.title = std::move(title), .key = std::move(key), .gross = row_of(gross)};
  for (const auto& [name, comparison] : comparisons) table.records.push_back({name, row_of(comparison)});
  set_average(table);
  return table;
}

std::string text_of(const Figure& figure) {
  if (!figure.value) return "-";
  return fixed(figure.is_share ? 100 * *figure.value : *figure.value, figure.decimals);
}

Cells cells_of(std::string name, const std::vector<Count>& counts, const std::vector<Figure>& figures) {
  Cells cells = {std::move(name)};
  for (const Count& count : counts) cells.push_back(std::to_string(count.value));
  for (const Figure& figure : figures) cells.push_back(text_of(figure));
  return cells;
}

Cells header_of(const Row& row) {
  Cells cells = {"Record"};
  for (const Count& count : row.counts) cells.push_back(count.heading);
  for (const Figure& figure : row.figures) cells.push_back(figure.heading);
  return cells;
}

// Aligns the first column to the left, and the others to the right.
std::string lines_of(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const Cells& cells : lines)
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i].size());
  std::string text;
  for (const Cells& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(widths[i] - cells[i].size(), ' ');
      text += i == 0 ? cells[i] + padding : "  " + padding + cells[i];
    }
    text += '\n';
  }
  return text;
}

std::string text_of(const Table& table) {
  std::vector<Cells> lines = {header_of(table.gross)};
  for (const auto& [name, row] : table.records) lines.push_back(cells_of(name, row.counts, row.figures));
  lines.push_back(cells_of("Gross", table.gross.counts, table.gross.figures));
  Cells average = cells_of("Average", {}, table.average);
  average.insert(average.begin() + 1, table.gross.counts.size(), "");
  lines.push_back(std::move(average));
  return "\n" + table.title + "\n" + lines_of(lines);
}

std::string matrix_text(const BeatComparison& beats) {
  std::vector<Cells> lines = {{"", "n", "s", "v", "f", "q", "o", "x"}};
  for (const char reference : kPairLabels) {
    Cells& cells = lines.emplace_back(Cells{std::string(1, reference)});
    for (const char test : kPairLabels)
      if (kPairLabels.find(reference) < 5 || kPairLabels.find(test) < 5)
        cells.push_back(std::to_string(beats.at(reference, test)));
  }
  return lines_of(lines);
}

std::string matrix_text(const RunMatrix& matrix) {
  std::vector<Cells> lines = {{"", "0", "1", "2", "3", "4", "5", ">5"}};
  for (std::size_t row = 0; row < matrix.size(); ++row) {
    Cells& cells = lines.emplace_back(Cells{lines.front()[row + 1]});
    for (const std::int64_t count : matrix[row]) cells.push_back(std::to_string(count));
  }
  return lines_of(lines);
}

std::string matrices_text(const Comparison& gross) {
  std::string text = "\nBeats: reference in rows, detected in columns; O: no beat, X: shutdown\n";
  text += matrix_text(gross.beats);
  for (const auto& [name, runs] : {std::pair("V", &gross.v_runs), {"S", &gross.s_runs}}) {
    text += std::string("\nRuns of ") + name + " by length, for sensitivity: reference in rows, detected in columns\n";
    text += matrix_text(runs->sensitivity);
    text += std::string("\nRuns of ") + name + " by length, for +P\n" + matrix_text(runs->ppv);
  }
  return text;
}

}  // namespace

std::vector<Table> tables_of(const std::map<std::string, Comparison>& comparisons) {
  const Comparison gross = gross_of(comparisons);
  const auto make = [&](std::string title, std::string key, auto&& row_of) {
    return table_of(std::move(title), std::move(key), comparisons, gross, row_of);
  };
  return {make("Beat by beat (bxb), percent, RR error in ms", "beats", [](auto& c) { return beat_row(c.beats); }),
          make("Beats missed in shutdown, percent", "shutdown", [](auto& c) { return shutdown_row(c.beats); }),
          make("Runs of V (rxr): couplets, short, long; percent", "runs/V", [](auto& c) { return run_row(c.v_runs); }),
          make("Runs of S (rxr): couplets, short, long; percent", "runs/S", [](auto& c) { return run_row(c.s_runs); }),
          make("Atrial fibrillation (epicmp), percent", "episodes/AF", [](auto& c) { return episode_row(c.af); }),
          make("Ventricular fibrillation (epicmp), percent", "episodes/VF", [](auto& c) { return episode_row(c.vf); }),
          make("Heart rate (mxm), beats a minute", "heart_rate", [](auto& c) { return rate_row(c.heart_rate); })};
}

std::string tables_text(const std::map<std::string, Comparison>& comparisons, double match_window_ms) {
  std::string text = "ANSI/AAMI EC57, " + counted(std::ssize(comparisons), "recording") +
                     ", from 5:00 to the end, match window " + exact(match_window_ms) + " ms\n";
  for (const Table& table : tables_of(comparisons)) text += text_of(table);
  return text + matrices_text(gross_of(comparisons));
}

}  // namespace beatscan::ec57
