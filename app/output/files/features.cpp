#include "app/output/files/features.h"

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/common/json.h"
#include "app/common/npy.h"
#include "app/output/output_folder.h"
#include "stages/classify/beat_table.h"

namespace beatscan {

std::string features_json(const BeatFeatures& table) {
  Json columns = Json::array();
  for (const FeatureColumn& column : table.columns)
    columns.push_back({{"name", column.name}, {"unit", column.unit}, {"text", column.text}});
  return text_of({{"format", "beatscan features"}, {"version", 1}, {"columns", columns}}) + "\n";
}

void write_features(OutputFolder& folder, const BeatFeatures& table) {
  const std::int64_t width = std::ssize(table.columns), beats = table.beats();
  std::vector<float> by_beat(beats * width);
  for (std::int64_t c = 0; c < width; ++c)
    for (std::int64_t i = 0; i < beats; ++i) by_beat[i * width + c] = table.columns[c].values[i];
  folder.write("features.npy", npy(by_beat, {beats, width}));
  folder.write("features.json", features_json(table));
}

}  // namespace beatscan
