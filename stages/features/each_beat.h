// stages/features/each_beat.h — loops over the beats of a recording, on the host's threads.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/runtime/parallel.h"

namespace beatscan {

// Calls work(i) for each of K beats, in parallel.
template <class Work>
void each_beat(std::int64_t beats, const Work& work) {
  constexpr std::int64_t kGrain = 8192;
  parallel_for(Cpu(), beats, kGrain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

// Returns value(i) of each of K beats, which are computed in parallel.
template <class T = double, class Value>
std::vector<T> of_each_beat(std::int64_t beats, const Value& value) {
  std::vector<T> values(beats);
  each_beat(beats, [&](std::int64_t i) { values[i] = static_cast<T>(value(i)); });
  return values;
}

}  // namespace beatscan
