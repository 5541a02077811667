#include "app/output/tables/table_rows.h"

#include <variant>
#include <vector>

namespace beatscan {

namespace {

template <class Value>
std::vector<Value> taken(const std::vector<Value>& values, std::span<const std::int64_t> rows) {
  std::vector<Value> some;
  some.reserve(rows.size());
  for (const std::int64_t row : rows) some.push_back(values[row]);
  return some;
}

// Takes rows of the cells of a column.
struct TakeCells {
  std::span<const std::int64_t> rows;

  Cells operator()(const Seconds& cells) const { return Seconds{taken(cells.microseconds, rows)}; }
  Cells operator()(const Words& cells) const { return Words{cells.list, taken(cells.places, rows)}; }
  template <class Plain>
  Cells operator()(const Plain& cells) const {
    return Plain{taken(cells.values, rows)};
  }
};

}  // namespace

Table with_rows(const Table& table, std::span<const std::int64_t> rows) {
  Table some{.rows = std::ssize(rows), .columns = {}, .facts = table.facts};
  for (const Column& column : table.columns)
    some.columns.push_back({column.name, column.unit, std::visit(TakeCells{rows}, column.cells)});
  return some;
}

}  // namespace beatscan
