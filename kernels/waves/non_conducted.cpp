#include "kernels/waves/non_conducted.h"

#include <cmath>

#include "kernels/lists/bits.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/templates/shape_distances.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/runs.h"

namespace beatscan::waves {

namespace {

// Item i is a beat.
struct TakeShape {
  const float* windows;
  const float* fused;
  std::int64_t lead, leads;
  float* shapes;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const float* window = windows + i * kValues;
    const float* own = fused + i * kFiducials;
    const double onset = double{own[kPOnset]} + kRValue, offset = double{own[kPOffset]} + kRValue;
    float* shape = shapes + (i * leads + lead) * kShapeValues;
    const bool inside = onset >= 0 && offset <= kValues - 1 && onset < offset;  // false for NaN
    double sum = 0;
    for (int j = 0; j < kShapeValues; ++j) {
      float value = NAN;
      if (inside) {
        const double place = onset + (offset - onset) * j / (kShapeValues - 1);
        const int below = place < kValues - 2 ? static_cast<int>(place) : kValues - 2;
        value = interpolate(window[below], window[below + 1], static_cast<float>(place - below));
      }
      shape[j] = value;
      sum += value;
    }
    const auto mean = static_cast<float>(sum / kShapeValues);
    for (int j = 0; j < kShapeValues; ++j) shape[j] -= mean;
  }
};

}  // namespace

void p_shapes(BackEnd& context, std::span<const float> windows, std::span<const float> fused, std::int64_t lead,
              std::span<float> shapes) {
  const auto beats = static_cast<std::int64_t>(windows.size()) / kValues;
  const std::int64_t leads = beats > 0 ? static_cast<std::int64_t>(shapes.size()) / (beats * kShapeValues) : 0;
  BEATSCAN_EXPECTS(windows.size() % kValues == 0 && static_cast<std::int64_t>(fused.size()) == beats * kFiducials &&
                       static_cast<std::int64_t>(shapes.size()) == beats * leads * kShapeValues &&
                       (beats == 0 || (0 <= lead && lead < leads)),
                   "p_shapes: bad shape");
  each(context, beats, TakeShape{windows.data(), fused.data(), lead, leads, shapes.data()}, kBeatGrain);
}

void unit_shapes(BackEnd& context, std::span<float> shapes, std::span<std::uint8_t> groups) {
  const auto beats = static_cast<std::int64_t>(groups.size());
  BEATSCAN_EXPECTS(beats == 0 ? shapes.empty() : shapes.size() % groups.size() == 0, "unit_shapes: bad shape");
  if (beats == 0) return;
  each(
      context, beats,
      [size = static_cast<std::int64_t>(shapes.size()) / beats, shapes = shapes.data(),
       groups = groups.data()] BEATSCAN_DEVICE(std::int64_t b) {
        float* shape = shapes + b * size;
        double squares = 0;
        for (std::int64_t d = 0; d < size; ++d) squares += double{shape[d]} * shape[d];
        const bool usable = squares > 1e-12;  // false for NaN; 1e-6 mV is flat
        const double scale = usable ? 1 / sqrt(squares) : 0;
        for (std::int64_t d = 0; d < size; ++d) shape[d] = usable ? static_cast<float>(shape[d] * scale) : 0;
        groups[b] = usable ? 0 : kNoGroup;
      },
      kBeatGrain);
}

void p_similarity(BackEnd& context, std::span<const float> shapes, std::span<const std::uint8_t> groups,
                  std::span<const std::int64_t> sums, std::span<float> similarity) {
  const auto beats = static_cast<std::int64_t>(similarity.size()), size = static_cast<std::int64_t>(sums.size());
  BEATSCAN_EXPECTS(groups.size() == similarity.size() && static_cast<std::int64_t>(shapes.size()) == beats * size,
                   "p_similarity: bad shape");
  each(
      context, beats,
      [size, shapes = shapes.data(), groups = groups.data(), sums = sums.data(),
       similarity = similarity.data()] BEATSCAN_DEVICE(std::int64_t b) {
        double product = 0, squares = 0;
        for (std::int64_t d = 0; d < size; ++d) {
          const auto dominant = static_cast<double>(sums[d]);
          product += dominant * shapes[b * size + d];
          squares += dominant * dominant;
        }
        const bool there = groups[b] != kNoGroup && squares > 0;
        similarity[b] = there ? static_cast<float>(product / sqrt(squares)) : NAN;
      },
      kBeatGrain);
}

namespace {

constexpr int kExtraStart = 70, kExtraStep = 160, kExtraEdge = 40;  // values
constexpr int kPBehindR = 30, kPBeforeR = 95;
constexpr double kBlockedThreshold = 0.35;
BEATSCAN_HOST_DEVICE constexpr RunRule blocked_rule() { return {kBlockedThreshold, 2, 5}; }
constexpr double kOthersBelow = 0.5;  // the QRS and the T mask
constexpr int kReach = kValues - kRValue;
constexpr int kRunSlots = 256;  // more than there are P waves in an interval that windows reach

BEATSCAN_HOST_DEVICE inline int extra_start(int window) { return kExtraStart + window * kExtraStep; }

// Returns how many extra windows an RR interval needs.
BEATSCAN_HOST_DEVICE inline int extra_windows_of(double rr) {
  int count = 0;
  if (rr >= kFar) return 0;
  for (int reached = kReach; reached < rr - kRValue && count < kMostExtraWindows; ++count)
    reached = extra_start(count) + kValues - kExtraEdge;
  return count;
}

// The masks of one RR interval, stitched together.
struct Interval {
  double rr;
  int length;           // values
  const float* before;  // masks of the previous beat, and of the next beat
  const float* after;
  int after_start;     // of the window of the next beat
  const float* extra;  // masks of the extra windows
  int extras;

  BEATSCAN_HOST_DEVICE double at(int mask, int j) const {
    const int row = mask * kValues;
    const bool in_before = j < kReach, in_after = j >= after_start;
    if (in_before && in_after) return (double{before[row + kRValue + j]} + after[row + j - after_start]) / 2;
    if (in_before) return before[row + kRValue + j];
    if (in_after) return after[row + j - after_start];
    double sum = 0;
    int count = 0;
    for (int w = 0; w < extras; ++w) {
      const int k = j - extra_start(w);
      if (k < kExtraEdge || k >= kValues - kExtraEdge) continue;
      sum += extra[w * kMasks * kValues + row + k];
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }
};

struct MaskOfInterval {
  const Interval* interval;
  int mask;
  BEATSCAN_HOST_DEVICE double operator()(int j) const { return interval->at(mask, j); }
};

// The masks of a range of beats, and how to find an interval's P waves.
struct Masks {
  const double* after;
  const float* beats;
  const std::int64_t* extra;
  std::int64_t extras;
  const float* extra_masks;

  BEATSCAN_HOST_DEVICE Interval interval(std::int64_t i) const {
    const double rr = after[i];
    const int count = extra_windows_of(rr);
    const std::int64_t at = count > 0 ? first_not_below(extra, extras, i * kMostExtraWindows) : 0;
    const float* own = beats + i * kMasks * kValues;
    return {rr,
            static_cast<int>(floor(rr)) + 1,
            own,
            own + kMasks * kValues,
            -static_cast<int>(floor(kRValue - rr + 0.5)),
            extra_masks + at * kMasks * kValues,
            static_cast<int>(at + count <= extras ? count : extras - at)};
  }
  // Calls visit(interval, run) for each P wave of interval i.
  template <class Visit>
  BEATSCAN_HOST_DEVICE void each_wave(std::int64_t i, Visit&& visit) const {
    const double rr = after[i];
    const int high = rr < kFar ? static_cast<int>(floor(rr)) - kPBeforeR : 0;
    if (high <= kPBehindR) return;
    const Interval masks = interval(i);
    each_run(MaskOfInterval{&masks, kMaskP}, kPBehindR, high, blocked_rule(), [&](const Run& run) {
      double t = 0;
      for (int j = run.first; j <= run.last; ++j) {
        if (masks.at(kMaskQrs, j) >= kOthersBelow) return;
        t += masks.at(kMaskT, j);
      }
      if (t < kOthersBelow * (run.last - run.first + 1)) visit(masks, run);
    });
  }
};

// Item i is an interval: sets a bit for each of its P waves.
struct CountWaves {
  Masks masks;
  std::uint32_t* words;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    int slot = 0;
    masks.each_wave(i, [&](const Interval&, const Run&) {
      if (slot < kRunSlots) words[(i * kRunSlots + slot) / 32] |= 1u << slot % 32;
      ++slot;
    });
  }
};

// Item n is a P wave that was found: slot waves[n] % kRunSlots of its interval.
struct DescribeWave {
  Masks masks;
  const std::int64_t* waves;
  NonConductedWave* found;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t n) const {
    const std::int64_t i = waves[n] / kRunSlots;
    int slot = static_cast<int>(waves[n] % kRunSlots);
    masks.each_wave(i, [&](const Interval& interval, const Run& run) {
      if (slot-- != 0) return;
      const MaskOfInterval p{&interval, kMaskP};
      found[n] = {i, static_cast<float>(crossing(p, run.first, run.first - 1, interval.length, kBlockedThreshold)),
                  static_cast<float>(crossing(p, run.last, run.last + 1, interval.length, kBlockedThreshold))};
    });
  }
};

// Item e is an extra window.
struct PlaceExtra {
  const std::int64_t* extra;
  const double* r;
  const double* before;
  const double* after;
  double samples;  // of a value
  double* places;
  Marks* marks;
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t e) const {
    const std::int64_t beat = extra[e] / kMostExtraWindows;
    const int start = extra_start(static_cast<int>(extra[e] % kMostExtraWindows));
    places[e] = r[beat] + (start + kRValue) * samples;
    marks[e] = {-before[beat] - start, static_cast<double>(-start), after[beat] - start};
  }
};

}  // namespace

Buffer<std::int64_t, BackEnd> extra_windows(BackEnd& context, std::span<const double> after) {
  const auto intervals = static_cast<std::int64_t>(after.size());
  Buffer<std::uint32_t, BackEnd> words(context, words_for(intervals * kMostExtraWindows));
  zero_bytes(context, words.data(), words.span().size_bytes());
  each(context, intervals, [after = after.data(), words = words.data()] BEATSCAN_DEVICE(std::int64_t i) {
    const int windows = extra_windows_of(after[i]);
    for (int w = 0; w < windows; ++w) set_bit(words, i * kMostExtraWindows + w);
  });
  return positions(context, words, Pick::every);
}

void place_extra_windows(BackEnd& context, std::span<const std::int64_t> extra, std::span<const double> r,
                         double rate_hz, std::span<const double> before, std::span<const double> after,
                         std::span<double> places, std::span<Marks> marks) {
  BEATSCAN_EXPECTS(before.size() == r.size() && after.size() == r.size() && places.size() == extra.size() &&
                       marks.size() == extra.size(),
                   "place_extra_windows: bad shape");
  each(context, static_cast<std::int64_t>(extra.size()),
       PlaceExtra{extra.data(), r.data(), before.data(), after.data(), rate_hz / kValuesHz, places.data(),
                  marks.data()});
}

void extra_heights(BackEnd& context, std::span<const std::int64_t> extra, std::span<const float> heights,
                   std::span<float> extra_heights) {
  BEATSCAN_EXPECTS(extra_heights.size() == extra.size(), "extra_heights: bad shape");
  each(context, static_cast<std::int64_t>(extra.size()),
       [extra = extra.data(), heights = heights.data(), found = extra_heights.data()] BEATSCAN_DEVICE(std::int64_t e) {
         found[e] = heights[extra[e] / kMostExtraWindows];
       });
}

void add_masks(BackEnd& context, std::span<const float> masks, float share, bool first_lead, std::span<float> mean) {
  BEATSCAN_EXPECTS(masks.size() == mean.size(), "add_masks: bad shape");
  each(context, static_cast<std::int64_t>(mean.size()),
       [masks = masks.data(), mean = mean.data(), share, first_lead] BEATSCAN_DEVICE(std::int64_t i) {
         mean[i] = (first_lead ? 0.0f : mean[i]) + share * masks[i];
       });
}

Buffer<NonConductedWave, BackEnd> non_conducted_waves(BackEnd& context, std::span<const double> after,
                                                      std::span<const float> masks, std::span<const std::int64_t> extra,
                                                      std::span<const float> extra_masks) {
  const auto beats = static_cast<std::int64_t>(after.size());
  BEATSCAN_EXPECTS(beats >= 1 && masks.size() == after.size() * kMasks * kValues &&
                       extra_masks.size() == extra.size() * kMasks * kValues,
                   "non_conducted_waves: bad shape");
  const Masks of{after.data(), masks.data(), extra.data(), static_cast<std::int64_t>(extra.size()), extra_masks.data()};
  Buffer<std::uint32_t, BackEnd> words(context, words_for((beats - 1) * kRunSlots));
  zero_bytes(context, words.data(), words.span().size_bytes());
  each(context, beats - 1, CountWaves{of, words.data()}, kBeatGrain);
  const auto waves = positions(context, words, Pick::every);
  Buffer<NonConductedWave, BackEnd> found(context, waves.size());
  each(context, waves.size(), DescribeWave{of, waves.data(), found.data()}, kBeatGrain);
  return found;
}

}  // namespace beatscan::waves
