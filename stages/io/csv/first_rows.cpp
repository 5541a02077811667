#include "stages/io/csv/first_rows.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "kernels/csv/decimal.h"
#include "stages/io/csv/csv_lines.h"

namespace beatscan {
namespace {

constexpr std::size_t kLeastRows = 32;

// Returns the unit of the last decimal of a number's text: 0.01 for "-1.25".
double last_decimal(std::string_view text) {
  const auto point = text.find('.');
  double unit = 1;
  for (auto i = point; point != text.npos && i + 1 < text.size() && decimal::is_digit(text[i + 1]); ++i) unit /= 10;
  return unit;
}

// The values of a column that has only numbers.
struct Numbers {
  std::vector<double> values;
  double rounding = 0;  // the unit of the last decimal; 0 for whole numbers
};
std::optional<Numbers> numbers_in(const FirstRows& rows, int column) {
  const auto cells = cells_in(rows, column);
  if (cells.size() < kLeastRows || !std::ranges::all_of(cells, is_number_cell)) return std::nullopt;
  Numbers numbers;
  double rounding = 1;
  for (const auto cell : cells) {
    rounding = std::min(rounding, last_decimal(cell));
    numbers.values.push_back(value_of_cell(cell));
  }
  numbers.rounding = rounding < 1 ? rounding : 0;
  return numbers;
}

}  // namespace

std::vector<std::string_view> cells_in(const FirstRows& rows, int column) {
  std::vector<std::string_view> cells;
  for (const auto& row : rows) cells.push_back(column < std::ssize(row) ? std::string_view(row[column]) : "");
  return cells;
}

bool rises_evenly(const FirstRows& rows, int column) {
  const auto numbers = numbers_in(rows, column);
  if (!numbers) return false;
  const auto& values = numbers->values;
  double least = values[1] - values[0], most = least;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = values[i] - values[i - 1];
    least = std::min(least, step);
    most = std::max(most, step);
  }
  return least > 0 && most - least <= std::max(1e-6 * most, 1.01 * numbers->rounding);
}

bool rises_on_a_line(const FirstRows& rows, int column) {
  const auto numbers = numbers_in(rows, column);
  if (!numbers || !rises_evenly(rows, column)) return false;
  const auto& values = numbers->values;
  const double step = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - values[0] - step * static_cast<double>(i)) >
        std::max(1e-6 * step, 1.01 * numbers->rounding))
      return false;
  return true;
}

int decimals_of(const FirstRows& rows, int column) {
  const auto cells = cells_in(rows, column);
  if (cells.size() < kLeastRows || !std::ranges::all_of(cells, is_number_cell)) return -1;
  const auto decimals = [](std::string_view cell) {
    const auto point = cell.find('.');
    return point == cell.npos
               ? 0
               : static_cast<int>(cell.find_first_not_of("0123456789", point + 1) == cell.npos ? cell.size() - point - 1
                                                                                               : 0);
  };
  const int first = decimals(cells[0]);
  return std::ranges::all_of(cells, [&](auto cell) { return decimals(cell) == first; }) ? first : -1;
}

bool is_text(const FirstRows& rows, int column) {
  const auto cells = cells_in(rows, column);
  return !cells.empty() && std::ranges::none_of(cells, begins_like_a_number) &&
         std::ranges::any_of(cells, [](auto cell) { return kind_of_cell(cell) != CellKind::missing; });
}

std::vector<std::string> leads_in_turn(const FirstRows& rows, int times, int names) {
  if (times == names || !is_text(rows, names)) return {};
  const auto time = cells_in(rows, times), name = cells_in(rows, names);
  std::size_t leads = 1;
  while (leads < time.size() && time[leads] == time[0]) ++leads;
  if (leads < 2 || rows.size() < 2 * leads) return {};
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const bool same_time = row > 0 && time[row] == time[row - 1];
    if (same_time != (row % leads != 0) || name[row] != name[row % leads]) return {};
  }
  const std::set<std::string> found(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(leads));
  if (found.size() != leads) return {};
  return {name.begin(), name.begin() + static_cast<std::ptrdiff_t>(leads)};
}

}  // namespace beatscan
