#include "stages/quality/lead_features.h"

#include <algorithm>
#include <type_traits>
#include <utility>

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

}  // namespace beatscan
