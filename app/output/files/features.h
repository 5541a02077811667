// app/output/files/features.h — the beat table as files: features.npy with its values [K][C], and features.json with
// the name, unit and meaning of each column.
#pragma once

#include <string>

namespace beatscan {

class OutputFolder;
struct BeatFeatures;

// Returns the content of features.json.
std::string features_json(const BeatFeatures& table);

void write_features(OutputFolder& folder, const BeatFeatures& table);

}  // namespace beatscan
