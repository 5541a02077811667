// kernels/csv/csv.h — turns one column of delimited text into float32: first it finds the lines, then it parses cells.
//
// A text is a run of whole lines without the last line's end: rows = number of '\n' + 1, and a row is what lies between
// two '\n'. A CR before LF is a blank, which cells ignore. A delimiter inside double quotes does not count. A line end
// always ends the row, also inside quotes.
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
  int column = 0;   // index of the cell that is read, from 0
  int columns = 1;  // cells that every row must have
};

// Counts the missing and the bad rows of texts.
struct CsvFindings {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::int64_t first_bad_row = kNone;
  std::int64_t missing = 0, bad = 0;  // rows; a bad row does not count as missing
};

enum class RowFault : std::uint8_t {
  none,
  not_a_number,
  out_of_range,
  too_few_cells,
  too_many_cells,
  open_quote,
  not_a_time,  // no kernel detects it: times are read on the host
};

// Returns whether the row itself is bad, so that its cells cannot be trusted.
inline bool is_row_fault(RowFault fault) {
  return fault == RowFault::too_few_cells || fault == RowFault::too_many_cells || fault == RowFault::open_quote;
}

// Returns the value of a bad row: a NaN that encodes the fault. So a bad row can be found again, and distinguished from
// a row whose value is missing, without a list of bad rows.
BEATSCAN_HOST_DEVICE inline float bad_value(RowFault fault) {
  const std::uint32_t bits = 0x7fcbad00u | static_cast<std::uint32_t>(fault);
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}
// Returns the fault that a value of parse_column stands for; none if the value is a number or missing.
inline RowFault fault_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0xffffff00u) == 0x7fcbad00u ? static_cast<RowFault>(bits & 0xff) : RowFault::none;
}

struct ParsedRow {
  RowFault fault;
  bool missing;
  float value;               // NaN unless a number
  const char *first, *last;  // the cell that was read, or the place of the fault
  int cells;                 // number of cells seen
};

// The cells of a row: their number, or a quote that is left open.
struct CellCount {
  int cells;
  const char* open_quote = nullptr;
};

// Calls on_cell(index, first, last) for each cell of the row [first, last). A quote that is left open ends it.
template <class OnCell>
BEATSCAN_HOST_DEVICE inline CellCount for_each_cell(const char* first, const char* last, char delimiter,
                                                    OnCell&& on_cell) {
  int cells = 0;
  const char* begin = first;
  for (const char* c = first;; ++c) {
    if (c != last && *c == '"') {
      const char* opened = c++;
      while (c != last && *c != '"') ++c;
      if (c == last) return {cells + 1, opened};
    } else if (c == last || *c == delimiter) {
      on_cell(cells, begin, c);
      ++cells;
      begin = c + 1;
      if (c == last) return {cells};
    }
  }
}

BEATSCAN_HOST_DEVICE inline RowFault fault_of(CellKind kind) {
  return kind == CellKind::bad            ? RowFault::not_a_number
         : kind == CellKind::out_of_range ? RowFault::out_of_range
                                          : RowFault::none;
}

// Returns the fault of a row that does not depend on the text of its cells.
BEATSCAN_HOST_DEVICE inline RowFault fault_of(CellCount found, int columns) {
  return found.open_quote        ? RowFault::open_quote
         : found.cells < columns ? RowFault::too_few_cells
         : found.cells > columns ? RowFault::too_many_cells
                                 : RowFault::none;
}

// Parses any row, cell by cell.
BEATSCAN_FEW_CELLS BEATSCAN_HOST_DEVICE inline ParsedRow parse_cells(const char* first, const char* last,
                                                                     CsvLayout layout, const char* limit) {
  const char *cell_first = first, *cell_last = last;
  const CellCount found =
      for_each_cell(first, last, layout.delimiter, [&](int index, const char* begin, const char* end) {
        if (index != layout.column) return;
        cell_first = begin;
        cell_last = end;
      });
  if (const RowFault fault = fault_of(found, layout.columns); fault != RowFault::none)
    return {fault, false, NAN, found.open_quote ? found.open_quote : first, last, found.cells};
  const Cell cell = parse_cell(cell_first, cell_last, limit);
  return {fault_of(cell.kind), cell.kind == CellKind::missing, cell.value, cell_first, cell_last, found.cells};
}

// Parses the row [first, last), which has no line end. Both back ends share this definition, and messages name faults
// by it. Bytes from `last` up to `limit` may be read and do not change the result.
BEATSCAN_HOST_DEVICE inline ParsedRow parse_row(const char* first, const char* last, CsvLayout layout,
                                                const char* limit) {
  if (layout.columns == 1) {  // the typical file: only a bad cell needs a search for delimiters
    const Cell cell = parse_cell(first, last, limit);
    if (cell.kind == CellKind::number || cell.kind == CellKind::missing)
      return {RowFault::none, cell.kind == CellKind::missing, cell.value, first, last, 1};
  }
  return parse_cells(first, last, layout, limit);
}
BEATSCAN_HOST_DEVICE inline ParsedRow parse_row(const char* first, const char* last, CsvLayout layout) {
  return parse_row(first, last, layout, last);
}

// Counts the '\n' of a text in the host's memory, on the calling thread.
std::int64_t count_line_ends(std::span<const char> text);

// Finds the end of each row. A longer text or a wrong number of rows throws ErrorKind::internal.
//   text      less than 2^32 bytes; on Cuda it begins at a multiple of 16 bytes, and the bytes up to the next multiple
//             after its end are readable
//   row_ends  [rows] position of the row's '\n'; for the last row text.size()
void find_row_ends(Cpu&, std::span<const char> text, std::span<std::uint32_t> row_ends);
void find_row_ends(Cuda&, std::span<const char> text, std::span<std::uint32_t> row_ends);

// Parses the values of one column. A wrong shape throws ErrorKind::internal.
//   row_ends   [rows] the ends that find_row_ends gives
//   first_row  number of the text's first row, for findings.first_bad_row
//   values     [rows] NaN if the value is missing, bad_value() if the row is bad
//   findings   [1] the text's findings are added to it
void parse_column(Cpu&, std::span<const char> text, std::span<const std::uint32_t> row_ends, CsvLayout layout,
                  std::int64_t first_row, std::span<float> values, std::span<CsvFindings> findings);
void parse_column(Cuda&, std::span<const char> text, std::span<const std::uint32_t> row_ends, CsvLayout layout,
                  std::int64_t first_row, std::span<float> values, std::span<CsvFindings> findings);

}  // namespace beatscan
