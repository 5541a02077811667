#include "kernels/csv/columns.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

using ColumnFindings = std::array<CsvFindings, kMostColumns>;

void note_fault(RowFault fault, std::int64_t row, float& value, CsvFindings& findings) {
  value = bad_value(fault);
  findings.first_bad_row = std::min(findings.first_bad_row, row);
  ++findings.bad;
}

// Parses rows [first, last) for parse_columns.
void parse_rows_of_columns(std::span<const char> text, std::span<const std::uint32_t> row_ends,
                           const CsvColumns& columns, std::int64_t first_row, std::span<const std::span<float>> values,
                           std::int64_t first, std::int64_t last, ColumnFindings& findings) {
  const char* const limit = text.data() + text.size();
  const char* begin = text.data() + (first == 0 ? 0 : row_ends[first - 1] + 1);
  std::array<CellKind, kMostColumns> kinds{};
  for (std::int64_t row = first; row < last; ++row) {
    const char* const end = text.data() + row_ends[row];
    const RowFault of_row = parse_columns_of_row(begin, end, limit, columns, [&](int i, float value, CellKind kind) {
      values[i][row] = value;
      kinds[i] = kind;
    });
    for (int i = 0; i < columns.count; ++i) {
      const RowFault fault = of_row != RowFault::none ? of_row : fault_of(kinds[i]);
      if (fault != RowFault::none)
        note_fault(fault, first_row + row, values[i][row], findings[i]);
      else
        findings[i].missing += kinds[i] == CellKind::missing;
    }
    begin = end + 1;
  }
}

}  // namespace

void check_columns(const CsvColumns& columns, std::size_t rows, std::span<const std::span<float>> values,
                   std::span<const CsvFindings> findings) {
  BEATSCAN_EXPECTS(columns.count >= 1 && columns.count <= kMostColumns, "parse_columns: no columns, or too many");
  const auto count = static_cast<std::size_t>(columns.count);
  BEATSCAN_EXPECTS(values.size() == count, "parse_columns: values is not [L]");
  BEATSCAN_EXPECTS(findings.size() == count, "parse_columns: findings is not [L]");
  for (std::size_t i = 0; i < count; ++i) {
    BEATSCAN_EXPECTS(values[i].size() == rows, "parse_columns: values and row_ends differ in length");
    BEATSCAN_EXPECTS(columns.position[i] >= 0 && columns.position[i] < columns.columns,
                     "parse_columns: a column that no row has");
  }
}

void parse_columns(Cpu& cpu, std::span<const char> text, std::span<const std::uint32_t> row_ends,
                   const CsvColumns& columns, std::int64_t first_row, std::span<const std::span<float>> values,
                   std::span<CsvFindings> findings) {
  check_columns(columns, row_ends.size(), values, findings);
  std::mutex mutex;
  parallel_for(cpu, std::ssize(row_ends), 4096, [&](std::int64_t first, std::int64_t last) {
    ColumnFindings own;
    parse_rows_of_columns(text, row_ends, columns, first_row, values, first, last, own);
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < findings.size(); ++i) {
      findings[i].missing += own[i].missing;
      findings[i].bad += own[i].bad;
      findings[i].first_bad_row = std::min(findings[i].first_bad_row, own[i].first_bad_row);
    }
  });
}

}  // namespace beatscan
