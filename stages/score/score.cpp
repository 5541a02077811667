#include "stages/score/score.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/lists/gather.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "kernels/windows/distances.h"
#include "kernels/windows/log_scores.h"
#include "stages/classify/beat_findings.h"
#include "stages/common/robust.h"
#include "stages/io/recording/leads.h"
#include "stages/model/vae.h"
#include "stages/score/scores.h"
#include "stages/windows/centred_beats.h"
#include "stages/windows/embedded_beats.h"

namespace beatscan {
namespace {

static_assert(kMostLeads <= kMostFusedLeads, "the kernel must take all leads that can be asked for");

constexpr double kLeastScale = 1e-6;      // so that losses that are all equal are not divided by 0
constexpr SizeRange kSizes{0.8f, 1.25f};  // sizes of the median beat that a beat may have
constexpr float kLeastDistance = 1e-3f;   // added to distances: a thirtieth of the median beat's amplitude is close
constexpr float kBelowNormal =
    0.02f;  // weight of a waveform score below 0: a beat that is closer than most is hardly less atypical
constexpr float kLeadFloor = 0.02f;  // added to a lead's spread^2, so that no lead outweighs all others
constexpr double kLeastOdds = -3, kMostOdds = 9, kNeutralOdds = -2;  // log odds, of the learned score
constexpr std::int64_t kLeastRank = 5;  // of fewer nearest reference beats all might be atypical themselves

// Computes the threshold, and which scores are above it. The quantile is taken over the `counting` beats.
BeatScores decide(std::vector<float> score, const std::vector<std::uint8_t>& counting, const ScoreOptions& options) {
  BeatScores result{.score = std::move(score), .threshold = options.threshold_deviations};
  if (options.threshold_fraction) {
    std::vector<double> chosen;
    for (std::size_t i = 0; i < counting.size(); ++i)
      if (counting[i]) chosen.push_back(result.score[i]);
    result.threshold = quantile(chosen, 1 - *options.threshold_fraction);
  }
  const auto threshold = static_cast<float>(result.threshold);
  result.threshold = threshold;  // rounded, so that the decision can be repeated from the files
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

// Returns the options of a ranking without a model.
ScoreOptions without_model(ScoreOptions options) {
  if (options.median_weight + options.nearest_weight == 0 && options.model_weight > 0)
    throw Error(ErrorKind::unanalysable,
                "too few beats to train a model on, which alone has a weight in the score; lower vae.least_beats, give "
                "score.median_weight, or take the model of another recording");
  options.model_weight = 0;
  return options;
}

// The origin that the distance of a beat is measured from. `plain` is the unscaled median beat.
enum class Normal { median, nearest, model, plain };

// Computes the distances of score.h over all leads, [B], as logarithms.
template <class Context>
class LogDistances {
 public:
  LogDistances(Context& context, const EmbeddedBeats<Context>& embedded, const ScoreOptions& options)
      : context_(context), embedded_(embedded), options_(options), most_(context, embedded.beats()) {
    if (options.median_weight == 0) leading_ = options.nearest_weight > 0 ? Normal::nearest : Normal::model;
  }

  // Also finds for each beat the lead that adds most, with the first of the distances that have a weight.
  Buffer<float, Context> from(Normal normal, const VaeModel& model, const Buffer<float, Context>& latents) {
    const std::int64_t beats = embedded_.beats();
    Buffer<float, Context> distances(context_, embedded_.rows.count), fused(context_, beats);
    if (normal == Normal::model) fill_from_model(model, latents, distances);
    std::vector<LeadDistances> leads;
    for (std::size_t l = 0; l < embedded_.leads.size(); ++l) {
      const auto& lead = embedded_.leads[l];
      const auto part = distances.span().subspan(l * beats, beats);
      if (normal != Normal::model) fill(normal, lead.beats, part);
      const auto spread = static_cast<float>(lead.beats.reference.spread);
      const bool in_variance = normal == Normal::median || normal == Normal::plain;
      leads.push_back({part, normal == Normal::plain ? std::span<const float>() : lead.noise.span(), lead.heard,
                       in_variance ? 1 : spread * spread, 1 / (spread * spread + kLeadFloor)});
    }
    fuse_leads(context_, leads, fused, normal == leading_ ? most_.span() : std::span<std::uint8_t>());
    take_logs(context_, kLeastDistance, fused);
    return fused;
  }
  const Buffer<std::uint8_t, Context>& most() const { return most_; }

 private:
  void fill(Normal normal, const CentredBeats<Context>& lead, std::span<float> distances) {
    const auto& reference = lead.reference;
    if (normal == Normal::plain) copy<float>(context_, lead.from_median, distances);
    if (normal == Normal::median)
      scaled_distances(context_, lead.rows, from_host(context_, reference.median), static_cast<float>(reference.spread),
                       kSizes, distances);
    if (normal != Normal::nearest) return;
    const auto count = reference.rows.size();
    const auto nearest = static_cast<std::int64_t>(options_.nearest_share * static_cast<double>(count));
    nearest_distances(context_, lead.rows, reference.values, embedded_.rows.points,
                      static_cast<int>(std::min(std::max(nearest, kLeastRank), count - 1)), distances);
  }

  void fill_from_model(const VaeModel& model, const Buffer<float, Context>& latents,
                       Buffer<float, Context>& distances) {
    const std::int64_t beats = embedded_.beats(), values = latents.size() / std::ssize(embedded_.leads);
    Buffer<float, Context> around(context_, latents.size());
    for (std::size_t l = 0; l < embedded_.leads.size(); ++l)
      neighbourhood_medians(context_, latents.span().subspan(l * values, values), static_cast<int>(values / beats),
                            embedded_.leads[l].beats.usual, options_.model_beats,
                            around.span().subspan(l * values, values));
    distances = decoded_errors(context_, model, embedded_.rows, around.span());
  }

  Context& context_;
  const EmbeddedBeats<Context>& embedded_;
  const ScoreOptions& options_;
  Normal leading_ = Normal::median;
  Buffer<std::uint8_t, Context> most_;  // [B]
};

template <class Context>
struct Part {
  Normal normal;
  double weight;
  Buffer<float, Context> distances = {};  // [B] logarithms
  RobustScale scale = {};                 // median and scale of the logarithms over regular beats
};

// Returns the parts of the waveform's score that have a weight, and last the only part of the baseline.
template <class Context>
std::vector<Part<Context>> parts_of(const ScoreOptions& options) {
  const double weights = options.median_weight + options.nearest_weight + options.model_weight;
  BEATSCAN_EXPECTS(weights > 0, "rank_beats: no weight");
  std::vector<Part<Context>> parts;
  const auto add = [&](Normal normal, double weight) {
    if (weight > 0) parts.push_back({normal, weight / weights});
  };
  add(Normal::median, options.median_weight);
  add(Normal::nearest, options.nearest_weight);
  add(Normal::model, options.model_weight);
  parts.push_back({Normal::plain, 1});
  return parts;
}

// Queues the distances of some parts. Fetches a sample of them, from which the host computes the scales.
template <class Context>
class QueuedParts {
 public:
  QueuedParts(Context& context, std::vector<Part<Context>*> parts, LogDistances<Context>& distances,
              const VaeModel& model, const Buffer<float, Context>& latents,
              const Buffer<std::int64_t, Context>& measured)
      : parts_(std::move(parts)), count_(measured.size()), samples_(context, std::ssize(parts_) * count_) {
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i]->distances = distances.from(parts_[i]->normal, model, latents);
      gather<float>(context, parts_[i]->distances, measured, samples_.span().subspan(i * count_, count_));
    }
  }
  // Starts to fetch the sample. Work that needs the context's staging() must be done by then.
  void fetch(Context& context) { fetch_.emplace(context, samples_); }
  void find_scales(double typical_spread) {
    const auto samples = std::get<0>(fetch_->get());
    run_parts(std::ssize(parts_), [&](std::int64_t i) {
      const auto first = samples.begin() + i * count_;
      parts_[i]->scale = blended_scale({first, first + count_}, typical_spread);
    });
  }

 private:
  std::vector<Part<Context>*> parts_;
  std::int64_t count_;
  Buffer<float, Context> samples_;
  std::optional<Fetch<Context, float>> fetch_;
};

// Computes distances and scales of all parts; returns the row scores on the host. The distances from the nearest beats
// take the device longest, so they are queued last: meanwhile the host computes the scales of the other parts.
template <class Context>
RowScores measure_parts(Context& context, LogDistances<Context>& distances, const EmbeddedBeats<Context>& embedded,
                        const VaeModel& model, const RowScoreBuffers<Context>& row_scores, const ScoreOptions& options,
                        std::vector<Part<Context>>& parts) {
  std::vector<Part<Context>*> quick, slow;
  for (auto& part : parts) (part.normal == Normal::nearest ? slow : quick).push_back(&part);
  RowScoresFetch<Context> rows(context, row_scores);
  QueuedParts<Context> first(context, quick, distances, model, row_scores.latents, embedded.measured);
  RowScores host_rows = rows.get();
  first.fetch(context);
  QueuedParts<Context> second(context, slow, distances, model, row_scores.latents, embedded.measured);
  first.find_scales(options.typical_spread);
  second.fetch(context);
  second.find_scales(options.typical_spread);
  return host_rows;
}

template <class Context>
Buffer<float, Context> standardised_sum(Context& context, std::span<const Part<Context>> parts) {
  std::vector<StandardTerm> terms;
  for (const auto& part : parts)
    terms.push_back(
        {part.distances, static_cast<float>(part.scale.median), static_cast<float>(part.weight / part.scale.scale)});
  Buffer<float, Context> sums(context, parts.front().distances.size());
  weighted_sum(context, terms, sums);
  return sums;
}

// Returns the noise of all leads that rows were cut of, [C][B].
template <class Context>
Buffer<float, Context> noise_of_leads(Context& context, const EmbeddedBeats<Context>& embedded) {
  const std::int64_t beats = embedded.beats();
  Buffer<float, Context> noise(context, std::ssize(embedded.leads) * beats);
  for (std::size_t l = 0; l < embedded.leads.size(); ++l)
    copy<float>(context, embedded.leads[l].noise, noise.span().subspan(l * beats, beats));
  return noise;
}

// Returns for each beat the noise in one lead of [C][B].
std::vector<float> noise_in(const std::vector<std::uint8_t>& lead, const std::vector<float>& of_leads) {
  std::vector<float> noise(lead.size());
  for (std::size_t b = 0; b < lead.size(); ++b) noise[b] = of_leads[lead[b] * lead.size() + b];
  return noise;
}

}  // namespace

template <class Context>
Ranking rank_beats(Context& context, const EmbeddedBeats<Context>& embedded, const VaeModel& model,
                   const RowScoreBuffers<Context>& row_scores, const ScoreOptions& all_options) {
  const ScoreOptions options = model.exists() ? all_options : without_model(all_options);
  auto parts = parts_of<Context>(options);
  LogDistances<Context> distances(context, embedded, options);
  Ranking ranking{.rows = measure_parts(context, distances, embedded, model, row_scores, options, parts)};
  const std::span<const Part<Context>> all(parts);
  const auto waveform = standardised_sum<Context>(context, all.first(parts.size() - 1));
  auto baseline = standardised_sum<Context>(context, all.last(1));
  const auto rhythm_score = gathered(context, embedded.rhythm.score, embedded.rows.kept);
  Buffer<float, Context> score(context, embedded.beats());
  score_sums(context, waveform, rhythm_score, kBelowNormal, score);
  add(context, baseline, rhythm_score, baseline);

  std::vector<float> scores, baselines, noise;
  std::tie(ranking.waveform, ranking.rhythm, ranking.lead, scores, baselines, noise) =
      to_hosts(context, waveform, rhythm_score, distances.most(), score, baseline, noise_of_leads(context, embedded));
  std::vector<std::uint8_t> counting;  // needed for threshold_fraction only
  if (options.threshold_fraction) counting = to_host(context, embedded.trusted);
  run_together([&] { ranking.scores = decide(std::move(scores), counting, options); },
               [&] { ranking.baseline = decide(std::move(baselines), counting, options); },
               [&] { ranking.noise = noise_in(ranking.lead, noise); });
  for (auto& lead : ranking.lead) lead = static_cast<std::uint8_t>(embedded.leads[lead].lead);
  return ranking;
}

#define BEATSCAN_RANK_BEATS(Context)                                                    \
  template Ranking rank_beats(Context&, const EmbeddedBeats<Context>&, const VaeModel&, \
                              const RowScoreBuffers<Context>&, const ScoreOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RANK_BEATS)

float learned_score(const float* posteriors, const ScoreOptions& options) {
  const double abnormal = posteriors[kClassS] + posteriors[kClassV], other = posteriors[kClassN] + posteriors[kClassX];
  const double logit = std::log(std::max(abnormal, 1e-12)) - std::log(std::max(other, 1e-12));
  return static_cast<float>(options.learned_weight * (std::clamp(logit, kLeastOdds, kMostOdds) - kNeutralOdds));
}

void add_learned_scores(BeatScores& scores, std::span<const float> learned, const std::vector<std::uint8_t>& trusted,
                        const ScoreOptions& options) {
  BEATSCAN_EXPECTS(learned.size() == scores.score.size(), "add_learned_scores: bad shape");
  for (std::size_t b = 0; b < learned.size(); ++b) scores.score[b] += learned[b];
  scores = decide(std::move(scores.score), trusted, options);
}

}  // namespace beatscan
