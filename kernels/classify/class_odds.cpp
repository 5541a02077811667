#include "kernels/classify/class_odds.h"

#include <cmath>

#include "kernels/classify/state_chain.h"
#include "kernels/features/beat_sums.h"
#include "kernels/features/columns.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

using features::ColumnsView;
using features::kGroups;
using features::larger;
using features::neighbour_of;
using features::within;

constexpr double kExcludedAbove = 0.5;

// Returns log(1 + exp(x)), which is -log(1 - p) where x are the log odds of p.
BEATSCAN_HOST_DEVICE inline double softplus(double x) { return larger(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// Writes the posteriors that follow from odds against N.
BEATSCAN_HOST_DEVICE inline void write_posteriors(const double* odds, double* posteriors) {
  double most = odds[0], sum = 0;
  for (int c = 1; c < kClassOdds; ++c) most = larger(most, odds[c]);
  most = larger(most, 0.0);
  for (int c = 0; c < kTreeClasses; ++c) sum += posteriors[c] = std::exp((c > 0 ? odds[c - 1] : 0) - most);
  for (int c = 0; c < kTreeClasses; ++c) posteriors[c] /= sum;
}

struct WriteOdds {
  RoundOdds options;
  const double* sums;
  const float* af_log_odds;
  double* lists;
  std::int64_t beats;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const double* of = sums + i * kTreeClasses;
    double odds[kClassOdds], posteriors[kTreeClasses];
    for (int c = 0; c < kClassOdds; ++c) {
      const double less = c == 0 ? options.af_weight * softplus(af_log_odds[i]) : 0;
      odds[c] = within(of[c + 1] - less - of[0], -options.most_odds, options.most_odds);
    }
    write_posteriors(odds, posteriors);
    for (int c = 0; c < kClassOdds; ++c) {
      lists[(kRoundOdds + c) * beats + i] = odds[c];
      lists[(kRoundPosteriors + c) * beats + i] = posteriors[c + 1];
    }
    lists[kRoundOnes * beats + i] = 1;
  }
};

struct WriteContext {
  const double* lists;
  const std::int16_t* group;
  const double* sums;
  ColumnsView out;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t beats = out.beats;
    const double* all = sums + kGroups * kSummedLists;
    for (int c = 0; c < kClassOdds; ++c) {
      const double* odds = lists + (kRoundOdds + c) * beats;
      const int first = c * kContextColumns;
      out.set(first + kShareLocal, i, lists[(kRoundMeans + c) * beats + i]);
      out.set(first + kShare, i, all[kRoundPosteriors + c] / static_cast<double>(beats));
      const double* of = sums + group[i] * kSummedLists;
      out.set(first + kOddsTemplate, i, group[i] < 0 ? odds[i] : of[kRoundOdds + c] / of[kRoundOnes]);
      for (int by = 0; by < 4; ++by)
        out.set(first + kOddsBefore2 + by, i, neighbour_of(odds, beats, i, by < 2 ? by - 2 : by - 1));
    }
  }
};

}  // namespace

void round_odds(BackEnd& context, const RoundOdds& options, std::span<const double> sums,
                std::span<const float> af_log_odds, std::span<double> lists) {
  const auto beats = static_cast<std::int64_t>(af_log_odds.size());
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(sums.size()) == beats * kTreeClasses &&
                       static_cast<std::int64_t>(lists.size()) == beats * kRoundLists,
                   "round_odds: bad shape");
  each(context, beats, WriteOdds{options, sums.data(), af_log_odds.data(), lists.data(), beats}, 2048);
}

void excluded_beats(BackEnd& context, std::span<const double> lists, std::span<std::uint8_t> excluded) {
  const auto beats = static_cast<std::int64_t>(excluded.size());
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(lists.size()) == beats * kRoundLists, "excluded_beats: bad shape");
  each(context, beats,
       [v = lists.data() + (kRoundPosteriors + 1) * beats, x = lists.data() + (kRoundPosteriors + 2) * beats,
        excluded = excluded.data()] BEATSCAN_DEVICE(std::int64_t i) { excluded[i] = v[i] + x[i] > kExcludedAbove; });
}

void template_numbers(BackEnd& context, std::span<const float> column, std::span<std::int16_t> numbers) {
  BEATSCAN_EXPECTS(column.size() == numbers.size(), "template_numbers: bad shape");
  each(context, static_cast<std::int64_t>(column.size()),
       [column = column.data(), numbers = numbers.data()] BEATSCAN_DEVICE(std::int64_t i) {
         numbers[i] = column[i] >= 0 && column[i] < kGroups ? static_cast<std::int16_t>(column[i]) : std::int16_t{-1};
       });
}

void widen(BackEnd& context, std::span<const float> values, std::span<double> wide) {
  BEATSCAN_EXPECTS(values.size() == wide.size(), "widen: bad shape");
  each(context, static_cast<std::int64_t>(values.size()),
       [values = values.data(), wide = wide.data()] BEATSCAN_DEVICE(std::int64_t i) { wide[i] = values[i]; });
}

void context_columns(BackEnd& context, std::span<const double> lists, std::span<const std::int16_t> group,
                     std::span<const double> sums, std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(group.size());
  BEATSCAN_EXPECTS(
      static_cast<std::int64_t>(lists.size()) == beats * kRoundLists && sums.size() == (kGroups + 1) * kSummedLists,
      "context_columns: bad shape");
  each(context, beats,
       WriteContext{lists.data(), group.data(), sums.data(),
                    features::view_of(columns, kClassOdds * kContextColumns, beats)},
       2048);
}

void odds_against_rest(BackEnd& context, std::span<const double> of_classes, std::span<double> odds) {
  const auto beats = static_cast<std::int64_t>(odds.size()) / 2;
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(of_classes.size()) == beats * kClassOdds &&
                       static_cast<std::int64_t>(odds.size()) == 2 * beats,
                   "odds_against_rest: bad shape");
  each(
      context, beats,
      [of = of_classes.data(), odds = odds.data(), beats] BEATSCAN_DEVICE(std::int64_t i) {
        const double rest = softplus(of[i]);
        for (int c = 0; c < 2; ++c) odds[2 * i + c] = of[(c + 1) * beats + i] - rest;
      },
      2048);
}

void calibrated_posteriors(BackEnd& context, const OddsLines& lines, std::span<const double> s_odds,
                           std::span<const double> others, std::span<float> posteriors) {
  const auto beats = static_cast<std::int64_t>(s_odds.size());
  BEATSCAN_EXPECTS(static_cast<std::int64_t>(others.size()) == 2 * beats &&
                       static_cast<std::int64_t>(posteriors.size()) == kTreeClasses * beats,
                   "calibrated_posteriors: bad shape");
  each(
      context, beats,
      [of = lines, s = s_odds.data(), others = others.data(),
       found = posteriors.data()] BEATSCAN_DEVICE(std::int64_t i) {
        double odds[kClassOdds] = {s[i], others[2 * i], others[2 * i + 1]}, own[kTreeClasses];
        for (int c = 0; c < kClassOdds; ++c) odds[c] = of.slope[c] * odds[c] + of.offset[c];
        const double rest = softplus(odds[0]);
        for (int c = 1; c < kClassOdds; ++c) odds[c] += rest;
        write_posteriors(odds, own);
        for (int c = 0; c < kTreeClasses; ++c) found[i * kTreeClasses + c] = static_cast<float>(own[c]);
      },
      2048);
}

void chain_odds(BackEnd& context, const ChainModel& model, std::span<double> odds) {
  constexpr int kOthers = kChainStates - 1;
  BEATSCAN_EXPECTS(odds.size() % kOthers == 0, "chain_odds: bad shape");
  const auto beats = static_cast<std::int64_t>(odds.size()) / kOthers;
  Buffer<double, BackEnd> states(context, beats * kChainStates);
  each(
      context, beats,
      [model, odds = odds.data(), states = states.data()] BEATSCAN_DEVICE(std::int64_t i) {
        double* own = states + i * kChainStates;
        own[0] = 0;
        for (int s = 0; s < kOthers; ++s) own[s + 1] = model.slope[s] * odds[i * kOthers + s];
        const double most = larger(larger(own[0], own[1]), own[2]);
        for (int s = 0; s < kChainStates; ++s) own[s] = std::exp(own[s] - most);
      },
      2048);
  chain_posteriors(context, model.weights, states);
  each(
      context, beats,
      [odds = odds.data(), states = states.data()] BEATSCAN_DEVICE(std::int64_t i) {
        const double* own = states + i * kChainStates;
        for (int s = 0; s < kOthers; ++s) odds[i * kOthers + s] = std::log(own[s + 1] / own[0]);
      },
      2048);
}

}  // namespace beatscan
