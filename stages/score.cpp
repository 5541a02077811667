#include "stages/score.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/check.h"
#include "kernels/distances.h"
#include "kernels/log_scores.h"
#include "kernels/neighbourhood.h"
#include "stages/robust.h"

namespace beatscan {
namespace {

constexpr double kActiveVariance = 0.01;
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
  result.threshold = static_cast<float>(result.threshold);  // so that the decision can be repeated from the files
  result.anomalous.resize(result.score.size());
  for (std::size_t i = 0; i < result.score.size(); ++i)
    result.anomalous_count += result.anomalous[i] = result.score[i] > result.threshold;
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

// Logarithms of distances, and the scale of those of the regular beats.
template <class Context>
struct LogDistances {
  Buffer<float, Context> values;  // [B]
  RobustScale scale;
};

// The distances of score.h, each as logarithms.
template <class Context>
class Distances {
 public:
  Distances(Context& context, const CentredBeats<Context>& embedded, const ScoreOptions& options)
      : context_(context),
        embedded_(embedded),
        options_(options),
        regular_(from_host(context, sample_places(embedded.regular))) {}

  LogDistances<Context> plain() const { return standardised(from_host(context_, embedded_.from_median), 1); }

  LogDistances<Context> from_median() const {
    Buffer<float, Context> distances(context_, embedded_.rows.count);
    scaled_distances(context_, embedded_.rows.values, from_host(context_, embedded_.reference.median),
                     static_cast<float>(embedded_.reference.spread), kSizes, distances);
    return standardised(std::move(distances), 1);
  }

  LogDistances<Context> from_nearest() const {
    Buffer<float, Context> distances(context_, embedded_.rows.count);
    const auto count = std::ssize(embedded_.reference.rows);
    const auto nearest = static_cast<std::int64_t>(options_.nearest_share * static_cast<double>(count));
    nearest_distances(context_, embedded_.rows.values, from_host(context_, embedded_.reference.values),
                      embedded_.rows.points, static_cast<int>(std::min(std::max(nearest, kLeastRank), count - 1)),
                      distances);
    return standardised(std::move(distances), spread_variance());
  }

  LogDistances<Context> from_model(const VaeModel& model, const RowScores& scores) const {
    const auto& rows = embedded_.rows;
    const auto latents = from_host(context_, scores.latents);
    Buffer<float, Context> around(context_, latents.size());
    neighbourhood_medians(context_, latents, static_cast<int>(latents.size() / rows.count),
                          from_host(context_, rows.trainable), options_.model_beats, around);
    return standardised(decoded_errors(context_, model, rows, around.span()), spread_variance());
  }

 private:
  LogDistances<Context> standardised(Buffer<float, Context> distances, float factor) const {
    take_logs(context_, factor, kLeastDistance, distances);
    Buffer<float, Context> chosen(context_, regular_.size());
    gather(context_, distances, regular_, chosen);
    const auto sample = to_host(context_, chosen);
    return {std::move(distances), blended_scale({sample.begin(), sample.end()}, options_.typical_spread)};
  }
  // Rows are in units of the beats' spread, distances in those of the median beat's variance.
  float spread_variance() const { return static_cast<float>(embedded_.reference.spread * embedded_.reference.spread); }

  Context& context_;
  const CentredBeats<Context>& embedded_;
  const ScoreOptions& options_;
  Buffer<std::int64_t, Context> regular_;  // some of the regular rows
};

// Weighted sum of standardised distances. [B]
template <class Context>
class WaveformScore {
 public:
  WaveformScore(Context& context, std::int64_t rows)
      : context_(context), sums_(from_host(context, std::vector<float>(rows))) {}
  void add(double weight, const LogDistances<Context>& distances) {
    add_weighted(context_, distances.values, static_cast<float>(distances.scale.median),
                 static_cast<float>(weight / distances.scale.scale), sums_);
  }
  std::vector<float> take() { return to_host(context_, sums_); }

 private:
  Context& context_;
  Buffer<float, Context> sums_;
};

std::vector<float> sum_of(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> sum(a.size());
  std::ranges::transform(a, b, sum.begin(), std::plus());
  return sum;
}

}  // namespace

template <class Context>
Ranking rank_beats(Context& context, const CentredBeats<Context>& embedded, const Rhythm& rhythm, const VaeModel& model,
                   const RowScores& row_scores, const ScoreOptions& options) {
  const Distances<Context> distances(context, embedded, options);
  const double weights = options.median_weight + options.nearest_weight + options.model_weight;
  BEATSCAN_EXPECTS(weights > 0, "rank_beats: no weight");
  WaveformScore<Context> waveform(context, embedded.rows.count), plain(context, embedded.rows.count);
  if (options.median_weight > 0) waveform.add(options.median_weight / weights, distances.from_median());
  if (options.nearest_weight > 0) waveform.add(options.nearest_weight / weights, distances.from_nearest());
  if (options.model_weight > 0) waveform.add(options.model_weight / weights, distances.from_model(model, row_scores));
  plain.add(1, distances.plain());
  Ranking ranking{.waveform = waveform.take()};
  ranking.rhythm.reserve(embedded.rows.count);
  for (const std::int64_t beat : to_host(context, embedded.rows.kept)) ranking.rhythm.push_back(rhythm.score[beat]);
  ranking.scores = decide(sum_of(ranking.waveform, ranking.rhythm), embedded.trusted, options);
  ranking.baseline = decide(sum_of(plain.take(), ranking.rhythm), embedded.trusted, options);
  return ranking;
}

template Ranking rank_beats(Cpu&, const CentredBeats<Cpu>&, const Rhythm&, const VaeModel&, const RowScores&,
                            const ScoreOptions&);
#ifdef BEATSCAN_WITH_CUDA
template Ranking rank_beats(Cuda&, const CentredBeats<Cuda>&, const Rhythm&, const VaeModel&, const RowScores&,
                            const ScoreOptions&);
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
