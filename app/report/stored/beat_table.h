// app/report/stored/beat_table.h — the columns of beats.csv that the report page shows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/detect/quality_class.h"

namespace beatscan {

struct Table;

// Where the waves of a beat are, in seconds from the start; NaN where a wave is absent.
struct WaveTimes {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double p_onset = kNone, p_peak = kNone, p_end = kNone, qrs_onset = kNone, qrs_end = kNone;
  double t_peak = kNone, t_end = kNone;
};

// [K] beats in time order; NaN where there is no value.
struct BeatTable {
  std::vector<std::int64_t> sample;  // number of the R peak's sample, from 0
  std::vector<float> rr_next;        // interval to the next beat, s; in samples where the rate is unknown
  std::vector<std::uint8_t> kept, anomalous;
  std::vector<std::uint8_t> corrected;  // a reader corrected its class, or that it is a beat
  std::vector<Quality> quality;         // Quality::good where the file has no such column
  std::vector<float> score, rhythm_score, baseline_score, learned_score, prev_ratio, next_ratio, noise;
  std::vector<float> latent_x, latent_y;  // the two latents that the caller asked for
  std::vector<std::int16_t> lead;         // the lead that says most; kNoLead if unknown
  std::vector<char> beat_class;           // N, S, V, F or Q; kNoClass if undetermined
  std::vector<std::int16_t> shape;        // number of its template; kNoShape where it has none
  bool has_classes = false;               // any beat has a class
  std::vector<WaveTimes> waves;           // empty where the file has no columns of waves
  std::int64_t lead_count = 1;            // of the result

  static constexpr std::int16_t kNoLead = -1;
  static constexpr std::int16_t kNoShape = -1, kMostShapes = 255;
  static constexpr char kNoClass = 0;

  std::int64_t size() const { return std::ssize(sample); }
  float rr_prev(std::int64_t beat) const;  // interval from the beat before; NaN for the first beat
};

struct LatentPair {
  int x = 0, y = 1;
};

// Reads the text of a beats.csv; `path` names it in errors. Throws ErrorKind::input with "<file>:<line>: <what>" where
// the text is no such table.
BeatTable parse_beat_table(std::string_view text, const std::filesystem::path& path, bool rate_known,
                           LatentPair latents, std::int64_t lead_count = 1);

// Takes the columns from a table of beats in memory. They are what would be read back from its file.
BeatTable beat_table_of(const Table& table, bool rate_known, LatentPair latents, std::int64_t lead_count = 1);

}  // namespace beatscan
