// tests/support/beat_tables.h — beats.csv as text, and read from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/files/whole_file.h"
#include "app/report/stored/beat_table.h"
#include "app/result/files/beats_table.h"
#include "app/result/run_result.h"
#include "app/tables/table_csv.h"

namespace beatscan {

inline std::string beats_csv(const RunResult& result) { return csv_text(beats_table(result)); }

inline BeatTable read_beat_table(const std::filesystem::path& path, bool rate_known, LatentPair latents,
                                 std::int64_t lead_count = 1) {
  return parse_beat_table(read_whole_file(path), path, rate_known, latents, lead_count);
}

}  // namespace beatscan
