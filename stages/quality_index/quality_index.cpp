#include "stages/quality_index/quality_index.h"

#include "stages/quality_index/lead_features.h"
#include "stages/recording/lead_units.h"
#include "stages/recording/recording.h"

namespace beatscan {

using namespace quality;

template <class Context>
QualityIndex quality_index(Context& context, const Recording<Context>& recording, const QualityModel& model,
                           double sample_rate_hz) {
  const std::int64_t leads = std::ssize(recording.leads), samples = recording.samples();
  if (!(sample_rate_hz >= kLeastRateHz && sample_rate_hz <= kMostRateHz) || samples == 0) return {};
  const std::int64_t blocks = block_count(samples, sample_rate_hz), windows = window_count(blocks);
  const auto tables = quality_tables(context, sample_rate_hz);
  const auto of_blocks = load_forest(context, model.blocks), of_recordings = load_forest(context, model.recordings);
  Buffer<float, Context> features(context, blocks * kFeatures), probabilities(context, leads * blocks * kClasses),
      acceptable(context, windows);
  Buffer<LeadWindow, Context> lead_sums(context, leads * windows);
  for (std::int64_t l = 0; l < leads; ++l) {
    const auto& lead = recording.leads[l];
    const auto p = probabilities.span().subspan(l * blocks * kClasses, blocks * kClasses);
    lead_features(context,
                  lead_of(tables, lead.samples, lead.gap_firsts, lead.gap_lasts, sample_rate_hz,
                          mv_per_unit(lead.unit, lead.range)),
                  features);
    block_probabilities(context, of_blocks, model.calibration, kFeatures, features, p);
    lead_windows(context, features, p, lead_sums.span().subspan(l * windows, windows));
  }
  window_acceptability(context, of_recordings, probabilities, lead_sums, leads, acceptable);
  QualityIndex index{.leads = leads, .blocks = blocks, .block_samples = kBlockS * sample_rate_hz, .probabilities = {}};
  index.probabilities = to_host(context, probabilities);
  for (const float window : to_host(context, acceptable)) index.acceptable += window / static_cast<double>(windows);
  return index;
}

std::array<double, kClasses> quality_shares(const QualityIndex& index, std::int64_t lead) {
  std::array<double, kClasses> shares{};
  for (std::int64_t b = 0; b < index.blocks; ++b)
    for (const Class of : {kGood, kNoise, kLost}) shares[of] += index.at(lead, b, of);
  for (double& share : shares) share /= static_cast<double>(index.blocks);
  return shares;
}

#define BEATSCAN_QUALITY_INDEX(Context) \
  template QualityIndex quality_index(Context&, const Recording<Context>&, const QualityModel&, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_QUALITY_INDEX)

}  // namespace beatscan
