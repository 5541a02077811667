#include "kernels/quality/beats.h"

#include <cmath>

#include "kernels/quality/correlate_common.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan::quality {
namespace {

constexpr float kOwnShare = 0.3f;
constexpr int kTemplateRank = 2;  // the third largest correlation

}  // namespace

void beat_levels(BackEnd& on, std::span<const BandFacts> bands, std::span<const LocalMedians> medians,
                 std::span<float> levels) {
  const auto blocks = static_cast<std::int64_t>(levels.size());
  BEATSCAN_EXPECTS(bands.size() == levels.size() && static_cast<std::int64_t>(medians.size()) == median_groups(blocks),
                   "beat_levels: bad shape");
  each(
      on, blocks,
      [of = bands.data(), medians = medians.data(), levels = levels.data(), blocks] BEATSCAN_DEVICE(std::int64_t b) {
        float tops[2 * kNearReach + 1];
        for (int j = 0; j <= 2 * kNearReach; ++j) {
          const std::int64_t near = b + j - kNearReach;
          tops[j] = of[near < 0 ? 0 : near < blocks ? near : blocks - 1].top;
        }
        const float own = tops[kNearReach];
        sort_few(tops, 2 * kNearReach + 1);
        const float middle = tops[kNearReach], most = larger(own, kOwnShare * middle);
        levels[b] = larger(smaller(middle, most), scales_of(medians[b / kGroupBlocks]).floor);
      },
      1024);
}

void list_places(BackEnd& on, const WindowBeats& window, std::span<std::uint32_t> places) {
  each(
      on, window.blocks,
      [window, places = places.data()] BEATSCAN_DEVICE(std::int64_t b) {
        const std::uint32_t first = window.first_beat[b] - window.first_beat[0];
        const std::uint32_t count = window.first_beat[b + 1] - window.first_beat[b];
        for (std::uint32_t k = 0; k < count; ++k) places[first + k] = static_cast<std::uint32_t>(b) * kMostBeats + k;
      },
      4096);
}

void keep_last(BackEnd& on, const WindowBeats& window, std::span<BeatRow> last) {
  BEATSCAN_EXPECTS(last.size() == kBeatsAfter, "keep_last: bad shape");
  each(on, kBeatsAfter, [window, last = last.data()] BEATSCAN_DEVICE(std::int64_t i) {
    const std::int64_t beat = static_cast<std::int64_t>(window.first_beat[window.blocks]) - kBeatsAfter + i;
    if (beat >= 0) last[i] = row_of(window, beat);
  });
}

void sum_similarity(BackEnd& on, std::span<const std::uint32_t> first_beat, std::span<const float> pairs,
                    std::span<Similarity> sums) {
  const auto blocks = static_cast<std::int64_t>(sums.size());
  BEATSCAN_EXPECTS(first_beat.size() == sums.size() + 1, "sum_similarity: bad shape");
  each(
      on, blocks,
      [first_beat = first_beat.data(), pairs = pairs.data(), sums = sums.data(),
       blocks] BEATSCAN_DEVICE(std::int64_t b) {
        const std::int64_t all = first_beat[blocks], first = first_beat[b], end = first_beat[b + 1];
        Similarity sum{0, 0, static_cast<std::uint32_t>(end - first)};
        for (std::int64_t beat = all < 2 ? end : first; beat < end; ++beat) {
          const auto before = [&](int lag) { return pairs[beat * kBeatsAfter + lag - 1]; };
          const auto after = [&](int lag) {
            return beat + lag < all ? pairs[(beat + lag) * kBeatsAfter + lag - 1] : -1;
          };
          float best[kTemplateRank + 1]{};
          int known = 0;
          const auto take = [&](float value) {  // keeps the largest in descending order
            if (!(value > -1)) return;
            int place = known < kTemplateRank + 1 ? known++ : kTemplateRank + 1;
            for (; place > 0 && best[place - 1] < value; --place)
              if (place <= kTemplateRank) best[place] = best[place - 1];
            if (place <= kTemplateRank) best[place] = value;
          };
          for (int lag = 1; lag <= kBeatsAfter; ++lag) take(before(lag)), take(after(lag));
          sum.neighbour = sum.neighbour + larger(before(1), after(1));
          sum.template_ = sum.template_ + (known > 0 ? best[known - 1] : -1);
        }
        sums[b] = sum;
      },
      512);
}

}  // namespace beatscan::quality
