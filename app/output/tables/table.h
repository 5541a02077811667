// app/output/tables/table.h — a table of a result: named columns of one type each, written as CSV or Parquet.
//
// A cell without a value is empty in CSV, and null in Parquet.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace beatscan {

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

}  // namespace beatscan
