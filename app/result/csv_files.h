// app/result/csv_files.h — the tables of a result as CSV text; docs/output.md describes their columns.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "app/result/run_result.h"

namespace beatscan {

// Returns one row a candidate beat, in time order.
std::string beats_csv(const RunResult& result);

// Returns one row a generated beat.
std::string generated_csv(const RunResult& result);

// Returns one row a stretch of signal that is not good. As published, the signal is not judged and there is none.
std::string quality_csv(const RunResult& result);

// Returns one row a template, in the order of their numbers. As published there is none.
std::string templates_csv(const RunResult& result);

// All kinds of signal.
inline constexpr std::array kAllQualities = {Quality::good, Quality::flat, Quality::clipped, Quality::noisy,
                                             Quality::missing};

// The kinds of signal that is not good, in the order in which they are told.
inline constexpr std::array kPoorKinds = {Quality::missing, Quality::flat, Quality::clipped, Quality::noisy};

// Returns the seconds from a beat to the next; nothing where they are not known.
std::optional<double> interval_s(const RunResult& result, std::int64_t beat);

// Returns the beat behind which the longest known interval lies; nothing where none is known.
std::optional<std::int64_t> longest_interval(const RunResult& result);

// Returns the clock so many seconds after the recording's start; empty where the recording tells none.
std::string clock_at(const RunResult& result, double seconds);

const char* name_of(Quality quality);
int latents_of(const RunResult& result);

}  // namespace beatscan
