#include "kernels/waves/wave_confidence.h"

#include <cmath>

#include "kernels/runtime/buffer.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/amplitudes.h"

namespace beatscan::waves {
namespace {

// Item b is a beat.
struct ReadLevel {
  const float* masks;
  const float* fiducials;
  Mask wave;
  float* levels;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const float* mask = masks + (b * kMasks + wave) * kValues;
    const float* ends = fiducials + b * kFiducials + 3 * wave;  // onset, peak, offset
    const double onset = double{ends[0]} + kRValue, length = double{ends[2]} - ends[0];
    if (std::isnan(length)) {
      levels[b] = NAN;
      return;
    }
    double sum = 0;
    for (int j = 0; j < kLevelPlaces; ++j) {
      const double place = fmin(fmax(onset + length * ((j + 0.5) / kLevelPlaces), 0.0), kValues - 1.0);
      const int below = place < kValues - 2 ? static_cast<int>(place) : kValues - 2;
      sum += interpolate(double{mask[below]}, double{mask[below + 1]}, place - below);
    }
    levels[b] = static_cast<float>(sum / kLevelPlaces);
  }
};

// What a beat's inputs are made of.
struct BeatMeasures {
  double levels[kMasks];  // 0 without a P wave
  double ratios[kMasks];  // ln of amplitude to activity of P and T
  double height;          // ln, mean over leads
  double rr_before, rr;   // ln of the RR interval before the beat, and of the mean of both; NaN at the ends
};

// Item b is a beat.
struct Measure {
  const double* before;
  const double* after;
  const float* fiducials;
  const float* lead_levels;
  const float* lead_heights;
  const float* lead_amplitudes;
  const float* lead_tq_mv;
  std::int64_t beats, leads;
  BeatMeasures* measures;

  BEATSCAN_HOST_DEVICE double level(std::int64_t b, int wave) const {
    double sum = 0;
    int count = 0;
    for (std::int64_t l = 0; l < leads; ++l) {
      const float level = lead_levels[(l * kMasks + wave) * beats + b];
      if (std::isnan(level)) continue;
      sum += level;
      ++count;
    }
    return count > 0 ? sum / count : NAN;
  }
  BEATSCAN_HOST_DEVICE double ratio(std::int64_t b, int amplitude) const {
    double up = 0, down = 0;
    for (std::int64_t l = 0; l < leads; ++l) {
      const double value = lead_amplitudes[(l * beats + b) * kAmplitudes + amplitude];
      const double activity = lead_tq_mv[l * beats + b];
      if (std::isnan(value) || std::isnan(activity)) continue;
      up += value * value;
      down += activity * activity;
    }
    return up > 0 && down > 0 ? 0.5 * log(up / down) : NAN;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    BeatMeasures& own = measures[b];
    for (int wave = 0; wave < kMasks; ++wave) own.levels[wave] = level(b, wave);
    if (std::isnan(fiducials[b * kFiducials + kPOnset])) own.levels[kMaskP] = 0;
    own.ratios[kMaskP] = ratio(b, kPAmplitude);
    own.ratios[kMaskQrs] = NAN;
    own.ratios[kMaskT] = ratio(b, kTAmplitude);
    own.height = 0;
    for (std::int64_t l = 0; l < leads; ++l) own.height += log(double{lead_heights[l * beats + b]});
    own.height /= static_cast<double>(leads);
    own.rr_before = before[b] < kFar ? log(before[b]) : NAN;
    own.rr = before[b] < kFar && after[b] < kFar ? log((before[b] + after[b]) / 2) : NAN;
  }
};

// Item b is a beat.
struct Weigh {
  const BeatMeasures* measures;
  const float* fiducials;
  const float* similarity;
  std::int64_t beats;
  ConfidenceModel model;
  float* confidence;

  // Returns the mean of value(j) over the neighbours j of beat b, and b itself if wanted, where it is not NaN.
  template <class Value>
  BEATSCAN_HOST_DEVICE double mean_around(std::int64_t b, bool itself, const Value& value) const {
    double sum = 0;
    int count = 0;
    for (std::int64_t j = b > kConfidenceReach ? b - kConfidenceReach : 0; j < beats && j <= b + kConfidenceReach;
         ++j) {
      if (j == b && !itself) continue;
      const double one = value(measures[j]);
      if (std::isnan(one)) continue;
      sum += one;
      ++count;
    }
    return count > 0 ? sum / count : NAN;
  }
  BEATSCAN_HOST_DEVICE double probability(int wave, const double* inputs) const {
    double sum = model.waves[wave].bias;
    for (int i = 0; i < kMostConfidenceInputs; ++i) {
      const ConfidenceModel::Input& of = model.waves[wave].inputs[i];
      if (!std::isnan(inputs[i])) sum += of.weight * ((inputs[i] - of.mean) / of.scale);
    }
    return 1 / (1 + exp(-sum));
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const BeatMeasures& own = measures[b];
    const double masks = mean_around(b, true, [](const BeatMeasures& of) { return of.levels[kMaskP]; });
    const double height = own.height - mean_around(b, false, [](const BeatMeasures& of) { return of.height; });
    const double low_amplitude = height > 0 ? 0 : height;
    const double rr = own.rr - mean_around(b, false, [](const BeatMeasures& of) { return of.rr_before; });
    const double inputs[kMasks][kMostConfidenceInputs] = {
        {own.levels[kMaskP], masks, own.ratios[kMaskP], similarity[b]},
        {own.levels[kMaskQrs], low_amplitude, rr, NAN},
        {own.levels[kMaskT], low_amplitude, own.ratios[kMaskT], NAN}};
    for (int wave = 0; wave < kMasks; ++wave) {
      const bool there = !std::isnan(fiducials[b * kFiducials + 3 * wave]);
      confidence[b * kMasks + wave] = there ? static_cast<float>(probability(wave, inputs[wave])) : NAN;
    }
  }
};

// Item b is a beat.
struct LeaveOut {
  const float* confidence;
  float* fiducials;
  float* lead_fiducials;
  float* lead_amplitudes;
  std::int64_t beats, leads;

  BEATSCAN_HOST_DEVICE static void clear_p(float* fiducials) {
    fiducials[kPOnset] = fiducials[kPPeak] = fiducials[kPOffset] = NAN;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    if (!(confidence[b * kMasks + kMaskP] < kMinPConfidence)) return;
    clear_p(fiducials + b * kFiducials);
    for (std::int64_t l = 0; l < leads; ++l) {
      clear_p(lead_fiducials + (l * beats + b) * kFiducials);
      lead_amplitudes[(l * beats + b) * kAmplitudes + kPAmplitude] = NAN;
    }
  }
};

}  // namespace

void mask_levels(BackEnd& context, std::span<const float> masks, std::span<const float> fiducials, Mask wave,
                 std::span<float> levels) {
  BEATSCAN_EXPECTS(masks.size() == levels.size() * kMasks * kValues && fiducials.size() == levels.size() * kFiducials,
                   "mask_levels: bad shape");
  each(context, static_cast<std::int64_t>(levels.size()),
       ReadLevel{masks.data(), fiducials.data(), wave, levels.data()}, kBeatGrain);
}

void wave_confidence(BackEnd& context, const FoundWaves& found, const ConfidenceModel& model,
                     std::span<float> confidence) {
  const std::size_t beats = found.before.size(), leads = beats > 0 ? found.lead_heights.size() / beats : 0;
  BEATSCAN_EXPECTS(
      found.after.size() == beats && found.fiducials.size() == beats * kFiducials &&
          found.lead_levels.size() == leads * kMasks * beats && found.lead_heights.size() == leads * beats &&
          found.lead_amplitudes.size() == leads * beats * kAmplitudes && found.lead_tq_mv.size() == leads * beats &&
          found.p_similarity.size() == beats && confidence.size() == beats * kMasks,
      "wave_confidence: bad shape");
  const auto count = static_cast<std::int64_t>(beats);
  Buffer<BeatMeasures, BackEnd> measures(context, count);
  each(context, count,
       Measure{found.before.data(), found.after.data(), found.fiducials.data(), found.lead_levels.data(),
               found.lead_heights.data(), found.lead_amplitudes.data(), found.lead_tq_mv.data(), count,
               static_cast<std::int64_t>(leads), measures.data()},
       kBeatGrain);
  each(context, count,
       Weigh{measures.data(), found.fiducials.data(), found.p_similarity.data(), count, model, confidence.data()},
       kBeatGrain);
}

void leave_out_uncertain_p(BackEnd& context, std::span<const float> confidence, std::span<float> fiducials,
                           std::span<float> lead_fiducials, std::span<float> lead_amplitudes) {
  const std::size_t beats = confidence.size() / kMasks,
                    leads = beats > 0 ? lead_amplitudes.size() / beats / kAmplitudes : 0;
  BEATSCAN_EXPECTS(confidence.size() == beats * kMasks && fiducials.size() == beats * kFiducials &&
                       lead_fiducials.size() == leads * beats * kFiducials &&
                       lead_amplitudes.size() == leads * beats * kAmplitudes,
                   "leave_out_uncertain_p: bad shape");
  each(context, static_cast<std::int64_t>(beats),
       LeaveOut{confidence.data(), fiducials.data(), lead_fiducials.data(), lead_amplitudes.data(),
                static_cast<std::int64_t>(beats), static_cast<std::int64_t>(leads)},
       kBeatGrain);
}

}  // namespace beatscan::waves
