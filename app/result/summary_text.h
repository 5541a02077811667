// app/result/summary_text.h — tells people what was found, in a few lines, and what to beware of.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.h"
#include "app/result/run_result.h"

namespace beatscan {

// The beats a minute that a heart may have for most of a recording.
inline constexpr double kSlowestHeart_bpm = 25, kFastestHeart_bpm = 250;

// Returns what was found, in nine or ten lines, and up to three more with reference annotations. The figures are those
// of report.html. `evaluation` may be null.
std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation);

// Returns the warnings about the input, and one line each for
//   - a signal that may be no ECG, or is cut off throughout; a lead of little good signal, or without a part
//   - beats in poor signal that stand in for usual ones
//   - much poor signal, or many RR intervals that are not known
//   - a heart rate that no heart has, by a wrong sampling rate
//   - what finding_warnings.h lists
//   - a saved model that does not fit the recording, or may not, if it has a part in the scores
//   - as published, a model that tells nothing
// Around R peaks such a model is no fault: it sees what the median beat leaves, which in a clean recording is noise.
std::vector<std::string> warnings_of(const RunResult& result);

// Returns the shares of the recording that are good in no lead, by kind.
std::vector<std::pair<Quality, double>> poor_shares(const RunResult& result);

// Returns the share of `samples` samples that is good signal.
double analysable_share(const SignalQuality& quality, std::int64_t samples);

// Returns the share of the recording that is good signal in any lead; nothing as published, where the signal is not
// judged.
std::optional<double> analysable_share(const RunResult& result);

// Returns the share of abnormal beats among those that have a score.
double anomalous_share(const RunResult& result);

// Abnormal beats by the signal that they are in. As published, all signal counts as good.
struct AnomalyCounts {
  std::int64_t good = 0, poor = 0;
  std::int64_t good_beats = 0;  // beats in good signal that have a score
  double good_share() const { return good_beats > 0 ? static_cast<double>(good) / static_cast<double>(good_beats) : 0; }
};
AnomalyCounts anomaly_counts(const RunResult& result);

// Returns the rank of each row [B] around R peaks: 1 for the most abnormal beat in good signal, and 0 for beats in poor
// signal. Of equal scores the earlier beat comes first.
std::vector<std::int64_t> ranks_in_good_signal(const RunResult& result);

// Returns the beats a minute by the median RR interval; nothing without a rate or without an interval.
std::optional<double> median_heart_rate(const RunResult& result);

}  // namespace beatscan
