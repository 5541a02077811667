#include "kernels/detection/p_waves.h"

#include "kernels/detection/median.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/largest_part.h"

namespace beatscan {
namespace {

// Item a is a beat that was asked for.
struct LookAtWave {
  const std::int64_t* beats;
  const float* parts;
  std::int64_t part_count;
  const AskedWave* asked;
  PWaveRule rule;
  WaveAmongBeats* found;

  BEATSCAN_HOST_DEVICE float largest(std::int64_t first, std::int64_t last) const {
    return largest_part(parts, part_count, first, last);
  }
  BEATSCAN_HOST_DEVICE float at(std::int64_t sample) const {
    const std::int64_t part = sample / rule.width;
    return largest(part - 1, part + 2);
  }
  BEATSCAN_HOST_DEVICE float before(std::int64_t sample) const {
    const std::int64_t first = sample - rule.from, last = sample - rule.to;
    return last < 0 ? 0 : largest((first < 0 ? 0 : first) / rule.width, last / rule.width + 1);
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t a) const {
    FewSorted<float> of_beats, of_p_waves;
    for (std::int64_t j = 0; j <= 2 * kPWaveReach; ++j) {
      if (!(asked[a].strong >> j & 1u)) continue;
      const std::int64_t sample = beats[asked[a].beat + j - kPWaveReach];
      of_beats.add(at(sample));
      of_p_waves.add(before(sample));
    }
    found[a] = {at(beats[asked[a].beat]), static_cast<float>(of_beats.median()),
                static_cast<float>(of_p_waves.median())};
  }
};

}  // namespace

void waves_among_beats(BackEnd& context, std::span<const std::int64_t> beats, std::span<const float> parts,
                       std::span<const AskedWave> asked, const PWaveRule& rule, std::span<WaveAmongBeats> found) {
  BEATSCAN_EXPECTS(asked.size() == found.size() && (asked.empty() || !beats.empty()) && rule.width >= 1 &&
                       rule.to >= 0 && rule.from >= rule.to,
                   "waves_among_beats: bad shape or rule");
  each(context, std::ssize(asked),
       LookAtWave{beats.data(), parts.data(), std::ssize(parts), asked.data(), rule, found.data()});
}

}  // namespace beatscan
