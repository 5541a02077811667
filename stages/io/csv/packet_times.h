// stages/io/csv/packet_times.h — times of packets: a recorder that sends its samples in packets of one size may write
// one time for all rows of a packet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace beatscan {

struct PacketTimes {
  std::int64_t rows = 0;      // of a packet
  std::int64_t first = 0;     // row at which the first whole packet begins; the rows before it are the end of another
  std::vector<double> times;  // of the whole packets
};

// Returns the times of packets; nothing if the rows have no such times. A packet has 2 rows or more, and their number
// divides that of the rows with any one time, of 16 times or more. Two rows are no packet because the rows of a second
// happen to be even in number: packets smaller than an eighth of the rows with one time need 16 times whose numbers of
// rows are no typical ones.
//   times  [N] ascending
std::optional<PacketTimes> packet_times(std::span<const double> times);

}  // namespace beatscan
