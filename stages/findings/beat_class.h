// stages/findings/beat_class.h — the classes of beats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace beatscan {

enum class Kind : std::uint8_t { normal, supraventricular, ventricular, fusion, unknown };

// The letters of the kinds, in the order of Kind.
inline constexpr std::string_view kKindLetters = "NSVFQ";

inline constexpr int kKinds = 5;
static_assert(kKindLetters.size() == kKinds && static_cast<int>(Kind::unknown) + 1 == kKinds);
inline char letter_of(Kind kind) { return kKindLetters[static_cast<std::size_t>(kind)]; }

// An artefact looks like a beat to the detector (steps.h, bursts.h).
enum class Artefact : std::uint8_t { none, step, burst };

}  // namespace beatscan
