// stages/beats/slow_rhythm.h — tells where the heart beats so slowly that blocks of the level hold no beat, as in a
// complete heart block: the local level would be that of the P waves, and they would count as beats.
//
// Windows of kWindowBlocks blocks, which overlap by half, are looked at. A window is slow if all of this is true of the
// maxima of its blocks:
//   two heights  some are loud, and others at most a kHeightStep-th of these; few lie between them
//   rare         a fifth to two thirds are loud, and so many that they are beats and no chance
//   regular      there are at least kSomeRuns runs of blocks that are not loud, and few of them are more than a block
//                longer than the median
//   no beats     the quiet maxima are not sharper than the loud ones, as usual beats beside wide ones are; or they do
//                not stand out from the rest of their block, as noise does not
//   no clicks    the loud maxima are not sharper than QRS complexes are
// Sharpness is the maximum in a second band over that in the first, both without the noise below them. No block of 267
// records of ds1, svdb, nstdb, tele, cinc2014 and cudb is slow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace beatscan {

// More about B blocks.
struct BlockDetails {
  std::vector<float> rest;               // [B] of the envelope, in the unit of its maxima
  std::vector<float> sharp, sharp_rest;  // [B] maxima and rest in the second band
};
// Returns which of B blocks lie in a slow rhythm; nothing where none does.
//   maxima   [B] of the envelope; 0 where no level is taken
//   details  is called where the maxima do not rule it out
std::vector<std::uint8_t> slow_blocks(std::span<const float> maxima, const std::function<BlockDetails()>& details);

// Tells whether another lead shows beats where a lead that looks slow shows none: their maxima are at least
// kShownBetween of those beside its beats, and stand out from the rest of their blocks. Then the first lead hides
// beats.
//   of_slow  [B] maxima of the lead that looks slow, in the blocks of `slow`
bool shows_beats_between(std::span<const float> maxima, std::span<const float> rest, std::span<const float> of_slow,
                         std::span<const std::uint8_t> slow);

// Returns the maxima, and in slow blocks the greatest of those of the blocks beside, so that each has that of a beat.
// Blocks without a maximum keep none.
std::vector<float> with_beats_beside(std::span<const float> maxima, std::span<const std::uint8_t> slow);

}  // namespace beatscan
