#include "stages/score.h"

#include <algorithm>
#include <cmath>

#include "kernels/check.h"
#include "kernels/distances.h"
#include "kernels/parallel.h"
#include "stages/neighbourhood.h"
#include "stages/robust.h"

namespace beatscan {
namespace {

constexpr double kActiveVariance = 0.01;
constexpr double kCollapsedExplained = 0.01;
constexpr double kLeastScale = 1e-6;  // all alike: a tiny scale, never a division by 0
constexpr SizeRange kSizes{0.8f, 1.25f};
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

// log(distance + kLeastDistance), standardised.
class LogDistances {
 public:
  LogDistances(std::vector<float> distances, const std::vector<std::uint8_t>& regular, double typical_spread)
      : values_(std::move(distances)) {
    parallel_for(Cpu(), std::ssize(values_), 16384, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) values_[i] = std::log(values_[i] + kLeastDistance);
    });
    scale_ = blended_scale(sample_of(values_, regular), typical_spread);
  }
  double z(std::size_t row) const { return scale_.z(values_[row]); }

 private:
  // Closer than this to what is normal is close enough: a thirtieth of the median beat's amplitude.
  static constexpr float kLeastDistance = 1e-3f;
  std::vector<float> values_;
  RobustScale scale_;
};

// The three distances of stages/score.h.
template <class Context>
class Distances {
 public:
  Distances(Context& context, const CentredBeats<Context>& embedded, const ScoreOptions& options)
      : context_(context), embedded_(embedded), options_(options) {}

  LogDistances plain() const { return standardised(embedded_.from_median); }

  LogDistances from_median() const {
    Buffer<float, Context> distances(context_, embedded_.rows.count);
    scaled_distances(context_, embedded_.rows.values, from_host(context_, embedded_.reference.median),
                     static_cast<float>(embedded_.reference.spread), kSizes, distances);
    return standardised(to_host(context_, distances));
  }

  LogDistances from_nearest() const {
    Buffer<float, Context> distances(context_, embedded_.rows.count);
    const auto count = std::ssize(embedded_.reference.rows);
    const auto nearest = static_cast<std::int64_t>(options_.nearest_share * static_cast<double>(count));
    nearest_distances(context_, embedded_.rows.values, from_host(context_, embedded_.reference.values),
                      embedded_.rows.points, static_cast<int>(std::min(std::max(nearest, kLeastRank), count - 1)),
                      distances);
    return standardised(in_amplitudes(to_host(context_, distances)));
  }

  LogDistances from_model(const VaeModel& model, const RowScores& scores) const {
    const auto& rows = embedded_.rows;
    const auto latents = static_cast<int>(std::ssize(scores.latents) / rows.count);
    const auto around = neighbourhood_latents(Cpu(), scores.latents, latents, rows.trainable, options_.model_beats);
    return standardised(in_amplitudes(decoded_errors(context_, model, rows, around)));
  }

 private:
  LogDistances standardised(std::vector<float> distances) const {
    return {std::move(distances), embedded_.regular, options_.typical_spread};
  }
  // Rows are in units of the beats' spread.
  std::vector<float> in_amplitudes(std::vector<float> distances) const {
    const auto variance = static_cast<float>(embedded_.reference.spread * embedded_.reference.spread);
    for (float& distance : distances) distance *= variance;
    return distances;
  }

  Context& context_;
  const CentredBeats<Context>& embedded_;
  const ScoreOptions& options_;
};

}  // namespace

template <class Context>
Ranking rank_beats(Context& context, const CentredBeats<Context>& embedded, const Rhythm& rhythm, const VaeModel& model,
                   const RowScores& row_scores, const ScoreOptions& options) {
  const auto kept = to_host(context, embedded.rows.kept);
  const Distances<Context> distances(context, embedded, options);
  const double weights = options.median_weight + options.nearest_weight + options.model_weight;
  BEATSCAN_EXPECTS(weights > 0, "rank_beats: no weight");
  std::vector<double> waveform(kept.size());
  const auto add = [&](double weight, auto&& distance) {
    if (weight == 0) return;
    const LogDistances log_distances = distance();
    for (std::size_t row = 0; row < kept.size(); ++row) waveform[row] += weight / weights * log_distances.z(row);
  };
  add(options.median_weight, [&] { return distances.from_median(); });
  add(options.nearest_weight, [&] { return distances.from_nearest(); });
  add(options.model_weight, [&] { return distances.from_model(model, row_scores); });
  const LogDistances plain = distances.plain();
  Ranking ranking{.waveform = {waveform.begin(), waveform.end()}, .rhythm = std::vector<float>(kept.size())};
  std::vector<float> score(kept.size()), baseline(kept.size());
  for (std::size_t row = 0; row < kept.size(); ++row) {
    ranking.rhythm[row] = rhythm.score[kept[row]];
    score[row] = ranking.waveform[row] + ranking.rhythm[row];
    baseline[row] = static_cast<float>(plain.z(row)) + ranking.rhythm[row];
  }
  ranking.scores = decide(std::move(score), embedded.trusted, options);
  ranking.baseline = decide(std::move(baseline), embedded.trusted, options);
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
