// app/output/tables/table.h — a table of typed columns, and how one is made.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/common/json.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

// A table of a result: named columns of one type each, written as CSV or Parquet.
//
// A cell without a value is empty in CSV, and null in Parquet.

inline constexpr std::int64_t kNoInteger = std::numeric_limits<std::int64_t>::min();
inline constexpr std::uint8_t kNoFlag = 2;
inline constexpr std::int32_t kNoWord = -1;

// The cells of a column, [rows]. In brackets: the value of an empty cell.
struct Integers {
  std::vector<std::int64_t> values;  // [kNoInteger]
};
struct Floats {
  std::vector<float> values;  // [NaN]
};
struct Doubles {
  std::vector<double> values;  // [NaN]
};
struct Flags {
  std::vector<std::uint8_t> values;  // 0 or 1 [kNoFlag]
};
// Times in whole microseconds [kNoInteger]: seconds with six decimals in CSV, and the nearest double in Parquet.
struct Seconds {
  std::vector<std::int64_t> microseconds;
};
// Texts with few distinct values, as indices into a list [kNoWord].
struct Words {
  std::vector<std::string> list;
  std::vector<std::int32_t> places;
};
struct Texts {
  std::vector<std::string> values;  // [empty]
};
using Cells = std::variant<Integers, Floats, Doubles, Flags, Seconds, Words, Texts>;

struct Column {
  std::string name;
  std::string unit;  // empty: none
  Cells cells;
};

struct Table {
  std::int64_t rows = 0;
  std::vector<Column> columns;
  // Metadata of the whole table, by name; not in CSV.
  std::vector<std::pair<std::string, std::string>> facts = {};
};

// Returns a table part by part, so that it need not be in memory as a whole. Each call returns some of the rows, with
// the columns and metadata of the whole table; they are valid until the next call. Null after the last part. There is
// at least one part.
using TableParts = std::function<const Table*()>;

// The file formats that a table is written in.
enum class TableForm { csv, parquet, both };
inline bool wants_csv(TableForm form) { return form != TableForm::parquet; }
inline bool wants_parquet(TableForm form) { return form != TableForm::csv; }

// Each function adds a column. `value(row)` returns its cell. take() fills the columns on several threads: until then,
// `value` is stored, and what it refers to must stay valid.
class TableMaker {
 public:
  explicit TableMaker(std::int64_t rows) { table_.rows = rows; }

  // std::int64_t, or nullopt
  template <class Value>
  void integers(std::string name, std::string unit, Value value) {
    add<Integers, std::int64_t>(std::move(name), std::move(unit), [=](std::int64_t row) {
      return std::optional<std::int64_t>(value(row)).value_or(kNoInteger);
    });
  }
  // float, or NaN for an empty cell
  template <class Value>
  void floats(std::string name, std::string unit, Value value) {
    add<Floats, float>(std::move(name), std::move(unit), std::move(value));
  }
  // double, or nullopt
  template <class Value>
  void doubles(std::string name, std::string unit, Value value) {
    add<Doubles, double>(std::move(name), std::move(unit),
                         [=](std::int64_t row) { return std::optional<double>(value(row)).value_or(std::nan("")); });
  }
  // bool, or nullopt
  template <class Value>
  void flags(std::string name, Value value) {
    add<Flags, std::uint8_t>(std::move(name), "", [=](std::int64_t row) {
      const std::optional<bool> flag = value(row);
      return flag ? static_cast<std::uint8_t>(*flag) : kNoFlag;
    });
  }
  // Seconds as a double, or nullopt
  template <class Value>
  void seconds(std::string name, Value value) {
    add<Seconds, std::int64_t>(std::move(name), "s", [=](std::int64_t row) {
      const std::optional<double> time_s = value(row);
      return time_s ? static_cast<std::int64_t>(std::nearbyint(*time_s * 1e6)) : kNoInteger;
    });
  }
  // The index of a word in the list, or kNoWord
  template <class Value>
  void words(std::string name, std::vector<std::string> list, Value value) {
    add_later(std::move(name), "", [=, list = std::move(list)](std::int64_t rows) -> Cells {
      return Words{list, filled<std::int32_t>(rows, value)};
    });
  }
  // std::string, of any bytes; empty for an empty cell
  template <class Value>
  void texts(std::string name, Value value) {
    add<Texts, std::string>(std::move(name), "", [value = std::move(value)](auto i) { return as_utf8(value(i)); });
  }

  Table take() {
    parallel_each(Cpu(), std::ssize(fill_),
                  [&](std::int64_t column) { table_.columns[column].cells = fill_[column](table_.rows); });
    return std::move(table_);
  }

 private:
  using Fill = std::function<Cells(std::int64_t rows)>;

  template <class Column, class Cell, class Value>
  void add(std::string name, std::string unit, Value value) {
    add_later(std::move(name), std::move(unit),
              [=](std::int64_t rows) -> Cells { return Column{filled<Cell>(rows, value)}; });
  }
  void add_later(std::string name, std::string unit, Fill fill) {
    table_.columns.push_back({std::move(name), std::move(unit), {}});
    fill_.push_back(std::move(fill));
  }
  template <class Cell, class Value>
  static std::vector<Cell> filled(std::int64_t rows, const Value& value) {
    std::vector<Cell> cells(rows);
    for (std::int64_t row = 0; row < rows; ++row) cells[row] = value(row);
    return cells;
  }

  Table table_;
  std::vector<Fill> fill_;  // [columns]
};

}  // namespace beatscan
