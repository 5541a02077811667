// app/tables/table_maker.h — fills the columns of a table with what functions return for each row.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/tables/table.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {

// Each function adds a column. `value(row)` returns its cell; several threads call it.
class TableMaker {
 public:
  explicit TableMaker(std::int64_t rows) { table_.rows = rows; }

  // std::int64_t, or nothing
  template <class Value>
  void integers(std::string name, std::string unit, Value&& value) {
    add(std::move(name), std::move(unit), Integers{filled<std::int64_t>([&](std::int64_t row) {
          return std::optional<std::int64_t>(value(row)).value_or(kNoInteger);
        })});
  }
  // float, or NaN for nothing
  template <class Value>
  void floats(std::string name, std::string unit, Value&& value) {
    add(std::move(name), std::move(unit), Floats{filled<float>(value)});
  }
  // double, or nothing
  template <class Value>
  void doubles(std::string name, std::string unit, Value&& value) {
    add(std::move(name), std::move(unit), Doubles{filled<double>([&](std::int64_t row) {
          return std::optional<double>(value(row)).value_or(std::nan(""));
        })});
  }
  // bool, or nothing
  template <class Value>
  void flags(std::string name, Value&& value) {
    add(std::move(name), "", Flags{filled<std::uint8_t>([&](std::int64_t row) {
          const std::optional<bool> flag = value(row);
          return flag ? static_cast<std::uint8_t>(*flag) : kNoFlag;
        })});
  }
  // Seconds as a double, or nothing
  template <class Value>
  void seconds(std::string name, Value&& value) {
    add(std::move(name), "s", Seconds{filled<std::int64_t>([&](std::int64_t row) {
          const std::optional<double> time_s = value(row);
          return time_s ? static_cast<std::int64_t>(std::nearbyint(*time_s * 1e6)) : kNoInteger;
        })});
  }
  // The place of a word in the list, or kNoWord
  template <class Value>
  void words(std::string name, std::vector<std::string> list, Value&& value) {
    add(std::move(name), "", Words{std::move(list), filled<std::int32_t>(value)});
  }
  // std::string; empty for nothing
  template <class Value>
  void texts(std::string name, Value&& value) {
    add(std::move(name), "", Texts{filled<std::string>(value)});
  }

  Table take() { return std::move(table_); }

 private:
  void add(std::string name, std::string unit, Cells cells) {
    table_.columns.push_back({std::move(name), std::move(unit), std::move(cells)});
  }
  template <class Cell, class Value>
  std::vector<Cell> filled(Value&& value) const {
    std::vector<Cell> cells(table_.rows);
    constexpr std::int64_t kPartRows = 1 << 14;
    parallel_for(Cpu(), table_.rows, kPartRows, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t row = first; row < last; ++row) cells[row] = value(row);
    });
    return cells;
  }

  Table table_;
};

}  // namespace beatscan
