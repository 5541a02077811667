#include "app/result/files/features.h"

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/files/npy.h"
#include "app/result/output_folder.h"
#include "app/text/json.h"
#include "stages/features/beat_table.h"

namespace beatscan {

std::string features_json(const BeatFeatures& table) {
  Json columns = Json::array();
  for (const auto& [name, unit, text] : table.columns)
    columns.push_back({{"name", name}, {"unit", unit}, {"text", text}});
  return text_of({{"format", "beatscan features"}, {"version", 1}, {"columns", columns}}) + "\n";
}

void write_features(OutputFolder& folder, const BeatFeatures& table) {
  const std::int64_t width = std::ssize(table.columns);
  folder.write("features.npy", npy(table.values, {std::ssize(table.values) / width, width}));
  folder.write("features.json", features_json(table));
}

}  // namespace beatscan
