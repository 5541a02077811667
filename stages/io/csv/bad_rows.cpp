#include "stages/io/csv/bad_rows.h"

#include <algorithm>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/one_line.h"
#include "stages/io/csv/csv_lines.h"

namespace beatscan {
namespace {

bool is_number(std::string_view cell) { return parse_cell(cell.begin(), cell.end()).kind == CellKind::number; }

std::string shown(std::string_view cell) {
  while (cell.ends_with('\r')) cell.remove_suffix(1);
  return "'" + in_one_line(std::string(cell.substr(0, 40))) + (cell.size() > 40 ? "…'" : "'");
}

// Returns whether a cell of a file of one column holds numbers with blanks between them.
bool has_columns_between_blanks(std::string_view cell, const CsvLayout& layout) {
  const auto blank = cell.find_first_of(" \t", std::min(cell.find_first_not_of(" \t"), cell.size()));
  return layout.columns == 1 && blank != cell.npos && is_number(cell.substr(0, blank));
}

// Asks about another format of the table. The first row is like those that follow: if a later one is bad, the format
// is right.
std::string hint(std::string_view cell, const CsvHeader& header, bool is_first) {
  const CsvLayout& layout = header.layout;
  if (header.edits.decimal_commas)
    return cell.find('.') == cell.npos ? "" : " (a decimal point? this file has decimal commas)";
  if (!is_first) return "";
  if (has_decimal_comma(cell)) return " (a decimal comma? --set ingest.decimal=,)";
  if (has_columns_between_blanks(cell, layout)) return " (columns between blanks? --set 'ingest.delimiter= ')";
  return "";
}

// Returns the place of the time in a row whose time is bad.
ParsedRow time_cell(const CsvHeader& header, const char* first, const char* last) {
  CsvLayout layout = header.layout;
  layout.column = header.time_column;
  ParsedRow row = parse_row(first, last, layout);
  if (row.fault == RowFault::none && row.missing) return row;  // a missing time is no bad one
  row.fault = RowFault::not_a_time;
  return row;
}

// Describes the fault of a row. `place` is the text of the cell, or of the row, as the file has it.
std::string description(const ParsedRow& row, std::string_view place, const CsvHeader& header, bool is_first) {
  const CsvLayout& layout = header.layout;
  switch (row.fault) {
    case RowFault::not_a_number:
      return shown(place) + " is not a number" + hint(place, header, is_first);
    case RowFault::out_of_range:
      return shown(place) + " is out of float32's range";
    case RowFault::too_few_cells:
    case RowFault::too_many_cells:
      return counted(row.cells, "cell") + " where the first line has " + std::to_string(layout.columns) +
             (layout.columns == 1 ? hint(place, header, is_first) : "");
    case RowFault::open_quote:
      return "a quote is not closed before the line ends: " + shown(place);
    case RowFault::not_a_time:
      return shown(place) + " is not a time like those before";
    case RowFault::none:
      break;
  }
  return "internal error: this row is good";
}

}  // namespace

void RowFinder::add(const TextReader::Chunk& chunk, std::int64_t first_row) {
  chunks_.push_back({first_row, chunk.first_byte, chunk.first_byte + std::ssize(chunk.text)});
}

BadRow RowFinder::find(std::int64_t row, RowFault known) const {
  const Chunk& chunk = *std::prev(std::ranges::upper_bound(chunks_, row, {}, &Chunk::first_row));
  std::vector<char> text(static_cast<std::size_t>(chunk.end_byte - chunk.first_byte));
  text.resize(static_cast<std::size_t>(file_.read(chunk.first_byte, text)));
  const std::string as_written(text.begin(), text.end());
  if (header_.edits.any()) header_.edits(text);
  const char *first = text.data(), *end = first + text.size();
  for (std::int64_t i = chunk.first_row; i < row && first < end; ++i) first = std::find(first, end, '\n') + 1;
  ParsedRow parsed{};
  if (first <= end && known == RowFault::not_a_time)
    parsed = time_cell(header_, first, std::find(first, end, '\n'));
  else if (first <= end)
    parsed = first_fault(header_, first, std::find(first, end, '\n'));
  if (parsed.fault == RowFault::none) file_.throw_changed();
  const auto at = parsed.first - text.data();
  const auto place = std::string_view(as_written).substr(static_cast<std::size_t>(at), parsed.last - parsed.first);
  return {header_.first_line + row, chunk.first_byte + at,
          description(parsed, place, header_, row == 0) + hint_of_table(row)};
}

// Asks about lines before the table if the first rows are bad, and later ones look like another table.
std::string RowFinder::hint_of_table(std::int64_t row) const {
  const std::int64_t line = header_.may_begin_at;
  if (line <= header_.first_line + row) return "";
  return " (lines before the table? --set ingest.skip_lines=" + std::to_string(line - 1) + ")";
}

BadRows RowFinder::find_all(std::span<const RowFault> faults) const {
  BadRows bad;
  for (std::size_t row = 0; row < faults.size(); ++row)
    if (faults[row] != RowFault::none && bad.count++ < kNamedBadRows)
      bad.first.push_back(find(static_cast<std::int64_t>(row), faults[row]));
  return bad;
}

void RowFinder::throw_bad_row(std::int64_t row) const {
  const BadRow bad = find(row);
  // If the message on the first row has a hint, the other rows will be like that row, so that on_bad would not help.
  const bool hinted = row == 0 && bad.what.ends_with(')');
  fail(ErrorKind::input, file_.path().string() + ":" + std::to_string(bad.line),
       "byte " + std::to_string(bad.byte) + ": " + bad.what +
           (hinted ? "" : "; --set ingest.on_bad=nan (or skip) goes on without it"));
}

}  // namespace beatscan
