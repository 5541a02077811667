// stages/findings/beat_class.h — the classes of beats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace beatscan {

enum class Kind : std::uint8_t { normal, supraventricular, ventricular, fusion, unknown };

// The letters of the beat classes, in the order of Kind.
inline constexpr std::string_view kKindLetters = "NSVFQ";

inline constexpr int kKinds = 5;
static_assert(kKindLetters.size() == kKinds && static_cast<int>(Kind::unknown) + 1 == kKinds);

// Places in the posteriors of a beat: N, S, V, and X, a false detection.
inline constexpr int kBeatClasses = 4;
enum : int { kClassN, kClassS, kClassV, kClassX };

inline char letter_of(Kind kind) { return kKindLetters[static_cast<std::size_t>(kind)]; }

}  // namespace beatscan
