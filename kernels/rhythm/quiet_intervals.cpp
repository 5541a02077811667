#include "kernels/rhythm/quiet_intervals.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

namespace {

// Item a is an interval that was asked for.
struct LookAtInterval {
  const double* r_peaks;
  std::int64_t beats;
  const std::int64_t* asked;
  const float* parts;
  std::int64_t part_count;
  int width;
  const Quality* blocks;
  std::int64_t block_count, block_samples;
  QuietRule rule;
  IntervalSign* found;

  BEATSCAN_HOST_DEVICE bool is_hidden(std::int64_t i) const {
    const auto block_of = [this](double sample) {
      const std::int64_t block = static_cast<std::int64_t>(sample) / block_samples;
      return block < block_count ? block : block_count - 1;
    };
    const std::int64_t first = i < 0 ? 0 : block_of(r_peaks[i]),
                       last = i + 1 < beats ? block_of(r_peaks[i + 1]) : block_count - 1;
    for (std::int64_t b = first; b <= last; ++b)
      if (blocks[b] != Quality::good && blocks[b] != Quality::flat) return true;
    return false;
  }
  BEATSCAN_HOST_DEVICE float largest(std::int64_t first, std::int64_t last) const {
    return largest_part(parts, part_count, first, last);
  }
  BEATSCAN_HOST_DEVICE static void insert(float value, float* sorted, int& count) {
    int place = count++;
    for (; place > 0 && sorted[place - 1] > value; --place) sorted[place] = sorted[place - 1];
    sorted[place] = value;
  }
  BEATSCAN_HOST_DEVICE float median_at_beats(std::int64_t i) const {
    float sorted[2 * kMostQuietBeats];
    int count = 0;
    for (std::int64_t j = i + 1 - rule.beats; j <= i + rule.beats; ++j) {
      if (j < 0 || j >= beats) continue;
      const std::int64_t part = static_cast<std::int64_t>(r_peaks[j]) / width;
      insert(largest(part - 1, part + 2), sorted, count);
    }
    return sorted[count / 2];
  }
  BEATSCAN_HOST_DEVICE float largest_between(std::int64_t i) const {
    const auto first = i < 0 ? 0 : static_cast<std::int64_t>(ceil((r_peaks[i] + rule.beside) / width)),
               last = i + 1 < beats ? static_cast<std::int64_t>(floor((r_peaks[i + 1] - rule.beside) / width))
                                    : part_count;
    return largest(first, last);
  }
  // Returns the median of the largest envelopes between other beats around; 0 where there are none.
  BEATSCAN_HOST_DEVICE float median_between(std::int64_t i) const {
    float sorted[2 * kMostQuietBeats];
    int count = 0;
    for (std::int64_t j = i + 1 - rule.beats; j < i + rule.beats; ++j)
      if (j >= 0 && j + 1 < beats && j != i) insert(largest_between(j), sorted, count);
    return count > 0 ? sorted[count / 2] : 0;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t a) const {
    const std::int64_t i = asked[a];
    if (is_hidden(i)) {
      found[a] = IntervalSign::hidden;
      return;
    }
    const float sign = rule.share * median_at_beats(i);
    found[a] = largest_between(i) < sign   ? IntervalSign::none
               : median_between(i) >= sign ? IntervalSign::hidden
                                           : IntervalSign::beat;
  }
};

}  // namespace

void quiet_intervals(BackEnd& context, std::span<const double> r_peaks, std::span<const std::int64_t> asked,
                     const EnvelopeOfLead& lead, const QuietRule& rule, std::span<IntervalSign> found) {
  BEATSCAN_EXPECTS(asked.size() == found.size() && lead.width > 0 && lead.block_samples > 0 &&
                       (asked.empty() || (r_peaks.size() >= 2 && !lead.blocks.empty() && !lead.parts.empty())) &&
                       rule.beside >= 0 && rule.beats >= 1 && rule.beats <= kMostQuietBeats,
                   "quiet_intervals: bad shape or rule");
  each(context, std::ssize(asked),
       LookAtInterval{r_peaks.data(), std::ssize(r_peaks), asked.data(), lead.parts.data(), std::ssize(lead.parts),
                      lead.width, lead.blocks.data(), std::ssize(lead.blocks), lead.block_samples, rule, found.data()});
}

namespace {

// The lowest and the highest of some values.
struct ValueSpan {
  double low = 0, high = 0;
  int count = 0;
  BEATSCAN_HOST_DEVICE void add(double value) {
    if (count == 0 || value < low) low = value;
    if (count == 0 || value > high) high = value;
    ++count;
  }
};

// Item a is an interval that was asked for.
struct LookAtNoise {
  const float* x;
  std::int64_t samples;
  const double* r_peaks;
  std::int64_t beats;
  const std::int64_t* asked;
  IntervalNoiseRule rule;
  IntervalNoise* found;

  // The samples [first, last) of a core.
  struct Core {
    std::int64_t first, last;
  };
  BEATSCAN_HOST_DEVICE Core core_of(std::int64_t i, double behind) const {
    Core core{i < 0 ? 0 : static_cast<std::int64_t>(ceil(r_peaks[i] + behind)),
              i + 1 < beats ? static_cast<std::int64_t>(floor(r_peaks[i + 1] - rule.beside)) : samples};
    if (core.first < 0) core.first = 0;
    if (core.last > samples) core.last = samples;
    return core;
  }
  // Returns the mains interference of a core; NaN where it is short.
  BEATSCAN_HOST_DEVICE float mains_of(const Core& core) const {
    if (core.last - core.first < 4 * rule.step) return NAN;
    double sum = 0;
    for (std::int64_t n = core.first + rule.step; n < core.last - rule.step; ++n)
      sum += fabs(static_cast<double>(x[n - rule.step]) - 2 * static_cast<double>(x[n]) +
                  static_cast<double>(x[n + rule.step]));
    return static_cast<float>(sum / static_cast<double>(core.last - core.first - 2 * rule.step));
  }
  BEATSCAN_HOST_DEVICE double mean_of(std::int64_t first, std::int64_t last) const {
    double sum = 0;
    for (std::int64_t n = first; n < last; ++n) sum += static_cast<double>(x[n]);
    return sum / static_cast<double>(last - first);
  }
  BEATSCAN_HOST_DEVICE float drift_of(const Core& core) const {
    ValueSpan means;
    for (std::int64_t n = core.first; n + rule.piece <= core.last; n += rule.piece)
      means.add(mean_of(n, n + rule.piece));
    return static_cast<float>(means.high - means.low);
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t a) const {
    const std::int64_t i = asked[a];
    float sorted[2 * kMostNoiseBeats];
    int count = 0;
    ValueSpan means[2];
    for (std::int64_t j = i - rule.beats; j <= i + rule.beats; ++j) {
      if (j < 0 || j + 1 >= beats || j == i) continue;
      const Core core = core_of(j, rule.beside);
      const float mains = mains_of(core);
      if (!(mains >= 0)) continue;
      means[j > i].add(mean_of(core.first, core.last));
      int place = count++;
      for (; place > 0 && sorted[place - 1] > mains; --place) sorted[place] = sorted[place - 1];
      sorted[place] = mains;
    }
    const Core core = core_of(i, rule.behind);
    const double before = means[0].high - means[0].low, after = means[1].high - means[1].low;
    found[a] = {mains_of(core), count > 0 ? sorted[count / 2] : static_cast<float>(NAN), drift_of(core),
                means[0].count > 1 || means[1].count > 1 ? static_cast<float>(before > after ? before : after)
                                                         : static_cast<float>(NAN)};
  }
};

}  // namespace

void interval_noise(BackEnd& context, std::span<const float> samples, std::span<const double> r_peaks,
                    std::span<const std::int64_t> asked, const IntervalNoiseRule& rule,
                    std::span<IntervalNoise> found) {
  BEATSCAN_EXPECTS(asked.size() == found.size() && rule.beside >= 0 && rule.behind >= 0 && rule.step > 0 &&
                       rule.piece > 0 && rule.beats >= 1 && rule.beats <= kMostNoiseBeats,
                   "interval_noise: bad shape or rule");
  each(context, std::ssize(asked),
       LookAtNoise{samples.data(), std::ssize(samples), r_peaks.data(), std::ssize(r_peaks), asked.data(), rule,
                   found.data()});
}

}  // namespace beatscan
