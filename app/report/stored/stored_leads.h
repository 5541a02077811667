// app/report/stored/stored_leads.h — the leads of a stored result, and where their signal is poor.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "kernels/detect/quality_class.h"

namespace beatscan {

template <class T>
struct NpyFile;

struct PoorStretch {
  double from, to;  // seconds
  Quality quality;
};

struct StoredLead {
  std::string name, unit;            // the unit is empty where it is not known
  bool used = true;                  // whether beats were cut of it
  std::optional<double> analysable;  // share of the recording that is good in this lead
  std::int64_t missing = 0, gaps = 0;
  std::vector<PoorStretch> poor;
};

// Returns the leads that a result shows: all that summary.json names, or, where `several` is false, the first one
// alone.
std::vector<StoredLead> read_leads(const Json& summary, bool several);

// Reads quality.csv. Gives each lead its stretches; a single lead is given all of them. Throws ErrorKind::input for a
// line that is damaged or names another lead.
void read_quality(const std::filesystem::path& path, std::vector<StoredLead>& leads);

// Returns the stretches that are good in no lead, from the array [P][3] of first sample, sample after the last, and
// Quality. Throws ErrorKind::input, naming `path`, where they are not in order or not within the recording.
std::vector<PoorStretch> poor_in_all_leads(const std::filesystem::path& path, const NpyFile<std::int64_t>& stretches,
                                           std::int64_t samples, double rate_hz);

}  // namespace beatscan
