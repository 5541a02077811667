#include "kernels/lists/running.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/lists/sorted_window.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

constexpr std::int64_t kPlaces = 8192;  // that a thread takes at a time

std::int64_t places_of(const RunningQuantiles& of) { return std::ssize(of.quantiles.front().found); }

void write_quantiles(const RunningQuantiles& of, std::int64_t first, std::int64_t last) {
  const std::int64_t low = of.before.empty() ? 0 : of.before.front(),
                     high = of.before.empty() ? std::ssize(of.values) : of.before.back();
  SortedWindow window(of.values);
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t at = of.before.empty() ? i : of.before[i];
    window.move_to(std::max(at - of.reach, low), std::min(at + of.reach, high));
    for (const auto& [q, found] : of.quantiles) found[i] = window.quantile(q);
  }
}

void write_means(const RunningMeans& of, std::int64_t begin, std::int64_t end) {
  const std::int64_t reach = of.reach, count = std::ssize(of.values);
  const std::int64_t low = std::max<std::int64_t>(begin - reach, 0), high = std::min(end + reach, count);
  std::vector<double> sums(high - low + 1);
  for (std::int64_t i = low; i < high; ++i) sums[i - low + 1] = sums[i - low] + of.values[i];
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t first = std::max<std::int64_t>(i - reach, 0), last = std::min(i + reach + 1, count);
    of.means[i] = (sums[last - low] - sums[first - low]) / static_cast<double>(last - first);
  }
}

// Calls write(of, first, last) for all places of all lists, so many at a time.
template <class Of, class Places, class Write>
void write_parts(const Cpu& cpu, std::span<const Of> all, std::int64_t at_a_time, const Places& places,
                 const Write& write) {
  struct Part {
    const Of* of;
    std::int64_t first, last;
  };
  std::vector<Part> parts;
  for (const Of& of : all)
    for (std::int64_t first = 0, count = places(of); first < count; first += at_a_time)
      parts.push_back({&of, first, std::min(first + at_a_time, count)});
  parallel_each(cpu, std::ssize(parts), [&](std::int64_t p) { write(*parts[p].of, parts[p].first, parts[p].last); });
}

}  // namespace

void running_quantiles(Cpu& cpu, std::span<const RunningQuantiles> all) {
  check_running(all);
  write_parts(cpu, all, kPlaces, places_of, write_quantiles);
}

void running_means(Cpu& cpu, std::span<const RunningMeans> all) {
  check_running(all);
  write_parts(
      cpu, all, kMeansBlock, [](const RunningMeans& of) { return std::ssize(of.values); }, write_means);
}

void select_values(Cpu&, std::span<const double> values, std::span<const std::uint8_t> chosen, std::int64_t fewest,
                   std::span<double> some, std::span<std::uint32_t> before) {
  check_selection(std::ssize(values), std::ssize(chosen), std::ssize(some), std::ssize(before));
  const auto select = [&](const auto& is_chosen) {
    std::uint32_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      before[i] = count;
      some[count] = values[i];
      count += is_chosen(i) ? 1 : 0;
    }
    before[values.size()] = count;
    return count;
  };
  const auto count = chosen.empty() ? select([&](std::size_t i) { return std::isfinite(values[i]); })
                                    : select([&](std::size_t i) { return chosen[i] != 0; });
  if (count < fewest) select([](std::size_t) { return true; });
}

void check_running(std::span<const RunningQuantiles> all) {
  for (const RunningQuantiles& of : all) {
    BEATSCAN_EXPECTS(!of.quantiles.empty() && of.quantiles.size() <= kMostQuantiles && 1 <= of.reach &&
                         of.reach <= kMostRunningReach,
                     "running_quantiles: bad number of quantiles or reach");
    const std::size_t places = of.before.empty() ? of.values.size() : of.before.size() - 1;
    for (const auto& [q, found] : of.quantiles)
      BEATSCAN_EXPECTS(0 <= q && q <= 1 && found.size() == places, "running_quantiles: bad shape or quantile");
  }
}

void check_running(std::span<const RunningMeans> all) {
  for (const RunningMeans& of : all)
    BEATSCAN_EXPECTS(of.means.size() == of.values.size() && 1 <= of.reach && of.reach <= kMostRunningReach,
                     "running_means: bad shape or reach");
}

void check_selection(std::int64_t values, std::int64_t chosen, std::int64_t some, std::int64_t before) {
  BEATSCAN_EXPECTS((chosen == 0 || chosen == values) && some == values && before == values + 1,
                   "select_values: bad shape");
}

}  // namespace beatscan
