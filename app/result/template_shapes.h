// app/result/template_shapes.h — the mean beat of each template, and its most typical and its oddest beat.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/beats/embedded_beats.h"

namespace beatscan {

struct RunResult;

// T templates, C leads that rows were cut of, D points. Means are over beats of the template that are spread evenly
// over the recording: in good signal, if it has any there.
struct TemplateShapes {
  std::vector<float> means;           // [C][T][D] in the lead's unit
  std::vector<std::int64_t> typical;  // [T] the beat nearest to the mean, of those that the mean is over
  std::vector<std::int64_t> oddest;   // [T] of all beats in good signal, that with the highest waveform score
  std::vector<double> spread;         // [T] root mean square distance from the mean over the size of the mean
};

inline constexpr std::int64_t kTemplateRows = 64;     // at most, of each template
inline constexpr std::int64_t kTemplatesRows = 8192;  // at most, of all templates in all leads, but 8 of each

// Returns the shapes of the result's templates; none where beats have none.
template <class Context>
TemplateShapes template_shapes(Context&, const EmbeddedBeats<Context>& embedded, const RunResult& result);

}  // namespace beatscan
