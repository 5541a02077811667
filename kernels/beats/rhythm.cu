#include "kernels/beats/rhythm_common.h"
#include "kernels/runtime/launch.cuh"

namespace beatscan {

void known_intervals(Cuda& cuda, std::span<const double> r_peaks, std::span<const std::int64_t> known,
                     std::span<double> intervals, std::span<std::int64_t> before) {
  each(cuda, static_cast<std::int64_t>(r_peaks.size()), known_interval(r_peaks, known, intervals, before));
}

void judge_rhythm(Cuda& cuda, const BeatTimes& times, double tolerance, BeatRhythm rhythm) {
  each(cuda, static_cast<std::int64_t>(times.r_peaks.size()), judge(times, tolerance, rhythm));
}

void rhythm_scores(Cuda& cuda, std::span<const double> early, RhythmTerm early_term, std::span<const double> late,
                   RhythmTerm late_term, std::span<float> score) {
  BEATSCAN_EXPECTS(early.size() == score.size() && late.size() == score.size(), "rhythm_scores: bad shape");
  each(cuda, static_cast<std::int64_t>(score.size()),
       RhythmScore{early.data(), late.data(), early_term, late_term, score.data()});
}

}  // namespace beatscan
