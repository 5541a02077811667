#include "stages/io/csv/first_values.h"

#include <algorithm>
#include <cmath>

#include "stages/common/number_text.h"
#include "stages/io/csv/csv_lines.h"

namespace beatscan {
namespace {

constexpr std::size_t kLeastFollowing = 16;  // that must follow
constexpr double kSameCount = 0.05;
constexpr double kFirstStart_s = 631152000, kLastStart_s = 4102444800;  // 1990 and 2100
constexpr double kLowestFirstRate_hz = 10, kHighestFirstRate_hz = 10'000;

// Returns the numbers in a row's cells; nothing if any other text is there, or no number.
std::optional<std::vector<double>> numbers_of(const std::vector<std::string>& row) {
  std::vector<double> numbers;
  for (const auto& cell : row) {
    if (kind_of_cell(cell) == CellKind::missing) continue;
    if (!is_number_cell(cell)) return std::nullopt;
    numbers.push_back(value_of_cell(cell));
  }
  return numbers.empty() ? std::nullopt : std::optional(numbers);
}

bool is_whole(double value) { return value == std::floor(value); }

bool are_equal(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) { return value == values[0]; });
}

// Returns whether each number of the first row is far outside of those in its column from row `next` on.
bool are_far(const FirstRows& rows, std::size_t next) {
  for (int column = 0; column < std::ssize(rows[0]); ++column) {
    const auto cells = cells_in(rows, column);
    if (!is_number_cell(cells[0])) continue;
    std::vector<double> values;
    for (auto row = next; row < cells.size(); ++row)
      if (is_number_cell(cells[row])) values.push_back(value_of_cell(cells[row]));
    if (values.empty()) return false;
    const auto [least, most] = std::ranges::minmax(values);
    const double value = value_of_cell(cells[0]);
    if (std::max(least - value, value - most) < std::max(most - least, 1.0)) return false;
  }
  return true;
}

bool counts_rows(const FirstRows& rows, double expected_rows) {
  const auto counts = numbers_of(rows[0]);
  if (!counts || !std::ranges::all_of(*counts, [](double count) { return is_whole(count) && count > 1; })) return false;
  const auto first_cells = cells_in(rows, 0);
  const bool lacks_time = rows[0].size() > 1 && first_cells[0].empty() &&
                          std::ranges::none_of(first_cells.begin() + 1, first_cells.end(), &std::string_view::empty);
  const bool are_alike = counts->size() > 1 && are_equal(*counts);
  const bool fit = std::ranges::all_of(
      *counts, [&](double count) { return std::abs(count - expected_rows) <= kSameCount * expected_rows; });
  return (lacks_time || are_alike || fit) && are_far(rows, 1);
}

}  // namespace

FirstValues first_values(const FirstRows& rows, double expected_rows) {
  if (rows.size() < kLeastFollowing + 2) return {};
  const auto first = numbers_of(rows[0]), second = numbers_of(rows[1]);
  if (first && second && are_equal(*first) && are_equal(*second) && first->size() == second->size()) {
    const double time = first->front(), rate_hz = second->front();
    const double start_s = time > kLastStart_s ? time / 1000 : time;
    if (start_s >= kFirstStart_s && start_s <= kLastStart_s && is_whole(rate_hz) && rate_hz >= kLowestFirstRate_hz &&
        rate_hz <= kHighestFirstRate_hz && are_far(rows, 2))
      return {2, "gives the start, and the one below it the sampling rate: " + number_text(rate_hz, 7), rate_hz,
              start_time(start_s, std::nullopt)};
  }
  if (counts_rows(rows, expected_rows))
    return {1, "counts the samples: " + number_text(numbers_of(rows[0])->back(), 12)};
  return {};
}

}  // namespace beatscan
