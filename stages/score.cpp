#include "stages/score.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/check.h"
#include "kernels/distances.h"
#include "kernels/gather.h"
#include "kernels/log_scores.h"
#include "kernels/neighbourhood.h"
#include "kernels/parallel.h"
#include "stages/robust.h"

namespace beatscan {
namespace {

constexpr double kCollapsedExplained = 0.01;
constexpr double kLeastScale = 1e-6;  // all alike: a tiny scale, never a division by 0
constexpr SizeRange kSizes{0.8f, 1.25f};
// Closer than this to what is normal is close enough: a thirtieth of the median beat's amplitude.
constexpr float kLeastDistance = 1e-3f;
constexpr std::int64_t kLeastRank = 5;  // of the nearest reference beats: fewer may themselves be odd

// The threshold, and what is above it. `counting` beats make the quantile.
BeatScores decide(std::vector<float> score, const std::vector<std::uint8_t>& counting, const ScoreOptions& options) {
  BeatScores result{.score = std::move(score), .threshold = options.threshold_deviations};
  if (options.threshold_fraction) {
    std::vector<double> chosen;
    for (std::size_t i = 0; i < counting.size(); ++i)
      if (counting[i]) chosen.push_back(result.score[i]);
    result.threshold = quantile(chosen, 1 - *options.threshold_fraction);
  }
  const auto threshold = static_cast<float>(result.threshold);
  result.threshold = threshold;  // so that the decision can be repeated from the files
  result.anomalous.resize(result.score.size());
  std::ranges::transform(result.score, result.anomalous.begin(), [=](float value) { return value > threshold; });
  result.anomalous_count = std::ranges::count(result.anomalous, 1);
  return result;
}

}  // namespace

BeatScores score_beats(const RowScores& rows, const std::vector<Split>& split, double kl_weight,
                       const ScoreOptions& options) {
  const std::size_t count = rows.reconstruction_error.size();
  BEATSCAN_EXPECTS(count > 0 && rows.kl.size() == count && split.size() == count, "score_beats: bad shape");
  std::vector<double> log_loss(count);
  for (std::size_t i = 0; i < count; ++i)
    log_loss[i] = std::log(std::max(rows.reconstruction_error[i] + kl_weight * rows.kl[i], 1e-30));

  std::vector<std::uint8_t> in_train(count);
  std::ranges::transform(split, in_train.begin(), [](Split use) { return use == Split::train; });
  BEATSCAN_EXPECTS(std::ranges::count(in_train, 1) > 0, "score_beats: no training beats");
  const RobustScale scale = robust_scale(sample_of(log_loss, in_train), kLeastScale);
  std::vector<float> score(count);
  std::ranges::transform(log_loss, score.begin(), [&](double value) { return static_cast<float>(scale.z(value)); });
  return decide(std::move(score), in_train, options);
}

namespace {

// The distances of score.h, each as logarithms. [B]
template <class Context>
class LogDistances {
 public:
  LogDistances(Context& context, const CentredBeats<Context>& embedded, const ScoreOptions& options)
      : context_(context), embedded_(embedded), options_(options) {}

  Buffer<float, Context> plain() const {
    Buffer<float, Context> distances(context_, embedded_.rows.count);
    copy<float>(context_, embedded_.from_median, distances);
    return logs(std::move(distances), 1);
  }

  Buffer<float, Context> from_median() const {
    Buffer<float, Context> distances(context_, embedded_.rows.count);
    scaled_distances(context_, embedded_.rows.values, from_host(context_, embedded_.reference.median),
                     static_cast<float>(embedded_.reference.spread), kSizes, distances);
    return logs(std::move(distances), 1);
  }

  Buffer<float, Context> from_nearest() const {
    Buffer<float, Context> distances(context_, embedded_.rows.count);
    const auto count = embedded_.reference.rows.size();
    const auto nearest = static_cast<std::int64_t>(options_.nearest_share * static_cast<double>(count));
    nearest_distances(context_, embedded_.rows.values, embedded_.reference.values, embedded_.rows.points,
                      static_cast<int>(std::min(std::max(nearest, kLeastRank), count - 1)), distances);
    return logs(std::move(distances), spread_variance());
  }

  Buffer<float, Context> from_model(const VaeModel& model, const Buffer<float, Context>& latents) const {
    const auto& rows = embedded_.rows;
    Buffer<float, Context> around(context_, latents.size());
    neighbourhood_medians(context_, latents, static_cast<int>(latents.size() / rows.count), rows.trainable,
                          options_.model_beats, around);
    return logs(decoded_errors(context_, model, rows, around.span()), spread_variance());
  }

 private:
  Buffer<float, Context> logs(Buffer<float, Context> distances, float factor) const {
    take_logs(context_, factor, kLeastDistance, distances);
    return distances;
  }
  // Rows are in units of the beats' spread, distances in those of the median beat's variance.
  float spread_variance() const { return static_cast<float>(embedded_.reference.spread * embedded_.reference.spread); }

  Context& context_;
  const CentredBeats<Context>& embedded_;
  const ScoreOptions& options_;
};

template <class Context>
struct Part {
  double weight;
  Buffer<float, Context> distances;  // logarithms
};

// The parts of the waveform's score, and last the baseline's one part. All are queued before any is waited for.
template <class Context>
std::vector<Part<Context>> parts_of(Context& context, const CentredBeats<Context>& embedded, const VaeModel& model,
                                    const RowScoreBuffers<Context>& row_scores, const ScoreOptions& options) {
  const LogDistances<Context> distances(context, embedded, options);
  const double weights = options.median_weight + options.nearest_weight + options.model_weight;
  BEATSCAN_EXPECTS(weights > 0, "rank_beats: no weight");
  std::vector<Part<Context>> parts;
  if (options.median_weight > 0) parts.push_back({options.median_weight / weights, distances.from_median()});
  if (options.nearest_weight > 0) parts.push_back({options.nearest_weight / weights, distances.from_nearest()});
  if (options.model_weight > 0)
    parts.push_back({options.model_weight / weights, distances.from_model(model, row_scores.latents)});
  parts.push_back({1, distances.plain()});
  return parts;
}

// Scales of the parts' distances, over regular beats.
template <class Context>
std::vector<RobustScale> scales_of(Context& context, const std::vector<Part<Context>>& parts,
                                   const Buffer<std::int64_t, Context>& measured, double typical_spread) {
  const auto count = measured.size(), size = std::ssize(parts);
  Buffer<float, Context> chosen(context, size * count);
  for (std::int64_t i = 0; i < size; ++i)
    gather<float>(context, parts[i].distances, measured, chosen.span().subspan(i * count, count));
  const auto samples = to_host(context, chosen);
  std::vector<RobustScale> scales(size);
  run_parts(size, [&](std::int64_t i) {
    const auto first = samples.begin() + i * count;
    scales[i] = blended_scale({first, first + count}, typical_spread);
  });
  return scales;
}

template <class Context>
Buffer<float, Context> standardised_sum(Context& context, std::span<const Part<Context>> parts,
                                        std::span<const RobustScale> scales) {
  std::vector<StandardTerm> terms;
  for (std::size_t i = 0; i < parts.size(); ++i)
    terms.push_back({parts[i].distances, static_cast<float>(scales[i].median),
                     static_cast<float>(parts[i].weight / scales[i].scale)});
  Buffer<float, Context> sums(context, parts.front().distances.size());
  weighted_sum(context, terms, sums);
  return sums;
}

}  // namespace

template <class Context>
Ranking rank_beats(Context& context, const CentredBeats<Context>& embedded, const RhythmBuffers<Context>& rhythm,
                   const VaeModel& model, const RowScoreBuffers<Context>& row_scores, const ScoreOptions& options) {
  RowScoresFetch<Context> fetch(context, row_scores);
  const auto parts = parts_of(context, embedded, model, row_scores, options);
  Ranking ranking{.rows = fetch.get()};  // while the device works on the parts
  const auto scales = scales_of(context, parts, embedded.measured, options.typical_spread);
  const std::span all_parts(parts);
  const std::span all_scales(scales);
  const auto waveform = standardised_sum(context, all_parts.first(parts.size() - 1), all_scales);
  auto baseline = standardised_sum(context, all_parts.last(1), all_scales.last(1));
  const auto rhythm_score = gathered(context, rhythm.score, embedded.rows.kept);
  Buffer<float, Context> score(context, embedded.rows.count);
  add(context, waveform, rhythm_score, score);
  add(context, baseline, rhythm_score, baseline);

  std::vector<float> scores, baselines;
  std::tie(ranking.waveform, ranking.rhythm, scores, baselines) =
      to_hosts(context, waveform, rhythm_score, score, baseline);
  std::vector<std::uint8_t> counting;  // needed for a share alone
  if (options.threshold_fraction) counting = to_host(context, embedded.trusted);
  ranking.scores = decide(std::move(scores), counting, options);
  ranking.baseline = decide(std::move(baselines), counting, options);
  return ranking;
}

template Ranking rank_beats(Cpu&, const CentredBeats<Cpu>&, const RhythmBuffers<Cpu>&, const VaeModel&,
                            const RowScoreBuffers<Cpu>&, const ScoreOptions&);
#ifdef BEATSCAN_WITH_CUDA
template Ranking rank_beats(Cuda&, const CentredBeats<Cuda>&, const RhythmBuffers<Cuda>&, const VaeModel&,
                            const RowScoreBuffers<Cuda>&, const ScoreOptions&);
#endif

ModelDiagnosis diagnose(const RowScores& rows, const VaeTraining& training, int latents) {
  const Split wanted = std::ranges::count(training.split, Split::test) > 0 ? Split::test : Split::train;
  ModelDiagnosis diagnosis{.latent_variance = std::vector<double>(latents),
                           .mean_beat_error = training.mean_beat_error};
  std::vector<double> sum(latents), sum_of_squares(latents);
  double beats = 0;
  for (std::size_t i = 0; i < training.split.size(); ++i) {
    if (training.split[i] != wanted) continue;
    ++beats;
    diagnosis.test_error += rows.reconstruction_error[i];
    for (int z = 0; z < latents; ++z) {
      const double mu = rows.latents[i * latents + z];
      sum[z] += mu;
      sum_of_squares[z] += mu * mu;
    }
  }
  diagnosis.test_error /= beats;
  for (int z = 0; z < latents; ++z) {
    diagnosis.latent_variance[z] = std::max(sum_of_squares[z] / beats - sum[z] / beats * (sum[z] / beats), 0.0);
    diagnosis.active_latents += diagnosis.latent_variance[z] > kActiveVariance;
  }
  diagnosis.explained = diagnosis.mean_beat_error > 0 ? 1 - diagnosis.test_error / diagnosis.mean_beat_error : 0;
  diagnosis.collapsed = diagnosis.active_latents == 0 || diagnosis.explained < kCollapsedExplained;
  return diagnosis;
}

}  // namespace beatscan
