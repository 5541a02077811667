#include "stages/io/csv/uneven_times.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kBlock_s = 2, kBlock_steps = 8;
constexpr double kJitter_s = 0.02, kJitter_samples = 1.5;
constexpr double kDrift = 2e-3;      // clocks that differ so little agree
constexpr double kOtherRate = 0.03;  // a part with another rate differs by more
constexpr double kStill = 0.01;      // times that pass more slowly than this share of the clock stand still
constexpr std::int64_t kLeastBlockRows = 16, kLeastBlocks = 4, kLooks = 64;  // rows of a block that are examined

// A run of rows; all times in the unit of the times.
struct Block {
  std::int64_t row = 0;  // the middle one
  double place = 0;      // mean place on the clock
  double late = 0;       // mean time by which the rows are late
  double spread = 0;     // range of the lateness, without its trend
};

// Walks over the rows and knows the place of each on the clock.
class Places {
 public:
  explicit Places(const EvenClock& clock) : clock_(clock) {}
  double at(std::int64_t row) {  // rows ascend from call to call
    for (; next_ < clock_.missing.size() && clock_.missing[next_].before_row <= row; ++next_)
      inserted_ += static_cast<double>(clock_.missing[next_].samples);
    return (static_cast<double>(row) + inserted_) * clock_.period;
  }

 private:
  const EvenClock& clock_;
  std::size_t next_ = 0;
  double inserted_ = 0;
};

Block block_of(std::span<const double> times, std::int64_t first, std::int64_t rows, Places& places) {
  const std::int64_t stride = std::max<std::int64_t>(rows / kLooks, 1);
  std::vector<double> late;
  Block block{.row = first + rows / 2};
  for (std::int64_t row = first; row < first + rows; row += stride) {
    const double place = places.at(row);
    block.place += place;
    late.push_back(times[row] - times[0] - place);
    block.late += late.back();
  }
  const auto count = static_cast<double>(late.size());
  block.place /= count;
  block.late /= count;
  const double trend = (late.back() - late.front()) / std::max(count - 1, 1.0);
  double least = 0, most = 0;
  for (std::size_t i = 0; i < late.size(); ++i) {
    const double off = late[i] - late[0] - trend * static_cast<double>(i);
    least = std::min(least, off);
    most = std::max(most, off);
  }
  block.spread = most - least;
  return block;
}

std::vector<Block> blocks_of(std::span<const double> times, const EvenClock& clock) {
  const auto count = std::ssize(times);
  const double wanted = std::max(kBlock_s / clock.unit_s, kBlock_steps * clock.usual_step) / clock.period;
  const std::int64_t rows = static_cast<std::int64_t>(std::min(wanted, static_cast<double>(count / kLeastBlocks)));
  std::vector<Block> blocks;
  if (rows < kLeastBlockRows) return blocks;
  Places places(clock);
  for (std::int64_t first = 0; first + rows <= count; first += rows)
    blocks.push_back(block_of(times, first, rows, places));
  return blocks;
}

double usual_spread(const std::vector<Block>& blocks) {
  std::vector<double> spreads;
  for (const Block& block : blocks) spreads.push_back(block.spread);
  return upper_median(spreads);
}

// Returns whether any two blocks have moved against each other by more than `jitter` and the drift of typical clocks.
bool leave_the_clock(const std::vector<Block>& blocks, double jitter) {
  double least = blocks[0].late - kDrift * blocks[0].place, most = blocks[0].late + kDrift * blocks[0].place;
  for (const Block& block : blocks) {
    const double drift = kDrift * block.place;
    least = std::min(least, block.late - drift);
    most = std::max(most, block.late + drift);
    if (block.late - drift - least > jitter || most - block.late - drift > jitter) return true;
  }
  return false;
}

}  // namespace

UnevenTimes compare_with_clock(std::span<const double> times, const EvenClock& clock) {
  const std::vector<Block> blocks = blocks_of(times, clock);
  if (blocks.empty()) return {};
  UnevenTimes uneven{.spread = usual_spread(blocks)};
  const double jitter =
      std::max({kJitter_s / clock.unit_s, kJitter_samples * clock.period, clock.usual_step, uneven.spread});
  if (!leave_the_clock(blocks, jitter)) return uneven;
  const Block &first = blocks.front(), &last = blocks.back();
  const double slope = (last.late - first.late) / (last.place - first.place);
  double least = 0, most = 0;  // trends of the lateness from block to block
  std::int64_t others = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double off = std::abs(blocks[i].late - first.late - slope * (blocks[i].place - first.place)) * clock.unit_s;
    if (i == 0 || off > uneven.distance_s) uneven.distance_s = off, uneven.row = blocks[i].row;
    if (i == 0) continue;
    const double moved = blocks[i].late - blocks[i - 1].late, trend = moved / (blocks[i].place - blocks[i - 1].place);
    least = std::min(least, trend);
    most = std::max(most, trend);
    others += std::abs(trend) > kOtherRate && std::abs(moved) > jitter;
  }
  uneven.lowest_hz = 1 / (clock.period * clock.unit_s * (1 + most));
  uneven.highest_hz =
      1 + least <= kStill ? std::numeric_limits<double>::infinity() : 1 / (clock.period * clock.unit_s * (1 + least));
  uneven.share = static_cast<double>(others) / static_cast<double>(blocks.size() - 1);
  return uneven;
}

}  // namespace beatscan
