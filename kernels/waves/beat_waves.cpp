#include "kernels/waves/beat_waves.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/runs.h"

namespace beatscan::waves {
namespace {

constexpr int kQrsLow = 100, kQrsHigh = 155;  // the end is exclusive
constexpr int kNoQrsOffset = 138;             // where T waves begin without a QRS complex
constexpr int kPAfterR = 25, kPPastOnset = 2, kTBeforeR = 8;
constexpr double kThreshold = 0.5;
BEATSCAN_HOST_DEVICE constexpr RunRule p_rule() { return {kThreshold, 2, 5}; }
BEATSCAN_HOST_DEVICE constexpr RunRule qrs_rule() { return {kThreshold, 3, 1}; }
BEATSCAN_HOST_DEVICE constexpr RunRule t_rule() { return {kThreshold, 3, 8}; }
constexpr int kEvidenceValues = 5;

// One mask of a window.
struct MaskValues {
  const float* values;
  BEATSCAN_HOST_DEVICE double operator()(int k) const { return values[k]; }
};

struct ValueRangeOfP {
  int low, high;
};

// Returns the range of a P wave. `own` and `previous` are fiducials of the beat and of the one before it, if any.
BEATSCAN_HOST_DEVICE inline ValueRangeOfP p_range(const float* own, const float* previous, double before) {
  double low = before < kRValue ? fmax(0.0, floor(kRValue - before + kPAfterR)) : 0;
  if (previous && !std::isnan(previous[kTOffset])) low = fmax(low, floor(previous[kTOffset] + kRValue - before) + 1);
  const double onset = std::isnan(own[kQrsOnset]) ? kNoQrsOnset : floor(own[kQrsOnset] + kRValue);
  return {static_cast<int>(fmin(low, double{kValues})), static_cast<int>(onset) + kPPastOnset};
}

// Writes onset and offset of a run, and returns whether there is one.
BEATSCAN_HOST_DEVICE inline bool write_ends(const MaskValues& p, const Run& run, float* onset, float* offset) {
  if (run.first < 0) {
    *onset = *offset = NAN;
    return false;
  }
  *onset = static_cast<float>(crossing(p, run.first, run.first - 1, kValues, kThreshold) - kRValue);
  *offset = static_cast<float>(crossing(p, run.last, run.last + 1, kValues, kThreshold) - kRValue);
  return true;
}

// Item b is a beat.
struct FindQrsAndT {
  const float* masks;
  const double* after;
  float* fiducials;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const float* window = masks + b * kMasks * kValues;
    float* found = fiducials + b * kFiducials;
    const MaskValues qrs{window + kMaskQrs * kValues}, t{window + kMaskT * kValues};
    const Run run = heaviest_run(qrs, kQrsLow, kQrsHigh, qrs_rule());
    const bool there = write_ends(qrs, run, found + kQrsOnset, found + kQrsOffset);
    found[kRPeak] = there ? 0.0f : NAN;
    const int low = there ? static_cast<int>(floor(found[kQrsOffset] + double{kRValue})) + 1 : kNoQrsOffset;
    const double before_r = floor(kRValue + after[b] - kTBeforeR);
    const int high = before_r < kValues ? static_cast<int>(fmax(before_r, 0.0)) : kValues;
    const Run wave = heaviest_run(t, low, high, t_rule());
    if (!write_ends(t, wave, found + kTOnset, found + kTOffset)) {
      found[kTPeak] = NAN;
      return;
    }
    int peak = wave.first;
    for (int k = wave.first + 1; k <= wave.last; ++k)
      if (t.values[k] > t.values[peak]) peak = k;
    found[kTPeak] = static_cast<float>(peak - kRValue);
  }
};

// Item b is a beat, whose QRS complex and whose predecessor's T wave are known.
struct FindP {
  const float* masks;
  const double* before;
  float* fiducials;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    float* found = fiducials + b * kFiducials;
    const MaskValues p{masks + (b * kMasks + kMaskP) * kValues};
    const auto [low, high] = p_range(found, b > 0 ? found - kFiducials : nullptr, before[b]);
    write_ends(p, heaviest_run(p, low, high, p_rule()), found + kPOnset, found + kPOffset);
    found[kPPeak] = (found[kPOnset] + found[kPOffset]) / 2;
  }
};

// Item b is a beat.
struct MeasureEvidence {
  const float* masks;
  const double* before;
  const float* fiducials;
  float* evidence;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const float* own = fiducials + b * kFiducials;
    const auto [low, high] = p_range(own, b > 0 ? own - kFiducials : nullptr, before[b]);
    const float* p = masks + (b * kMasks + kMaskP) * kValues;
    double greatest = 0;
    for (int k = low; k + kEvidenceValues <= high; ++k) {
      double sum = 0;
      for (int j = 0; j < kEvidenceValues; ++j) sum += p[k + j];
      greatest = fmax(greatest, sum);
    }
    evidence[b] = static_cast<float>(greatest / kEvidenceValues);
  }
};

}  // namespace

void beat_waves(BackEnd& context, std::span<const float> masks, std::span<const double> before,
                std::span<const double> after, std::span<float> fiducials) {
  const auto beats = static_cast<std::int64_t>(before.size());
  BEATSCAN_EXPECTS(masks.size() == before.size() * kMasks * kValues && after.size() == before.size() &&
                       fiducials.size() == before.size() * kFiducials,
                   "beat_waves: bad shape");
  each(context, beats, FindQrsAndT{masks.data(), after.data(), fiducials.data()}, kBeatGrain);
  each(context, beats, FindP{masks.data(), before.data(), fiducials.data()}, kBeatGrain);
}

void p_evidence(BackEnd& context, std::span<const float> masks, std::span<const double> before,
                std::span<const float> fiducials, std::span<float> evidence) {
  const auto beats = static_cast<std::int64_t>(before.size());
  BEATSCAN_EXPECTS(masks.size() == before.size() * kMasks * kValues && evidence.size() == before.size() &&
                       fiducials.size() == before.size() * kFiducials,
                   "p_evidence: bad shape");
  each(context, beats, MeasureEvidence{masks.data(), before.data(), fiducials.data(), evidence.data()}, kBeatGrain);
}

}  // namespace beatscan::waves
