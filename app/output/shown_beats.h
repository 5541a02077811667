// app/output/shown_beats.h — chooses the beats that the report shows.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

struct ReportData;
struct RunResult;

inline constexpr std::int64_t kReportBeats = 60;      // at most: those with the highest scores
inline constexpr std::int64_t kReportPoorBeats = 12;  // of these in poor signal, if enough are in good signal

// Returns the rows that the report shows: first the highest scores in good signal, then some abnormal beats in poor
// signal, the highest first. The latter fill up if there are few beats in good signal.
std::vector<std::int64_t> shown_rows(const RunResult& result);

inline constexpr std::size_t kReportPlaces = 96;  // at most, besides these beats

// Returns the samples that the report links to besides the shown beats, ascending: the most typical and the most
// atypical beat of each template, the longest episodes of each label, the longest interval between beats, the first
// non-conducted P wave, and the minute with the longest QTc.
std::vector<std::int64_t> finding_places(const RunResult& result, const ReportData& report);

}  // namespace beatscan
