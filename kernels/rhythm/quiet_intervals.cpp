#include "kernels/rhythm/quiet_intervals.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/largest_part.h"

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
  BEATSCAN_HOST_DEVICE float usual(std::int64_t i) const {
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
  BEATSCAN_HOST_DEVICE float usual_between(std::int64_t i) const {
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
    const float sign = rule.share * usual(i);
    found[a] = largest_between(i) < sign  ? IntervalSign::none
               : usual_between(i) >= sign ? IntervalSign::hidden
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

}  // namespace beatscan
