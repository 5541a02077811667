// app/evaluation/match_beats.h — pairs reference beats with detected beats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace beatscan {

// For every reference beat the index of the detected beat that it is matched to, or nothing. Both inputs ascend. Each
// detected beat is matched at most once, within the tolerance (inclusive). There are as many pairs as possible. Of all
// ways to make that many pairs, this one has the least total distance. So a stray detection is not matched in place of
// the beat itself.
std::vector<std::optional<std::size_t>> match_beats(std::span<const std::int64_t> reference,
                                                    std::span<const std::int64_t> detected,
                                                    std::int64_t tolerance_samples);

}  // namespace beatscan
