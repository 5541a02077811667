#include "stages/quality/quality_index.h"

#include "stages/io/recording/recording.h"
#include "stages/quality/lead_features.h"

namespace beatscan {

using namespace quality;

namespace {

// What all leads of a recording are judged by.
template <class Context>
struct Judges {
  Context& context;
  double rate_hz;
  Tables<Context> tables;
  Forest<Context> forest, fibrillation;
  Calibration calibration;

  // Judges a lead: probabilities [K][kClasses], scores [K], and its part of each window.
  void judge(const LeadView& lead, std::span<float> probabilities, std::span<FibrillationScore> scores,
             std::span<LeadWindow> windows) {
    Buffer<float, Context> features(context, lead.blocks * kFeatures);
    lead_features(context, lead, features);
    block_probabilities(context, forest, calibration, kFeatures, features, probabilities);
    score_fibrillation(context, fibrillation, features, scores);
    lead_windows(context, features, probabilities, windows);
  }
};

// Fills in leads that were left out: each of their blocks, and of their windows, is that of a constant lead.
template <class Context>
void judge_left_out(Judges<Context>& judges, std::span<float> probabilities, std::span<LeadWindow> windows) {
  if (windows.empty()) return;
  auto& context = judges.context;
  const auto samples = from_host(context, std::vector<float>(static_cast<std::size_t>(2 * kBlockS * judges.rate_hz)));
  const LeadView lead = lead_of(judges.tables, samples, {}, {}, judges.rate_hz, 1);
  Buffer<float, Context> p(context, lead.blocks * kClasses);
  Buffer<FibrillationScore, Context> scores(context, lead.blocks);
  Buffer<LeadWindow, Context> window(context, 1);
  judges.judge(lead, p, scores, window);
  const auto of_block = to_host(context, p.span().first(kClasses));
  std::vector<float> all;
  while (all.size() < probabilities.size()) all.insert(all.end(), of_block.begin(), of_block.end());
  const std::vector<LeadWindow> all_windows(windows.size(), to_host(context, window).front());
  copy<float>(context, all, probabilities);
  copy<LeadWindow>(context, all_windows, windows);
  context.synchronize();
}

}  // namespace

template <class Context>
QualityIndex quality_index(Context& context, const Recording<Context>& recording, const QualityModel& model,
                           double sample_rate_hz) {
  const std::int64_t leads = std::ssize(recording.leads), samples = recording.samples();
  if (!(sample_rate_hz >= kLeastRateHz && sample_rate_hz <= kMostRateHz) || samples == 0) return {};
  const std::int64_t blocks = block_count(samples, sample_rate_hz), windows = window_count(blocks);
  const std::int64_t of_lead = blocks * kClasses, all = leads + recording.left_out;
  Judges<Context> judges{context,
                         sample_rate_hz,
                         quality_tables(context, sample_rate_hz),
                         load_forest(context, model.blocks),
                         load_forest(context, model.fibrillation),
                         model.calibration};
  Buffer<float, Context> probabilities(context, all * of_lead), acceptable(context, windows);
  Buffer<FibrillationScore, Context> scores(context, leads * blocks);
  Buffer<LeadWindow, Context> lead_sums(context, all * windows);
  for (std::int64_t l = 0; l < leads; ++l) {
    const auto& lead = recording.leads[l];
    judges.judge(
        lead_of(judges.tables, lead.samples, lead.gap_firsts, lead.gap_lasts, sample_rate_hz, lead.scale.mv_per_unit),
        probabilities.span().subspan(l * of_lead, of_lead), scores.span().subspan(l * blocks, blocks),
        lead_sums.span().subspan(l * windows, windows));
  }
  judge_left_out(judges, probabilities.span().subspan(leads * of_lead), lead_sums.span().subspan(leads * windows));
  window_acceptability(context, load_forest(context, model.recordings), probabilities, lead_sums, all, acceptable);
  QualityIndex index{.leads = leads,
                     .blocks = blocks,
                     .block_samples = kBlockS * sample_rate_hz,
                     .probabilities = to_host(context, probabilities.span().first(leads * of_lead)),
                     .fibrillation = to_host(context, scores),
                     .fibrillation_model = model.fibrillation_model};
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
