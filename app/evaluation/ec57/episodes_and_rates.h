// app/evaluation/ec57/episodes_and_rates.h — compares episodes of AF and VF in two annotation files, as `epicmp` does,
// and heart rates, as `mxm` does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/evaluation/annotations.h"
#include "app/evaluation/ec57/figures.h"
#include "app/evaluation/ec57/marked_beats.h"
#include "app/evaluation/episode_quality.h"
#include "app/output/heart_rate.h"

namespace beatscan::ec57 {

// Compares the parts of episodes within the period: AF from (AFIB to the next rhythm, VF from [ to ]. An episode
// without an end lasts to the end of the period. Flutter of the atria is not left out, which EC38:1998 alone asks for.
EpisodeQuality compare_atrial_fibrillation(std::span<const Annotation> reference, std::span<const Annotation> test,
                                           const Period& period);
EpisodeQuality compare_ventricular_fibrillation(std::span<const Annotation> reference, std::span<const Annotation> test,
                                                const Period& period);

// The columns of `epicmp -L`: episodes, their sensitivity and positive predictive value, those of durations, and the
// durations in seconds.
Row episode_row(const EpisodeQuality& quality);

// Each measurement of the test in the period is compared with the reference measurement that is nearest in time.
struct RateComparison {
  std::int64_t measurements = 0;
  double squared_error_sum = 0, reference_sum = 0;  // in beats a minute
  RateComparison& operator+=(const RateComparison& other);
};

// Returns the measurements (=) of subtype 0.
std::vector<MeasuredRate> measured_rates(std::span<const Annotation> annotations);

// Returns those of a reference: measured_rates, or if there are none the rates of its beats as the program measures
// them (app/output/heart_rate.h).
std::vector<MeasuredRate> reference_rates(std::span<const Annotation> annotations, const MarkedBeats& beats,
                                          double sample_rate_hz);

RateComparison compare_rates(std::span<const MeasuredRate> reference, std::span<const MeasuredRate> test,
                             const Period& period);

// The columns of `mxm -L`: error = sqrt(mean squared difference) / mean reference measurement, and that mean.
Row rate_row(const RateComparison& comparison);

}  // namespace beatscan::ec57
