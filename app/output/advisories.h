// app/output/advisories.h — the advisories of a result.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/common/json.h"
#include "app/output/run_result.h"

namespace beatscan {

class Log;

// Returns the drift with its parts, or why it is unknown; null if the model was trained in this run.
Json drift_json(const RunResult& result);

// The advisories of a result: properties of the recording that may mislead, and decisions with low confidence. Each has
// an identifier, one line, and a time and lead if known.
//
// docs/advisories.md lists all of them.

std::string_view name_of(Severity severity);

// Returns the advisory of ventricular fibrillation and flutter, if there is any.
inline constexpr const char* kFibrillationAdvisory = "BS240";
std::vector<Advisory> fibrillation_advisories(const std::vector<Episode>& episodes, double rate_hz);

// Returns the advisories, the most severe first. Returns those of a result that has them already.
std::vector<Advisory> advisories_of(const RunResult& result);

// The same for beats without a signal.
//   warnings  about the list of beats
//   samples   of the beats
std::vector<Advisory> advisories_of_list(const std::vector<std::string>& warnings,
                                         std::span<const std::int64_t> samples, double rate_hz);

// Returns "BS130 caution: MESSAGE (lead 'V1', at 12.5 s)".
//   leads  names, by index
std::string text_of(const Advisory& advisory, const std::vector<std::string>& leads);

// Writes the advisories to stderr: those of severity info as information, the others as warnings.
void log_advisories(const Log& log, const std::string& source, const std::vector<Advisory>& advisories,
                    const std::vector<std::string>& leads);

// Returns a list for summary.json: id, severity, message, time_s, lead. advisory_text() returns the text of an entry.
Json advisories_json(const std::vector<Advisory>& advisories, const std::vector<std::string>& leads);
std::string advisory_text(const Json& entry);

// Returns the texts of a summary's advisories, or the warnings of a result of an earlier version.
std::vector<std::string> advisory_texts(const Json& summary);

}  // namespace beatscan
