#include "kernels/waves/beat_waves.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/runs.h"

namespace beatscan::waves {

namespace {

constexpr int kGlobalLeads = 6;  // with so many, onset and offset are quantiles
constexpr int kManyStLeads = 3;  // with so many, two have to agree on an ST level
constexpr double kOnsetQuantile = 0.15, kOffsetQuantile = 0.85;

// One fiducial, or another value, of one beat in all leads: NaN where the lead lacks it.
struct OverLeads {
  const float* first;  // of lead 0
  std::int64_t stride, leads;

  BEATSCAN_HOST_DEVICE float at(std::int64_t l) const { return first[l * stride]; }
  BEATSCAN_HOST_DEVICE int present() const {
    int count = 0;
    for (std::int64_t l = 0; l < leads; ++l) count += !std::isnan(at(l));
    return count;
  }
  // Returns the value that `rank` others precede in ascending order; of equals that of the lead before precedes.
  BEATSCAN_HOST_DEVICE double of_rank(int rank) const {
    for (std::int64_t l = 0; l < leads; ++l) {
      const float value = at(l);
      if (std::isnan(value)) continue;
      int before = 0;
      for (std::int64_t other = 0; other < leads; ++other)
        before += at(other) < value || (at(other) == value && other < l);
      if (before == rank) return value;
    }
    return NAN;
  }
  BEATSCAN_HOST_DEVICE float quantile(double q, int count) const {
    const double place = q * (count - 1);
    const int below = static_cast<int>(place);
    return static_cast<float>(
        interpolate(of_rank(below), of_rank(below + 1 < count ? below + 1 : below), place - below));
  }
};

// Item i is wave i % 3 of beat i / 3.
struct FuseWave {
  const float* fiducials;
  std::int64_t beats, leads;
  float* fused;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t at = (i / 3) * kFiducials + (i % 3) * 3, stride = beats * kFiducials;
    const auto over_leads = [&](int which) { return OverLeads{fiducials + at + which, stride, leads}; };
    const int count = over_leads(0).present();
    const bool enough = count >= (leads + 2) / 3, global = count >= kGlobalLeads;
    fused[at] = enough ? over_leads(0).quantile(global ? kOnsetQuantile : 0.5, count) : NAN;
    fused[at + 1] = enough ? over_leads(1).quantile(0.5, count) : NAN;
    fused[at + 2] = enough ? over_leads(2).quantile(global ? kOffsetQuantile : 0.5, count) : NAN;
  }
};

// Item b is a beat.
struct FuseAmplitudes {
  const float* amplitudes;
  std::int64_t beats, leads;
  float* fused;
  float* st_mv;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const auto over_leads = [&](Amplitude which) {
      return OverLeads{amplitudes + b * kAmplitudes + which, beats * kAmplitudes, leads};
    };
    const OverLeads places = over_leads(kTPlace), levels = over_leads(kStLevel);
    const int count = places.present();
    if (count > 0) fused[b * kFiducials + kTPeak] = places.quantile(0.5, count);
    float farthest = NAN, elevation[2] = {NAN, NAN}, depression[2] = {NAN, NAN};  // the farthest two of either sign
    for (std::int64_t l = 0; l < leads; ++l) {
      const float level = levels.at(l);
      if (std::isnan(level)) continue;
      if (!(std::fabs(level) <= std::fabs(farthest))) farthest = level;
      float* const of_sign = level < 0 ? depression : elevation;
      if (!(std::fabs(level) <= std::fabs(of_sign[0])))
        of_sign[1] = of_sign[0], of_sign[0] = level;
      else if (!(std::fabs(level) <= std::fabs(of_sign[1])))
        of_sign[1] = level;
    }
    const float agreed =
        std::fabs(depression[1]) > std::fabs(elevation[1]) || std::isnan(elevation[1]) ? depression[1] : elevation[1];
    st_mv[b] = levels.present() >= kManyStLeads ? agreed : farthest;
  }
};

}  // namespace

void fuse_fiducials(BackEnd& context, std::span<const float> fiducials, std::span<float> fused) {
  const auto beats = static_cast<std::int64_t>(fused.size()) / kFiducials;
  BEATSCAN_EXPECTS(fused.size() % kFiducials == 0 &&
                       (fused.empty() ? fiducials.empty() : !fiducials.empty() && fiducials.size() % fused.size() == 0),
                   "fuse_fiducials: bad shape");
  if (beats == 0) return;
  const auto leads = static_cast<std::int64_t>(fiducials.size() / fused.size());
  each(context, 3 * beats, FuseWave{fiducials.data(), beats, leads, fused.data()}, kBeatGrain);
}

void fuse_evidence(BackEnd& context, std::span<const float> evidence, std::span<float> fused_evidence) {
  const auto beats = static_cast<std::int64_t>(fused_evidence.size());
  BEATSCAN_EXPECTS(beats == 0 ? evidence.empty() : !evidence.empty() && evidence.size() % fused_evidence.size() == 0,
                   "fuse_evidence: bad shape");
  if (beats == 0) return;
  each(context, beats,
       [beats, size = static_cast<std::int64_t>(evidence.size()), evidence = evidence.data(),
        fused = fused_evidence.data()] BEATSCAN_DEVICE(std::int64_t b) {
         float greatest = evidence[b];
         for (std::int64_t i = b + beats; i < size; i += beats) greatest = fmaxf(greatest, evidence[i]);
         fused[b] = greatest;
       });
}

void fuse_amplitudes(BackEnd& context, std::span<const float> amplitudes, std::span<float> fused,
                     std::span<float> st_mv) {
  const auto beats = static_cast<std::int64_t>(st_mv.size()), size = static_cast<std::int64_t>(amplitudes.size());
  BEATSCAN_EXPECTS(fused.size() == st_mv.size() * kFiducials &&
                       (beats == 0 ? size == 0 : size > 0 && size % (beats * kAmplitudes) == 0),
                   "fuse_amplitudes: bad shape");
  if (beats == 0) return;
  each(context, beats,
       FuseAmplitudes{amplitudes.data(), beats, size / (beats * kAmplitudes), fused.data(), st_mv.data()}, kBeatGrain);
}

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
