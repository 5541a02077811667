// app/report/beat_table.h — the columns of beats.csv that the report page shows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "stages/beats/quality.h"

namespace beatscan {

// [K] beats in time order; NaN where there is no value.
struct BeatTable {
  std::vector<std::int64_t> sample;  // of the R peak
  std::vector<float> rr_next;        // to the next beat: seconds, or samples where the result knows no rate
  std::vector<std::uint8_t> kept, anomalous;
  std::vector<Quality> quality;  // good where the result does not say
  std::vector<float> score, rhythm_score, baseline_score, prev_ratio, next_ratio;
  std::vector<float> latent_x, latent_y;  // the two latents asked for

  std::int64_t size() const { return std::ssize(sample); }
  float rr_prev(std::int64_t beat) const;
};

struct LatentPair {
  int x = 0, y = 1;
};

// Throws ErrorKind::input with "<file>:<line>: <what>" where the file is not a beats.csv.
BeatTable read_beat_table(const std::filesystem::path& path, bool rate_known, LatentPair latents);

}  // namespace beatscan
