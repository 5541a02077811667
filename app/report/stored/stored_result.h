// app/report/stored/stored_result.h — a result read back from its folder, from which the report page is made.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_arrays.h"
#include "app/report/stored/stored_findings.h"
#include "app/report/stored/stored_leads.h"
#include "stages/io/recording/start_time.h"
#include "stages/score/scores.h"

namespace beatscan {

struct Table;

// A position on the time axis is in seconds, or in samples where no rate is known.
struct StoredResult {
  std::filesystem::path folder;
  Json summary, config;
  bool published = false;
  std::optional<double> rate_hz;
  std::optional<StartTime> start;  // nothing if the recording has no time of day
  std::int64_t samples = 0, bin_samples = 1, other_bin_samples = 1;
  std::optional<LatentPair> latents;  // the grid's; nothing where the model has fewer than two
  double threshold = 0;
  BeatTable beats;
  std::vector<StoredLead> leads;              // [L]
  std::vector<std::int64_t> reference_leads;  // [C]
  std::vector<PoorStretch> poor;              // what is good in no lead
  std::vector<std::vector<float>> generated;
  std::vector<StoredTemplate> templates;               // [T]
  std::optional<std::vector<StoredEpisode>> episodes;  // nothing where the rhythm was not judged
  ReportArrays arrays;

  double position(double sample) const { return rate_hz ? sample / *rate_hz : sample; }
  double beat_position(std::int64_t beat) const { return position(static_cast<double>(beats.sample[beat])); }
  double length() const { return position(static_cast<double>(samples)); }

  // The name of the recording's file, or "standard input".
  std::string title() const;
  // The time of day at a position, such as 10:00:12; empty where it is not known.
  std::string day_time(double position) const;

  bool several_leads() const { return leads.size() > 1; }
  std::string signal_unit(std::int64_t lead) const;  // empty where it is not known
  // The signal around the k-th beat of the gallery in a lead.
  std::span<const float> strip(std::int64_t lead, std::int64_t k) const;
  // The lead that the k-th row is of, and the median beat of that lead.
  std::int64_t row_lead(std::int64_t k) const { return several_leads() ? arrays.row_leads.values[k] : 0; }
  std::span<const float> row_median(std::int64_t k) const;
  // The signal around the f-th of the findings' places in a lead.
  std::span<const float> finding_strip(std::int64_t lead, std::int64_t f) const;
  std::int64_t finding_strips() const { return std::ssize(arrays.finding_places.values); }  // F
  // Why there is no model, in words; empty where there is one.
  std::string why_no_model() const;
  // The dominant template: the first of class N, or the first where none is.
  std::int64_t dominant_template() const;
  // The mean beat of a template in the c-th lead that has a median beat; empty where it is not stored.
  std::span<const float> template_mean(std::int64_t c, std::int64_t k) const;
  // Says whether the beats have classes, which those of an older result and of the published method have not.
  bool has_classes() const { return beats.has_classes && !templates.empty(); }
  // The median beat of a lead; empty where the lead has none.
  std::span<const float> median(std::int64_t lead) const;
  // The least and the greatest value of each bin of a lead.
  Envelope envelope(std::int64_t lead) const;
  // The samples of such a bin.
  std::int64_t bin_samples_of(std::int64_t lead) const { return lead == 0 ? bin_samples : other_bin_samples; }
};

// Holds what is still in memory of a result whose files are written. `beats` must outlive it.
struct HeldResult {
  const Table& beats;
  ReportArrays arrays;
};

// Reads a result. What is held is taken as it is instead of being read back, and gives the same values. Throws
// ErrorKind::input, naming the file, where the folder is no result or one of its files is damaged.
//   beats  gets the text of beats.csv, if it is wanted
StoredResult read_stored_result(const std::filesystem::path& folder, std::optional<HeldResult> held = {},
                                std::string* beats = nullptr);

}  // namespace beatscan
