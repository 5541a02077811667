#include "stages/quality/quality_index.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "stages/io/recording/recording.h"

namespace beatscan {

namespace {

using namespace quality;

constexpr std::int64_t kWindowOfCpu = 512, kWindowOfCuda = 8192;  // blocks: 1 and 17 MB of beats

// The beats of a lead, window by window.
template <class Context>
class BeatSearch {
 public:
  BeatSearch(Context& context, const LeadView& lead, std::int64_t window_blocks)
      : context_(context),
        lead_(lead),
        first_beat_(context, lead.blocks + 1),
        pairs_(context, lead.blocks * kMostBeats * kBeatsAfter),
        sums_(context, window_blocks + 2),
        rows_(context, window_blocks * kMostBeats),
        places_(context, window_blocks * kMostBeats),
        before_(context, kBeatsAfter),
        last_(context, kBeatsAfter) {
    zero_bytes(context, first_beat_.data(), sizeof(std::uint32_t));
  }

  // Works on the blocks first .. first + leakage.size() - 1. Windows come in order.
  void run(std::span<const LocalMedians> medians, std::span<const float> levels, std::int64_t first,
           std::span<Leakage> leakage) {
    const std::int64_t blocks = std::ssize(leakage);
    const auto sums = sums_.span().first(blocks + 2), starts = first_beat_.span().subspan(first, blocks + 1);
    const auto rows = rows_.span().first(blocks * kMostBeats);
    // The beats so far, those of each block, and 0 become the first beat of each block and of the next window.
    copy<std::uint32_t>(context_, starts.first(1), sums.first(1));
    zero_bytes(context_, sums.data() + blocks + 1, sizeof(std::uint32_t));
    find_beats(context_, lead_, medians, levels, first, sums.subspan(1, blocks), rows, leakage);
    sum_counts(context_, sums);
    copy<std::uint32_t>(context_, sums.subspan(1), starts);
    const WindowBeats window{blocks, starts.data(), rows.data(), places_.data(), before_.data()};
    list_places(context_, window, places_);
    correlate(context_, window, pairs_);
    keep_last(context_, window, last_);
    std::swap(before_, last_);
  }

  std::span<const std::uint32_t> first_beat() const { return first_beat_; }
  std::span<const float> pairs() const { return pairs_; }

 private:
  Context& context_;
  const LeadView& lead_;
  Buffer<std::uint32_t, Context> first_beat_;  // [K + 1]
  Buffer<float, Context> pairs_;               // see correlate()
  Buffer<std::uint32_t, Context> sums_;
  Buffer<BeatRow, Context> rows_;
  Buffer<std::uint32_t, Context> places_;
  Buffer<BeatRow, Context> before_, last_;
};

}  // namespace

template <class Context>
void lead_features(Context& context, const LeadView& lead, std::span<float> features, std::int64_t window_blocks) {
  const std::int64_t blocks = lead.blocks, most = std::is_same_v<Context, Cpu> ? kWindowOfCpu : kWindowOfCuda;
  const std::int64_t window = std::min(window_blocks > 0 ? window_blocks : most, blocks);
  Buffer<SampleFacts, Context> samples(context, blocks);
  Buffer<BandFacts, Context> bands(context, blocks);
  Buffer<LocalMedians, Context> medians(context, median_groups(blocks));
  Buffer<float, Context> levels(context, blocks);
  Buffer<Leakage, Context> leakage(context, blocks);
  Buffer<Similarity, Context> similarity(context, blocks);
  sample_facts(context, lead, 0, samples);
  band_facts(context, lead, 0, bands);
  local_medians(context, samples, bands, medians);
  beat_levels(context, bands, medians, levels);
  BeatSearch<Context> beats(context, lead, window);
  for (std::int64_t first = 0; first < blocks; first += window)
    beats.run(medians, levels, first, leakage.span().subspan(first, std::min(window, blocks - first)));
  sum_similarity(context, beats.first_beat(), beats.pairs(), similarity);
  block_features(context, {samples, bands, medians, levels, leakage, similarity}, features);
}

#define BEATSCAN_LEAD_FEATURES(Context) \
  template void lead_features(Context&, const LeadView&, std::span<float>, std::int64_t);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_LEAD_FEATURES)

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
