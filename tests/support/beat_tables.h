// tests/support/beat_tables.h — beats.csv as text, and read from a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/common/whole_file.h"
#include "app/output/beats_table.h"
#include "app/output/run_result.h"
#include "app/output/tables/table_csv.h"
#include "app/report/stored/beat_table.h"

namespace beatscan {

inline std::string beats_csv(const RunResult& result) { return csv_text(beats_table(result)); }

inline BeatTable read_beat_table(const std::filesystem::path& path, bool rate_known, LatentPair latents,
                                 std::int64_t lead_count = 1) {
  return parse_beat_table(read_whole_file(path), path, rate_known, latents, lead_count);
}

}  // namespace beatscan
