// stages/beats/faint.h — tells P waves that stand alone, as in a ventricular standstill, from beats. Such P waves are
// faint: they become candidates only because the local level falls where there are no beats. They are also blunt.
//
//   usual level  the median of the blocks' levels. A step may part a quiet half of the blocks from some loud ones: a
//                level is at least 2.5 times the next lower one. Then it is the median of the loud ones.
//   loudness     of a block: its local level over the usual one
//   faint        the candidate's envelope is less than 0.2 usual levels
//   blunt        its sharpness over its envelope is less than 0.78 times that of usual candidates
// A candidate that is both is no beat, and neither is a lower candidate within a block's length of it. Beats that lost
// amplitude by a poor electrode are as sharp as before.
//
// Fewer than 60 usual candidates, or half of the blocks quiet, make it less sure what is usual: the gain may have
// changed. There, waves of a quiet stretch are left out only if 80 % of its faint candidates are blunt.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

// In blocks that are less loud a faint candidate may be as high as a beat.
inline constexpr float kQuietLoudness = 0.45f;

// Returns the loudness of each block, [B].
//   levels  [B] positive
std::vector<float> loudness_of(std::vector<float> levels);

// C candidates, B blocks of `block` samples, the last up to the end.
struct CandidateList {
  std::span<const std::int64_t> at;  // [C] samples
  std::span<const float> sharpness;  // [C] in the unit of `height` times `scale`
  std::span<const float> loudness;   // [B]
  std::span<const float> noise;      // [B] share of noise; usual candidates are where there is none
  std::span<const float> scale;      // [B]; empty for 1
  int block;
};
// Sets the heights of faint, blunt candidates to 0. All heights stay where there are fewer than 20 usual candidates
// outside of noise to compare with. Returns where beats may have been left out: the samples of candidates that were as
// high as `keep`.
//   height  [C] in local levels
std::vector<std::int64_t> silence_faint(const CandidateList& candidates, double keep, std::span<float> height);

}  // namespace beatscan
