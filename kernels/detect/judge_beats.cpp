#include "kernels/detect/judge_beats.h"

#include <cmath>

#include "kernels/detect/beats.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

struct StretchList {
  const std::int64_t *firsts, *lasts;
  std::int64_t size;
  explicit StretchList(const Stretches& stretches)
      : firsts(stretches.firsts.data()),
        lasts(stretches.lasts.data()),
        size(static_cast<std::int64_t>(stretches.firsts.size())) {}
  // Returns whether any stretch touches the samples that lie at or around first .. last.
  BEATSCAN_HOST_DEVICE bool touch(double first, double last) const {
    return touches_gap(firsts, lasts, size, static_cast<std::int64_t>(floor(first)),
                       static_cast<std::int64_t>(ceil(last)) + 1);
  }
};

struct JudgeBeat {
  const double* r_peaks;
  std::int64_t count;
  StretchList gaps, flat;
  const Quality* blocks;
  std::int64_t block_count, block_samples;
  double before, after;
  QualitySet trusted_qualities;
  Outcome* outcomes;
  Quality* quality;
  std::uint8_t *trusted, *broken, *clear;

  JudgeBeat(std::span<const double> peaks, const Surroundings& around, const BeatJudgement& facts)
      : r_peaks(peaks.data()),
        count(static_cast<std::int64_t>(peaks.size())),
        gaps(around.gaps),
        flat(around.flat),
        blocks(around.blocks.data()),
        block_count(static_cast<std::int64_t>(around.blocks.size())),
        block_samples(around.block_samples),
        before(around.before),
        after(around.after),
        trusted_qualities(around.trusted),
        outcomes(facts.outcomes.data()),
        quality(facts.quality.data()),
        trusted(facts.trusted.data()),
        broken(facts.broken.data()),
        clear(facts.clear.empty() ? nullptr : facts.clear.data()) {
    BEATSCAN_EXPECTS((facts.clear.empty() || facts.clear.size() == facts.broken.size()) &&
                         facts.outcomes.size() == peaks.size() && facts.quality.size() == peaks.size() &&
                         facts.trusted.size() == peaks.size() && facts.broken.size() + (count > 0) == peaks.size() &&
                         around.gaps.firsts.size() == around.gaps.lasts.size() &&
                         around.flat.firsts.size() == around.flat.lasts.size() && block_samples > 0,
                     "judge_beats: bad shape");
  }

  BEATSCAN_HOST_DEVICE Quality quality_at(double sample) const {
    if (block_count == 0) return Quality::good;
    const std::int64_t block = static_cast<std::int64_t>(sample) / block_samples;
    return blocks[block < 0 ? 0 : block < block_count ? block : block_count - 1];
  }

  // Returns whether a beat would be visible: in good signal, and in flat signal.
  BEATSCAN_HOST_DEVICE bool shows_beats(double sample) const {
    const Quality quality = quality_at(sample);
    return quality == Quality::good || quality == Quality::flat;
  }

  BEATSCAN_HOST_DEVICE bool shows_beats(double from, double to) const {
    for (double at = from; at < to; at += static_cast<double>(block_samples))
      if (!shows_beats(at)) return false;
    return shows_beats(to);
  }

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const double peak = r_peaks[i];
    const bool in_gap = gaps.touch(peak - before, peak + after);
    outcomes[i] = in_gap ? Outcome::in_gap : Outcome::kept;
    quality[i] = quality_at(peak);
    trusted[i] = !in_gap && (trusted_qualities & only(quality[i])) != 0;
    if (i + 1 == count) return;
    broken[i] = gaps.touch(peak, r_peaks[i + 1]) || flat.touch(peak, r_peaks[i + 1]);
    if (clear) clear[i] = !broken[i] && shows_beats(peak, r_peaks[i + 1]);
  }
};

// The arrays of a judgement, as device code can use them.
struct JudgementArrays {
  Outcome* outcomes;
  Quality* quality;
  std::uint8_t *trusted, *broken, *clear;
  explicit JudgementArrays(const BeatJudgement& facts)
      : outcomes(facts.outcomes.data()),
        quality(facts.quality.data()),
        trusted(facts.trusted.data()),
        broken(facts.broken.data()),
        clear(facts.clear.empty() ? nullptr : facts.clear.data()) {}
};

struct JoinBeat {
  JudgementArrays lead, all;
  std::int64_t intervals;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const bool here = lead.outcomes[i] == Outcome::kept, there = all.outcomes[i] == Outcome::kept;
    const bool better = poorness(lead.quality[i]) < poorness(all.quality[i]);
    if (here == there ? better : here) all.quality[i] = lead.quality[i];
    if (here) all.outcomes[i] = Outcome::kept;
    all.trusted[i] |= lead.trusted[i];
    if (i >= intervals) return;
    all.broken[i] |= lead.broken[i];
    if (all.clear) all.clear[i] |= lead.clear[i];
  }
};

}  // namespace

void judge_beats(BackEnd& context, std::span<const double> r_peaks, const Surroundings& around, BeatJudgement facts) {
  each(context, std::ssize(r_peaks), JudgeBeat(r_peaks, around, facts));
}

void join_judgements(BackEnd& context, const BeatJudgement& lead, BeatJudgement all) {
  const std::size_t beats = all.outcomes.size(), intervals = all.broken.size();
  BEATSCAN_EXPECTS(all.quality.size() == beats && all.trusted.size() == beats && intervals + (beats > 0) == beats &&
                       lead.outcomes.size() == beats && lead.quality.size() == beats && lead.trusted.size() == beats &&
                       lead.broken.size() == intervals && lead.clear.size() == all.clear.size() &&
                       (all.clear.empty() || all.clear.size() == intervals),
                   "join_judgements: bad shape");
  each(context, std::ssize(all.outcomes),
       JoinBeat{JudgementArrays(lead), JudgementArrays(all), std::ssize(all.broken)});
}

void settle_intervals(BackEnd& context, std::span<const std::uint8_t> clear, std::span<std::uint8_t> broken) {
  BEATSCAN_EXPECTS(clear.size() == broken.size(), "settle_intervals: bad shape");
  each(context, std::ssize(broken), [clear = clear.data(), broken = broken.data()] BEATSCAN_DEVICE(std::int64_t i) {
    broken[i] = broken[i] && !clear[i];
  });
}

void heard_beats(BackEnd& context, std::span<const Outcome> outcomes, std::span<const Quality> quality,
                 std::span<const Quality> best, std::span<std::uint8_t> heard) {
  BEATSCAN_EXPECTS(outcomes.size() == heard.size() && quality.size() == heard.size() && best.size() == heard.size(),
                   "heard_beats: bad shape");
  each(context, std::ssize(heard),
       [outcomes = outcomes.data(), quality = quality.data(), best = best.data(), heard = heard.data()] BEATSCAN_DEVICE(
           std::int64_t i) { heard[i] = outcomes[i] == Outcome::kept && poorness(quality[i]) <= poorness(best[i]); });
}

}  // namespace beatscan
