// app/report/stored/stored_arrays.h — the arrays of a result's folder report/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "app/report/stored/npy_file.h"

namespace beatscan {

struct ReportData;

// K is the number of beats with the highest scores, in falling order. Signal values are in their lead's unit. L leads
// are shown, and C of them have a median beat.
struct ReportArrays {
  NpyFile<float> bin_ranges;          // [E][2] least and greatest value of each bin_samples samples of the first lead;
                                      // or [E][1] where that is one sample
  NpyFile<float> other_bin_ranges;    // [L - 1][E'][2 or 1] the same of the other leads; empty where there are none
  NpyFile<std::int64_t> strip_beats;  // [K] rows of beats.csv
  NpyFile<float> strips;              // [L][K][S] signal around the R peak, NaN beyond the ends; [K][S] of one lead
  NpyFile<float> rows, decoded;       // [K][D] the beats as the model is given them, and as it decodes them
  NpyFile<float> reference;           // [C][2][D] median beat and spread; [2][D] of one lead
  NpyFile<float> grid;                // [G * G][D] beats decoded from a grid of latents
  NpyFile<std::int64_t> row_leads;    // [K] the lead of each row; empty where there is but one
  // Older results have none of these.
  NpyFile<float> templates;              // [C][T][D] mean beats of the templates
  NpyFile<std::int64_t> finding_places;  // [F] samples in the middle of more strips, ascending
  NpyFile<float> finding_strips;         // [L][F][S] the strips
  // [N][2] onset and end, in samples, of the P waves that no QRS complex follows; there is no such file without one.
  NpyFile<std::int64_t> non_conducted_p;
};

// The least and the greatest value of each bin of a lead, [E][of_bin].
struct Envelope {
  std::span<const float> values;
  std::int64_t of_bin;  // 2; 1 where a bin is one sample, whose least and greatest value are the same
  std::int64_t bins() const { return std::ssize(values) / of_bin; }
  float low(std::int64_t bin) const { return values[of_bin * bin]; }
  std::span<const float> part(std::int64_t first, std::int64_t end) const {
    return values.subspan(of_bin * first, of_bin * (end - first));
  }
};

// Reads the arrays from the folder report/ of a result of one lead or of several.
ReportArrays read_arrays(const std::filesystem::path& folder, bool several);

// Takes the arrays out of the data of a result that is still in memory. They are those that would be read back.
ReportArrays held_arrays(ReportData&& report, std::int64_t row_points);

}  // namespace beatscan
