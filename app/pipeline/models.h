// app/pipeline/models.h — the trained models for quality, waves, beat classes and rhythms: those of models/, or the
// user's own.
//
// For each kind one function reads a file, or returns the built-in model for an empty path, and one parses a text,
// whose errors name `source`. They throw ErrorKind::usage if the file cannot be read, and ErrorKind::input if it has
// another format or version, is damaged, or was trained for inputs that this program does not have: one line with the
// path, the problem and a remedy.
#pragma once

#include <filesystem>
#include <string>

#include "stages/classify/class_chain.h"
#include "stages/quality/quality_index.h"
#include "stages/rhythm/rhythms.h"
#include "stages/waves/waves.h"

namespace beatscan {

struct Config;

struct WaveModel : DelineationModel {  // of scripts/train_waves
  std::string sha256, date;            // of the weights and the confidence; when it was trained
};
WaveModel wave_model(const std::filesystem::path& path);
WaveModel parse_wave_model(const std::string& text, const std::string& source);

// The forests of the signal-quality index and of fibrillation.
struct TrainedQualityModel : QualityModel {  // of scripts/train_quality and scripts/train_fibrillation
  std::string sha256, date;                  // of everything that is computed with; when the index was trained
};
TrainedQualityModel quality_model(const std::filesystem::path& path);
TrainedQualityModel parse_quality_model(const std::string& text, const std::string& source);

struct BeatClassModel : ClassModel {  // of scripts/train_classifier
  std::string sha256;                 // of its trees
};
BeatClassModel beat_class_model(const std::filesystem::path& path);
BeatClassModel parse_beat_class_model(const std::string& text, const std::string& source);

struct TrainedRhythmModel : RhythmModel {  // of scripts/train_rhythm
  std::string sha256;                      // of its regressions and its decoding
};
TrainedRhythmModel rhythm_model(const std::filesystem::path& path);
TrainedRhythmModel parse_rhythm_model(const std::string& text, const std::string& source);

struct Models {
  WaveModel waves;
  TrainedQualityModel quality;
  BeatClassModel classes;
  TrainedRhythmModel rhythms;
};

// Reads the models that the configuration names.
Models read_models(const Config& config);

}  // namespace beatscan
