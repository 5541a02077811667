// stages/methods/beats.h — beats as both methods hand them on: embedded as rows, then scored.
#pragma once

#include <optional>

#include "stages/beats/noise.h"
#include "stages/beats/rhythm.h"
#include "stages/score/score.h"

namespace beatscan {

// Beats as rows, the input of the model. As published, only beats.rows is there.
template <class Context>
struct EmbeddedBeats {
  CentredBeats<Context> beats;
  RhythmBuffers<Context> rhythm;
  Buffer<float, Context> noise;  // [B] noise_of
};

// The scores of all rows, on the host.
struct ScoredBeats {
  RowScores rows;                  // [B]
  BeatScores scores;               // [B] those of the ranking, if there is one
  std::optional<Ranking> ranking;  // [B] around R peaks; its rows have been moved to `rows`
};

}  // namespace beatscan
