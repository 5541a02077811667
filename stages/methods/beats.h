// stages/methods/beats.h — beats as both methods pass them on: embedded as rows (EmbeddedBeats), then scored.
#pragma once

#include <optional>

#include "stages/score/scores.h"

namespace beatscan {

// The scores on the host.
struct ScoredBeats {
  RowScores rows;                  // [L B] in the order of EmbeddedBeats::rows; NaN in a lead without signal there
  BeatScores scores;               // [B] those of the ranking, if there is one
  std::optional<Ranking> ranking;  // [B] around R peaks; its rows have been moved to `rows`
};

}  // namespace beatscan
