#include "kernels/csv/csv.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <vector>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

// The bytes of a tile, which a thread searches for line ends. Starting a thread takes as long as searching half a tile.
constexpr std::int64_t kTileBytes = 8 << 20;

std::int64_t tiles_of(std::span<const char> text) { return std::max<std::int64_t>(std::ssize(text) / kTileBytes, 1); }

// Returns a tile of the text. The last tile has the rest of the text, too.
std::span<const char> tile_of(std::span<const char> text, std::int64_t tile) {
  const auto from_here = text.subspan(static_cast<std::size_t>(tile * kTileBytes));
  return tile + 1 == tiles_of(text) ? from_here : from_here.first(kTileBytes);
}

#ifndef __SSE2__
// Sets bit i if byte i of the 64 from `text` on is a line end. A byte that is one becomes 0 by exclusive or; its
// highest bit is then set without a carry into the next byte, and a product moves the eight highest bits side by side.
std::uint64_t line_end_mask_of_words(const char* text) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f, kLineEnds = 0x0a0a0a0a0a0a0a0a;
  std::uint64_t mask = 0;
  for (int word = 0; word < 8; ++word) {
    std::uint64_t bytes;
    std::memcpy(&bytes, text + 8 * word, sizeof bytes);
    bytes ^= kLineEnds;
    const std::uint64_t zeros = ~(((bytes & kLow) + kLow) | bytes | kLow) >> 7;
    mask |= (zeros * 0x0102040810204080 >> 56) << 8 * word;
  }
  return mask;
}
#endif

// Sets bit i if byte i of the 64 from `text` on is a line end. It uses SSE2, which every x86-64 processor has; on
// others it handles eight bytes at a time.
std::uint64_t line_end_mask(const char* text) {
  std::uint64_t mask = 0;
#ifdef __SSE2__
  for (int part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text) + part);
    const int equal = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    mask |= static_cast<std::uint64_t>(equal) << 16 * part;
  }
#else
  mask = line_end_mask_of_words(text);
#endif
  return mask;
}

// Writes offset + i for each line end text[i] while there is room, and returns how many line ends there are. A call of
// memchr for each of them would take three times as long.
std::int64_t write_line_ends(std::span<const char> text, std::int64_t offset, std::span<std::uint32_t> row_ends) {
  std::size_t count = 0, i = 0;
  const auto write = [&](std::size_t position) {
    if (count < row_ends.size()) row_ends[count] = static_cast<std::uint32_t>(offset + position);
    ++count;
  };
  for (; i + 64 <= text.size(); i += 64)
    for (std::uint64_t mask = line_end_mask(&text[i]); mask != 0; mask &= mask - 1) write(i + std::countr_zero(mask));
  for (; i < text.size(); ++i)
    if (text[i] == '\n') write(i);
  return static_cast<std::int64_t>(count);
}

// Counts the line ends in each of the first `tiles` tiles.
std::vector<std::int64_t> line_ends_per_tile(Cpu& cpu, std::span<const char> text, std::int64_t tiles) {
  std::vector<std::int64_t> counts(tiles);
  parallel_each(cpu, tiles, [&](std::int64_t tile) { counts[tile] = count_line_ends(tile_of(text, tile)); });
  return counts;
}

// Notes a bad row. It is kept out of the loop over rows, which hardly ever calls it.
[[gnu::noinline, gnu::cold]] void note_bad_row(RowFault fault, std::int64_t row, float& value, CsvFindings& findings) {
  value = bad_value(fault);
  findings.first_bad_row = std::min(findings.first_bad_row, row);
  ++findings.bad;
}

// Parses a number that is the whole row, such as -0.125 or 1023, of up to eight characters, as parse_row does. It looks
// at the eight bytes before the row's end all at once and has no branches on the digits. Returns false, and leaves the
// value as it is, for anything else.
[[gnu::always_inline]] inline bool parse_short_number(const char* end, std::int64_t length, float& value) {
  static constexpr float kPowers[] = {1, 10, 100, 1000, 1e4f, 1e5f, 1e6f, 1e7f};
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f, kPoints = 0x1e1e1e1e1e1e1e1e;  // what '.' becomes below
  const bool negative = end[-length] == '-';
  length -= negative;
  if (length == 0) return false;
  std::uint64_t bytes;
  std::memcpy(&bytes, end - 8, 8);
  bytes = (bytes ^ 0x3030303030303030) & ~std::uint64_t{0} << (64 - 8 * length);  // '0' to '9' become 0 to 9
  const std::uint64_t no_point = bytes ^ kPoints, points = ~(((no_point & kLow) + kLow) | no_point | kLow);
  int decimals = 0;
  if (points != 0) {  // closes the gap
    const int bit = std::countr_zero(points) - 7;
    const std::uint64_t before = (std::uint64_t{1} << bit) - 1;
    bytes = (bytes & before) << 8 | (bytes & ~(before << 8 | 0xff));
    decimals = 7 - bit / 8;
    if (length == 1) return false;
  }
  if ((((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080) != 0) return false;
  const std::uint64_t number = decimal::number_of(bytes);
  if (number > 1U << 24) return false;  // a float does not hold it
  value = static_cast<float>(number) / kPowers[decimals] * static_cast<float>(1 - 2 * negative);
  return true;
}

// Parses rows [first, last) for parse_column. It is a function of its own, so that the loop's variables stay in
// registers.
CsvFindings parse_rows(std::span<const char> text, std::span<const std::uint32_t> row_ends, CsvLayout layout,
                       std::int64_t first_row, std::span<float> values, std::int64_t first, std::int64_t last) {
  CsvFindings findings;
  std::int64_t missing = 0;
  const char* const limit = text.data() + text.size();
  const char* begin = text.data() + (first == 0 ? 0 : row_ends[first - 1] + 1);
  for (std::int64_t row = first; row < last; ++row) {
    const char* const end = text.data() + row_ends[row];
    const std::int64_t length = end - begin;
    if (layout.columns == 1 && 0 < length && length <= 8 && row_ends[row] >= 8 &&
        parse_short_number(end, length, values[row])) {
      begin = end + 1;
      continue;
    }
    const ParsedRow parsed = parse_row(begin, end, layout, limit);
    values[row] = parsed.value;
    missing += parsed.missing;
    if (parsed.fault != RowFault::none) note_bad_row(parsed.fault, first_row + row, values[row], findings);
    begin = end + 1;
  }
  findings.missing = missing;
  return findings;
}

}  // namespace

// Counts in bytes in parallel, which the compiler turns into vectors. This is 14 times as fast as std::count, whose
// sum has 64 bits. A byte can count 255 rounds.
std::int64_t count_line_ends(std::span<const char> text) {
  constexpr std::size_t kLanes = 64, kRounds = 255;
  std::int64_t total = 0;
  std::size_t i = 0;
  while (i + kLanes <= text.size()) {
    std::uint8_t lanes[kLanes] = {};
    const std::size_t rounds = std::min(kRounds, (text.size() - i) / kLanes);
    for (std::size_t round = 0; round < rounds; ++round, i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += text[i + lane] == '\n';
    for (const std::uint8_t lane : lanes) total += lane;
  }
  for (; i < text.size(); ++i) total += text[i] == '\n';
  return total;
}

void find_row_ends(Cpu& cpu, std::span<const char> text, std::span<std::uint32_t> row_ends) {
  constexpr const char* kWrongRows = "find_row_ends: row_ends is not [rows]";
  BEATSCAN_EXPECTS(text.size() < (std::uint64_t{1} << 32), "find_row_ends: text of 4 GiB or more");
  const std::int64_t tiles = tiles_of(text);
  std::vector<std::int64_t> rows{0};  // rows before each tile; the size of row_ends determines those of the last
  for (const std::int64_t count : line_ends_per_tile(cpu, text, tiles - 1)) rows.push_back(rows.back() + count);
  BEATSCAN_EXPECTS(rows.back() < std::ssize(row_ends), kWrongRows);
  rows.push_back(std::ssize(row_ends) - 1);
  parallel_each(cpu, tiles, [&](std::int64_t tile) {
    const auto part = tile_of(text, tile);
    const std::int64_t expected = rows[tile + 1] - rows[tile];
    const auto out = row_ends.subspan(static_cast<std::size_t>(rows[tile]), static_cast<std::size_t>(expected));
    BEATSCAN_EXPECTS(write_line_ends(part, part.data() - text.data(), out) == expected, kWrongRows);
  });
  row_ends.back() = static_cast<std::uint32_t>(text.size());
}

void parse_column(Cpu& cpu, std::span<const char> text, std::span<const std::uint32_t> row_ends, CsvLayout layout,
                  std::int64_t first_row, std::span<float> values, std::span<CsvFindings> findings) {
  BEATSCAN_EXPECTS(values.size() == row_ends.size(), "parse_column: values and row_ends differ in length");
  BEATSCAN_EXPECTS(findings.size() == 1, "parse_column: findings is not [1]");
  std::mutex mutex;
  parallel_for(cpu, std::ssize(values), 4096, [&](std::int64_t first, std::int64_t last) {
    const CsvFindings own = parse_rows(text, row_ends, layout, first_row, values, first, last);
    const std::lock_guard lock(mutex);
    findings[0].missing += own.missing;
    findings[0].bad += own.bad;
    findings[0].first_bad_row = std::min(findings[0].first_bad_row, own.first_bad_row);
  });
}

}  // namespace beatscan
