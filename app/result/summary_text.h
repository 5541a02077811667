// app/result/summary_text.h — a result for people: what was found, in a few lines, and what to beware of.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.h"
#include "app/result/run_result.h"

namespace beatscan {

// What was found, in nine lines (the report's is the tenth), and up to three more with reference annotations; the
// figures are those of report.html.
// `evaluation` may be null.
std::string summary_text(const RunResult& result, const std::filesystem::path& folder, const Json& evaluation);

// One line each: little good signal, a heart rate that no heart has (a wrong sampling rate), and, by the published
// method, a model that tells nothing. Around R peaks the model sees what the median beat leaves, which in a clean
// recording is noise: that it finds nothing there is no fault.
std::vector<std::string> warnings_of(const RunResult& result);

// Shares of the recording that are not good, by kind.
std::vector<std::pair<Quality, double>> poor_shares(const RunResult& result);

// Of the recording, what is good signal; nothing by the published method, which does not judge it.
std::optional<double> analysable_share(const RunResult& result);

// Of the beats that have a score, those that are anomalous.
double anomalous_share(const RunResult& result);

// Of the anomalous beats, those in signal that is not good.
std::int64_t anomalies_in_poor_signal(const RunResult& result);

// Beats a minute by the median RR interval; nothing without a rate or without an interval.
std::optional<double> median_heart_rate(const RunResult& result);

}  // namespace beatscan
