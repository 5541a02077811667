// kernels/csv/csv.h — one column of delimited text to float32: find the lines first, parse the cells second.
//
// A text is a run of whole lines without the last line's end: rows = number of '\n' + 1, and a row is what lies between
// two '\n'. (CR before LF is a blank, which a cell passes over.) A delimiter inside double quotes does not count; a
// line end always ends the row.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "kernels/csv/decimal.h"
#include "kernels/runtime/context.h"

namespace beatscan {

struct CsvLayout {
  char delimiter = ',';
  int column = 0;   // which cell of a row is read, from 0
  int columns = 1;  // cells that every row must have
};

// What texts held beside numbers.
struct CsvFindings {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t first_bad_row = kNone;
  std::int64_t missing = 0, bad = 0;  // rows; a bad one is not missing
};

enum class RowFault : std::uint8_t { none, not_a_number, out_of_range, too_few_cells, too_many_cells, open_quote };

// The value of a bad row is a NaN that says what is wrong with it: so a bad row is found again, and told from one whose
// value is missing, without a list of them.
BEATSCAN_HOST_DEVICE inline float bad_value(RowFault fault) {
  const std::uint32_t bits = 0x7fcbad00u | static_cast<std::uint32_t>(fault);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
// Of a value by parse_column; none where it is a number or missing.
inline RowFault fault_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0xffffff00u) == 0x7fcbad00u ? static_cast<RowFault>(bits & 0xff) : RowFault::none;
}

struct ParsedRow {
  RowFault fault;
  bool missing;
  float value;               // NaN unless a number
  const char *first, *last;  // the cell that was read, or where the fault lies
  int cells;                 // cells seen
};

// A row of which nothing is known, cell by cell.
BEATSCAN_FEW_CELLS BEATSCAN_HOST_DEVICE inline ParsedRow parse_cells(const char* first, const char* last,
                                                                     CsvLayout layout, const char* limit) {
  const char *cell_first = first, *cell_last = last;
  int cells = 0;
  const char* begin = first;
  for (const char* c = first;; ++c) {
    if (c != last && *c == '"') {
      const char* opened = c++;
      while (c != last && *c != '"') ++c;
      if (c == last) return {RowFault::open_quote, false, NAN, opened, last, cells + 1};
    } else if (c == last || *c == layout.delimiter) {
      if (cells == layout.column) {
        cell_first = begin;
        cell_last = c;
      }
      ++cells;
      begin = c + 1;
      if (c == last) break;
    }
  }
  if (cells < layout.columns) return {RowFault::too_few_cells, false, NAN, first, last, cells};
  if (cells > layout.columns) return {RowFault::too_many_cells, false, NAN, first, last, cells};
  const Cell cell = parse_cell(cell_first, cell_last, limit);
  const auto fault = cell.kind == CellKind::bad            ? RowFault::not_a_number
                     : cell.kind == CellKind::out_of_range ? RowFault::out_of_range
                                                           : RowFault::none;
  return {fault, cell.kind == CellKind::missing, cell.value, cell_first, cell_last, cells};
}

// One row of text, without its line end. The definition that both back ends share, and what names a fault for people.
// What lies from `last` up to `limit` may be read and does not matter.
BEATSCAN_HOST_DEVICE inline ParsedRow parse_row(const char* first, const char* last, CsvLayout layout,
                                                const char* limit) {
  if (layout.columns == 1) {  // the usual file: no delimiter to look for, so ask only where a cell is bad
    const Cell cell = parse_cell(first, last, limit);
    if (cell.kind == CellKind::number || cell.kind == CellKind::missing)
      return {RowFault::none, cell.kind == CellKind::missing, cell.value, first, last, 1};
  }
  return parse_cells(first, last, layout, limit);
}
BEATSCAN_HOST_DEVICE inline ParsedRow parse_row(const char* first, const char* last, CsvLayout layout) {
  return parse_row(first, last, layout, last);
}

// The '\n' of a text on the host; on the calling thread.
std::int64_t count_line_ends(std::span<const char> text);

// Where each row ends.
//   text      less than 2^32 bytes
//   row_ends  [rows] position of the row's '\n'; for the last row text.size()
void find_row_ends(Cpu&, std::span<const char> text, std::span<std::uint32_t> row_ends);
void find_row_ends(Cuda&, std::span<const char> text, std::span<std::uint32_t> row_ends);

// The values of one column.
//   row_ends   [rows] as above
//   first_row  the number of the text's first row, where `findings` counts from
//   values     [rows] NaN where a value is missing; where the row is bad its bad_value()
//   findings   [1] what was found is added to it
void parse_column(Cpu&, std::span<const char> text, std::span<const std::uint32_t> row_ends, CsvLayout layout,
                  std::int64_t first_row, std::span<float> values, std::span<CsvFindings> findings);
void parse_column(Cuda&, std::span<const char> text, std::span<const std::uint32_t> row_ends, CsvLayout layout,
                  std::int64_t first_row, std::span<float> values, std::span<CsvFindings> findings);

}  // namespace beatscan
