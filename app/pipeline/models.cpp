#include "app/pipeline/models.h"

#include "app/config/config.h"

namespace beatscan {

Models read_models(const Config& config) {
  return {wave_model(config.waves.model), quality_model(config.quality.model), beat_class_model(config.classify.model),
          rhythm_model(config.rhythm_model.model)};
}

}  // namespace beatscan
