// stages/io/wfdb/stored_samples.h — how readers of WFDB's files pass on samples as they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace beatscan {

// Takes a piece of a signal's samples. It may be called from several threads at a time, for pieces in any order.
//   signal  its place in the reader's list of signals
//   first   place of the first value among the samples requested from the reader
using TakeStored = std::function<void(std::size_t signal, std::int64_t first, std::span<const std::int32_t> values)>;

// Ignores samples that are read only to get to later ones.
inline void ignore_stored(std::size_t, std::int64_t, std::span<const std::int32_t>) {}

}  // namespace beatscan
