// app/run/models.h — the trained models that decide quality, waves and beat classes: those of models/, or the user's
// own.
#pragma once

#include "app/run/beat_class_model.h"
#include "app/run/quality_model.h"
#include "app/run/wave_model.h"

namespace beatscan {

struct Config;

struct Models {
  WaveModel waves;
  TrainedQualityModel quality;
  BeatClassModel classes;
};

// Reads the models that the configuration names. Throws as wave_model, quality_model and beat_class_model
// do.
Models read_models(const Config& config);

}  // namespace beatscan
