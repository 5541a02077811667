// app/report/stored/stored_result.h — a result read back from its folder, from which the report page is made.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/npy_file.h"

namespace beatscan {

struct PoorStretch {
  double from, to;  // seconds
  Quality quality;
};

// The arrays of the folder report/. K is the number of beats with the highest scores, in falling order. Signal values
// are in the input's unit.
struct ReportArrays {
  NpyFile<float> bin_ranges;          // [E][2] least and greatest value of each bin_samples samples
  NpyFile<std::int64_t> strip_beats;  // [K] rows of beats.csv
  NpyFile<float> strips;              // [K][S] signal around the R peak, NaN beyond the ends
  NpyFile<float> rows, decoded;       // [K][D] the beats as the model is given them, and as it decodes them
  NpyFile<float> reference;           // [2][D] median beat and spread
  NpyFile<float> grid;                // [G * G][D] beats decoded from a grid of latents
};

// A position on the time axis is in seconds, or in samples where no rate is known.
struct StoredResult {
  std::filesystem::path folder;
  Json summary, config;
  bool published = false;
  std::optional<double> rate_hz;
  std::int64_t samples = 0, bin_samples = 1;
  std::optional<LatentPair> latents;  // the grid's; nothing where the model has fewer than two
  double threshold = 0;
  BeatTable beats;
  std::vector<PoorStretch> poor;
  std::vector<std::vector<float>> generated;
  ReportArrays arrays;

  double position(double sample) const { return rate_hz ? sample / *rate_hz : sample; }
  double beat_position(std::int64_t beat) const { return position(static_cast<double>(beats.sample[beat])); }
  double length() const { return position(static_cast<double>(samples)); }
};

// Throws ErrorKind::input, naming the file, where the folder is no result or one of its files is damaged.
StoredResult read_stored_result(const std::filesystem::path& folder);

}  // namespace beatscan
