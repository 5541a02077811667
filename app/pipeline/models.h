// app/pipeline/models.h — the trained models for quality, waves, beat classes and rhythms: those of models/, or the
// user's own.
#pragma once

#include "app/pipeline/beat_class_model.h"
#include "app/pipeline/quality_model.h"
#include "app/pipeline/rhythm_model.h"
#include "app/pipeline/wave_model.h"

namespace beatscan {

struct Config;

struct Models {
  WaveModel waves;
  TrainedQualityModel quality;
  BeatClassModel classes;
  TrainedRhythmModel rhythms;
};

// Reads the models that the configuration names. Throws like wave_model, quality_model, beat_class_model and
// rhythm_model.
Models read_models(const Config& config);

}  // namespace beatscan
