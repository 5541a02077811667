// kernels/waves/wave_confidence.h — the confidence of P, QRS and T waves: the probability that there is such a wave
// where one was found. scripts/waves/confidence.py is the reference.
//
// A logistic regression of a few inputs of each beat. An input that a beat lacks counts as its mean:
//   confidence = 1 / (1 + exp(-(bias + sum of weight (input - mean) / scale)))
// Levels of masks are means over the leads that have the wave; neighbours are the beats i - 8 .. i + 8 without i.
//   P    single_mask       level of the P mask of the single beat
//        neighbour_masks   mean of that over the neighbours and the beat; it is 0 in beats without a P wave
//        amplitude_to_tq   ln of the P amplitude divided by the activity of the TQ interval, root mean squares over
//        leads similarity        of the P wave with the dominant P wave
//   QRS  average_mask      level of the QRS mask of the local average
//        low_amplitude     ln of the height of the QRS complex (local_averages.h), mean over leads, minus its mean over
//                          the neighbours; at most 0
//        rr_to_neighbours  ln of the mean of the RR intervals before and after, minus the neighbours' mean of ln RR
//   T    average_mask, low_amplitude, amplitude_to_tq
#pragma once

#include <array>

#include "kernels/waves/beat_waves.h"

namespace beatscan::waves {

inline constexpr int kLevelPlaces = 16, kConfidenceReach = 8;
inline constexpr double kMinPConfidence = 0.5;  // P waves with less are left out

// Computes the level of a mask within the waves of one lead: the mean of its values at onset + (offset - onset) (j +
// 1/2) / 16, j = 0 .. 15, interpolated linearly, and held beyond the window's ends. NaN if the lead lacks the wave.
//   masks      [B][3][320]
//   fiducials  [B][9] of the local averages
//   levels     [B] 0 .. 1
void mask_levels(Cpu&, std::span<const float> masks, std::span<const float> fiducials, Mask wave,
                 std::span<float> levels);
void mask_levels(Cuda&, std::span<const float> masks, std::span<const float> fiducials, Mask wave,
                 std::span<float> levels);

inline constexpr int kMostConfidenceInputs = 4;
inline constexpr std::array<std::array<const char*, kMostConfidenceInputs>, kMasks> kConfidenceInputs = {
    {{"single_mask", "neighbour_masks", "amplitude_to_tq", "similarity"},
     {"average_mask", "low_amplitude", "rr_to_neighbours", nullptr},
     {"average_mask", "low_amplitude", "amplitude_to_tq", nullptr}}};

// As models/waves.json has it.
struct ConfidenceModel {
  struct Input {
    double mean = 0, scale = 1, weight = 0;
  };
  struct Wave {
    double bias = 0;
    Input inputs[kMostConfidenceInputs];  // in the order of kConfidenceInputs
  };
  Wave waves[kMasks];
};

// What is known of all beats. NaN if there is no wave.
struct FoundWaves {
  std::span<const double> before, after;   // [K] see rr_intervals
  std::span<const float> fiducials;        // [K][9] over leads
  std::span<const float> lead_levels;      // [L][3][K] P of single beats, QRS and T of local averages
  std::span<const float> lead_heights;     // [L][K] mV, positive
  std::span<const float> lead_amplitudes;  // [L][K][4] see amplitudes.h
  std::span<const float> lead_tq_mv;       // [L][K]
  std::span<const float> p_similarity;     // [K]
};

//   confidence  [K][3] NaN if there is no wave
void wave_confidence(Cpu&, const FoundWaves& found, const ConfidenceModel& model, std::span<float> confidence);
void wave_confidence(Cuda&, const FoundWaves& found, const ConfidenceModel& model, std::span<float> confidence);

// Leaves out P waves whose confidence is below kMinPConfidence: their fiducials and amplitudes become NaN.
//   confidence       [K][3]
//   fiducials        [K][9]
//   lead_fiducials   [L][K][9]
//   lead_amplitudes  [L][K][4]
void leave_out_uncertain_p(Cpu&, std::span<const float> confidence, std::span<float> fiducials,
                           std::span<float> lead_fiducials, std::span<float> lead_amplitudes);
void leave_out_uncertain_p(Cuda&, std::span<const float> confidence, std::span<float> fiducials,
                           std::span<float> lead_fiducials, std::span<float> lead_amplitudes);

}  // namespace beatscan::waves
