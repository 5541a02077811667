// app/evaluation/match_beats.h — pairs reference beats with detected beats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace beatscan {

// Returns, for every reference beat, the index of the matched detected beat, or nullopt. Both inputs ascend. Each
// detected beat is matched at most once, within the tolerance (inclusive). The number of pairs is maximal and, among
// such matchings, the total distance is minimal. So a stray detection is not matched in place of the beat itself.
std::vector<std::optional<std::size_t>> match_beats(std::span<const std::int64_t> reference,
                                                    std::span<const std::int64_t> detected,
                                                    std::int64_t tolerance_samples);

}  // namespace beatscan
