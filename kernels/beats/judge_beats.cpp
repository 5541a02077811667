#include "kernels/beats/judge_beats.h"

#include "kernels/beats/judge_beats_common.h"
#include "kernels/runtime/each.h"

namespace beatscan {

void judge_beats(Cpu& cpu, std::span<const double> r_peaks, const Surroundings& around, BeatFacts facts) {
  each(cpu, std::ssize(r_peaks), JudgeBeat(r_peaks, around, facts));
}

}  // namespace beatscan
