// kernels/classify/class_odds.h — log odds and posteriors of beat classes, and the columns of their context, beat by
// beat.
//
// Classes are N, S, V and X in this order; odds are those of S, V and X against N. All arrays are in the context's
// memory. K beats.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/classify/tree_sums.h"
#include "kernels/runtime/context.h"

namespace beatscan {

inline constexpr int kClassOdds = kTreeClasses - 1;

// Lists of a round of classification: they stand one after the other, so that the first ones are added up together.
enum RoundList : int {
  kRoundOdds,                                  // kClassOdds lists
  kRoundPosteriors = kRoundOdds + kClassOdds,  // of S, V and X
  kRoundOnes = kRoundPosteriors + kClassOdds,  // 1 of each beat
  kSummedLists,
  kRoundMeans = kSummedLists,  // running means of the posteriors
  kRoundLists = kRoundMeans + kClassOdds
};

// How the odds of a round follow from the sums of trees.
struct RoundOdds {
  double af_weight;  // how much atrial fibrillation lowers the odds of S
  double most_odds;  // odds are within this
};

// Writes the odds, the posteriors and the ones of each beat.
//   sums         [K][kTreeClasses] tree_sums
//   af_log_odds  [K] of atrial fibrillation
//   lists        [kRoundLists][K]
void round_odds(Cpu&, const RoundOdds& options, std::span<const double> sums, std::span<const float> af_log_odds,
                std::span<double> lists);
void round_odds(Cuda&, const RoundOdds& options, std::span<const double> sums, std::span<const float> af_log_odds,
                std::span<double> lists);

// excluded[i] = 1 if the posteriors of V and X add up to more than a half
void excluded_beats(Cpu&, std::span<const double> lists, std::span<std::uint8_t> excluded);
void excluded_beats(Cuda&, std::span<const double> lists, std::span<std::uint8_t> excluded);

// Turns the column of templates into numbers; -1 of none.
void template_numbers(Cpu&, std::span<const float> column, std::span<std::int16_t> numbers);
void template_numbers(Cuda&, std::span<const float> column, std::span<std::int16_t> numbers);

// Widens single precision.
void widen(Cpu&, std::span<const float> values, std::span<double> wide);
void widen(Cuda&, std::span<const float> values, std::span<double> wide);

// The columns of the context of S, then of V, then of X.
enum ContextColumn : int {
  kShareLocal,
  kShare,
  kOddsTemplate,
  kOddsBefore2,
  kOddsBefore1,
  kOddsAfter1,
  kOddsAfter2,
  kContextColumns
};
// Writes the columns.
//   lists    [kRoundLists][K]
//   group    [K] template_numbers
//   sums     [features::kGroups + 1][kSummedLists] beat_sums of the lists
//   columns  [kClassOdds * kContextColumns][K]
void context_columns(Cpu&, std::span<const double> lists, std::span<const std::int16_t> group,
                     std::span<const double> sums, std::span<float> columns);
void context_columns(Cuda&, std::span<const double> lists, std::span<const std::int16_t> group,
                     std::span<const double> sums, std::span<float> columns);

// odds[i] = log odds of V, and of X, against N and S together
//   of_classes  [kClassOdds][K]
//   odds        [K][2]
void odds_against_rest(Cpu&, std::span<const double> of_classes, std::span<double> odds);
void odds_against_rest(Cuda&, std::span<const double> of_classes, std::span<double> odds);

// Slopes and offsets of odds of S against N, and of V, and of X, against N and S together.
struct OddsLines {
  double slope[kClassOdds], offset[kClassOdds];
};
// Calibrates the odds, and makes posteriors of them.
//   s_odds      [K] against N
//   others      [K][2] odds_against_rest
//   posteriors  [K][kTreeClasses]
void calibrated_posteriors(Cpu&, const OddsLines& lines, std::span<const double> s_odds, std::span<const double> others,
                           std::span<float> posteriors);
void calibrated_posteriors(Cuda&, const OddsLines& lines, std::span<const double> s_odds,
                           std::span<const double> others, std::span<float> posteriors);

}  // namespace beatscan
