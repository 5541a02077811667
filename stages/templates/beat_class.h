// stages/templates/beat_class.h — the classes of beats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace beatscan {

enum class BeatClass : std::uint8_t { normal, supraventricular, ventricular, fusion, unknown };

// The letters of the beat classes, in the order of BeatClass.
inline constexpr std::string_view kClassLetters = "NSVFQ";

inline constexpr int kBeatClassCount = 5;
static_assert(kClassLetters.size() == kBeatClassCount && static_cast<int>(BeatClass::unknown) + 1 == kBeatClassCount);

// Places in the posteriors of a beat: N, S, V, and X, a false detection.
inline constexpr int kPosteriorClasses = 4;
enum : int { kClassN, kClassS, kClassV, kClassX };

inline char letter_of(BeatClass beat_class) { return kClassLetters[static_cast<std::size_t>(beat_class)]; }

}  // namespace beatscan
