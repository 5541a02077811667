// app/output/result_facts.h — figures of a result that its files, its pages and its messages share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/detect/quality_class.h"

namespace beatscan {

struct BeatFacts;
struct RhythmBeats;
struct RunResult;
struct ScoredBeats;
struct SignalQuality;

// All signal qualities.
inline constexpr std::array kAllQualities = {Quality::good, Quality::flat, Quality::clipped, Quality::noisy,
                                             Quality::missing};

// The qualities other than good, in the order in which results list them.
inline constexpr std::array kPoorKinds = {Quality::missing, Quality::flat, Quality::clipped, Quality::noisy};

// Returns the seconds from a beat to the next; nullopt if unknown.
std::optional<double> interval_s(const RunResult& result, std::int64_t beat);

// Returns the beat after which the longest known interval lies; nullopt if none is known.
std::optional<std::int64_t> longest_interval(const RunResult& result);

// Returns the time of day `seconds` after the recording's start; empty if the recording does not specify it.
std::string clock_at(const RunResult& result, double seconds);

// Returns the name of each lead [L]. If several leads have one name, its index in the recording is appended: "ECG (0)",
// "ECG (1)".
std::vector<std::string> distinct_lead_names(const RunResult& result);

const char* name_of(Quality quality);
int latents_of(const RunResult& result);

// Returns whether a beat is of one of these classes. All are if there are no letters.
bool is_of_classes(const RunResult& result, std::int64_t beat, std::string_view letters);

// Returns the shares of the recording that are good in no lead, by quality.
std::vector<std::pair<Quality, double>> poor_shares(const RunResult& result);

// Returns the share of `samples` samples that is good signal.
double analysable_share(const SignalQuality& quality, std::int64_t samples);

// Returns the share of the recording that is good in any lead; nullopt with method published, which does not assess the
// signal.
std::optional<double> analysable_share(const RunResult& result);

// Returns the share of abnormal beats among those with a score.
double anomalous_share(const RunResult& result);

// Abnormal beats by the quality of their signal. With method published, all signal counts as good.
struct AnomalyCounts {
  std::int64_t good = 0, poor = 0;
  std::int64_t good_beats = 0;  // beats in good signal that have a score
  double good_share() const { return good_beats > 0 ? static_cast<double>(good) / static_cast<double>(good_beats) : 0; }
};
AnomalyCounts anomaly_counts(const RunResult& result);

// Returns whether a row is a V beat in good signal whose score is not above the threshold.
bool is_lower_ventricular(const RunResult& result, std::int64_t row);

// Counts these rows.
std::int64_t lower_ventricular_count(const RunResult& result);

// Returns the rank of each row [B] with method r_peaks: 1 for the most abnormal beat in good signal, and 0 for beats in
// poor signal. Of equal scores, the earlier beat comes first. With method published there are no ranks, and the list is
// empty.
std::vector<std::int64_t> ranks_in_good_signal(const BeatFacts& beats, const ScoredBeats& scored);
std::vector<std::int64_t> ranks_in_good_signal(const RunResult& result);

// A heart rate in beats a minute, from the median RR interval and from the mean one.
struct HeartRate {
  double median, mean;
};
// Returns the heart rate from the known RR intervals outside of VF and VFL, in which beats are undetermined; nullopt
// without a sampling rate or without an interval.
std::optional<HeartRate> heart_rate(const RunResult& result);
// The same of beats; `hidden` [K - 1] are intervals in VF and VFL.
std::optional<HeartRate> heart_rate(const RhythmBeats& beats, std::span<const std::uint8_t> hidden);

// Returns the median of heart_rate().
std::optional<double> median_heart_rate(const RunResult& result);

}  // namespace beatscan
