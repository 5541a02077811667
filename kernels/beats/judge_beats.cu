#include "kernels/beats/judge_beats_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

void judge_beats(Cuda& cuda, std::span<const double> r_peaks, const Surroundings& around, BeatFacts facts) {
  each(cuda, static_cast<std::int64_t>(r_peaks.size()), JudgeBeat(r_peaks, around, facts));
}

}  // namespace beatscan
