// kernels/csv/columns.h — turns several columns of delimited text into float32. Lines are found once, and each row is
// read once.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/csv/csv.h"
#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kMostColumns = 64;

// The columns that are read.
struct CsvColumns {
  char delimiter = ',';
  int columns = 1;  // cells that every row must have
  int count = 0;    // L, columns that are read
  int position[kMostColumns] = {};
};

// Parses the values of L columns. A row with too few or too many cells, or with a quote left open, is bad in all of
// them; a cell that is no number makes its own value bad. A wrong shape throws ErrorKind::internal.
//   row_ends   [rows] the ends that find_row_ends gives
//   first_row  number of the text's first row, for findings.first_bad_row
//   values     [L] of [rows] NaN if the value is missing, bad_value() if it is bad
//   findings   [L] the text's findings in each column are added to it
void parse_columns(Cpu&, std::span<const char> text, std::span<const std::uint32_t> row_ends, const CsvColumns& columns,
                   std::int64_t first_row, std::span<const std::span<float>> values, std::span<CsvFindings> findings);
void parse_columns(Cuda&, std::span<const char> text, std::span<const std::uint32_t> row_ends,
                   const CsvColumns& columns, std::int64_t first_row, std::span<const std::span<float>> values,
                   std::span<CsvFindings> findings);

// Parses the row [first, last), which has no line end. Calls on_value(i, value, kind) for column i of those that are
// read, before the row's own fault is known, and returns that fault. Both back ends share this definition.
template <class OnValue>
BEATSCAN_HOST_DEVICE inline RowFault parse_columns_of_row(const char* first, const char* last, const char* limit,
                                                          const CsvColumns& columns, OnValue&& on_value) {
  const CellCount found =
      for_each_cell(first, last, columns.delimiter, [&](int index, const char* begin, const char* end) {
        for (int i = 0; i < columns.count; ++i) {
          if (columns.position[i] != index) continue;
          const Cell cell = parse_cell(begin, end, limit);
          on_value(i, cell.value, cell.kind);
        }
      });
  return fault_of(found, columns.columns);
}

// Throws ErrorKind::internal if shapes are wrong.
void check_columns(const CsvColumns& columns, std::size_t rows, std::span<const std::span<float>> values,
                   std::span<const CsvFindings> findings);

}  // namespace beatscan
