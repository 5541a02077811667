#include "stages/io/csv/packet_times.h"

#include <algorithm>
#include <numeric>

#include "stages/common/robust.h"

namespace beatscan {

std::optional<PacketTimes> packet_times(std::span<const double> times) {
  constexpr std::int64_t kFewestTimes = 16;
  constexpr double kMostPackets = 8;  // with one time
  std::vector<std::int64_t> changes;  // rows with another time than the one before
  for (std::size_t row = 1; row < times.size(); ++row)
    if (times[row] != times[row - 1]) changes.push_back(static_cast<std::int64_t>(row));
  if (std::ssize(changes) <= kFewestTimes) return std::nullopt;
  PacketTimes packets;
  std::vector<double> counts;  // of the rows with one time, but for the first and the last time
  for (std::size_t k = 1; k < changes.size(); ++k) {
    const std::int64_t rows = changes[k] - changes[k - 1];
    counts.push_back(static_cast<double>(rows));
    packets.rows = std::gcd(packets.rows, rows);
    if (packets.rows == 1) return std::nullopt;
  }
  const double fewest = std::ranges::min(counts);
  // A common divisor is none by chance if so many times have other numbers of rows than the middle one has.
  if (fewest > kMostPackets * static_cast<double>(packets.rows) &&
      std::ssize(counts) - std::ranges::count(counts, upper_median(counts)) < kFewestTimes)
    return std::nullopt;
  packets.first = changes[0] % packets.rows;
  for (std::int64_t row = packets.first; row + packets.rows <= std::ssize(times); row += packets.rows)
    packets.times.push_back(times[row]);
  return packets;
}

}  // namespace beatscan
