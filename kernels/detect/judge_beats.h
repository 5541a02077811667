// kernels/detect/judge_beats.h — judges each beat by its surroundings: gaps, flat stretches and blocks of poor signal.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/detect/beats.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/portable.h"

namespace beatscan {

// Ascending, disjoint stretches of samples.
struct Stretches {
  std::span<const std::int64_t> firsts, lasts;  // the first and the last sample of each
};

// A set of qualities.
using QualitySet = std::uint8_t;
BEATSCAN_HOST_DEVICE constexpr QualitySet only(Quality quality) {
  return static_cast<QualitySet>(1U << static_cast<unsigned>(quality));
}

struct Surroundings {
  Stretches gaps, flat;
  std::span<const Quality> blocks;  // of block_samples each, the last up to the end; if there is none, all is good
  std::int64_t block_samples;
  double before, after;  // samples that a row covers before and after the R peak
  QualitySet trusted = only(Quality::good);
};

struct BeatJudgement {
  std::span<Outcome> outcomes;         // [K] in_gap where the row touches a gap, else kept
  std::span<Quality> quality;          // [K] of the block that the R peak is in
  std::span<std::uint8_t> trusted;     // [K] 1 if the beat is kept and in signal of a trusted quality
  std::span<std::uint8_t> broken;      // [K - 1] 1 if a gap or a flat stretch lies between this R peak and the next
  std::span<std::uint8_t> clear = {};  // [K - 1] 1 if the interval is not broken, and a beat would be seen all along:
                                       // the signal is good or flat; empty if it is not wanted
};
// Fills in the facts of each beat. A wrong shape throws ErrorKind::internal.
//   r_peaks  [K] samples, ascending
void judge_beats(Cpu&, std::span<const double> r_peaks, const Surroundings& around, BeatJudgement facts);
void judge_beats(Cuda&, std::span<const double> r_peaks, const Surroundings& around, BeatJudgement facts);

// broken[i] = broken[i] and not clear[i]: an RR interval of several leads is valid if it is broken in none of them, or
// clear in one. If one lead has a gap and another is noise, the noise does not show that there was no beat.
//   broken, clear  [K - 1] joined
void settle_intervals(Cpu&, std::span<const std::uint8_t> clear, std::span<std::uint8_t> broken);
void settle_intervals(Cuda&, std::span<const std::uint8_t> clear, std::span<std::uint8_t> broken);

// Returns how poor a quality is: 0 for good, and the larger the number, the less it shows of beats.
BEATSCAN_HOST_DEVICE constexpr int poorness(Quality quality) {
  switch (quality) {
    case Quality::good:
      return 0;
    case Quality::noisy:
      return 1;
    case Quality::clipped:
      return 2;
    case Quality::flat:
      return 3;
    case Quality::missing:
      return 4;
  }
  return 4;
}

// Joins the judgement of the same beats in one lead into that of all leads. A beat is as kept, as trusted, and in as
// good signal as in its best lead. An interval is broken if it is broken in any lead, and clear if it is clear in any.
// A lead in which the beat is kept is better than one in which it touches a gap, however good the signal there.
void join_judgements(Cpu&, const BeatJudgement& lead, BeatJudgement all);
void join_judgements(Cuda&, const BeatJudgement& lead, BeatJudgement all);

// heard[i] = 1 if a lead counts for beat i: it has signal around the beat that is as good as that of the best lead.
//   outcomes, quality, best, heard  [K]; `quality` is the lead's, and `best` that of all leads together
void heard_beats(Cpu&, std::span<const Outcome> outcomes, std::span<const Quality> quality,
                 std::span<const Quality> best, std::span<std::uint8_t> heard);
void heard_beats(Cuda&, std::span<const Outcome> outcomes, std::span<const Quality> quality,
                 std::span<const Quality> best, std::span<std::uint8_t> heard);

}  // namespace beatscan
