// stages/recording/sample_source.h — samples that are decoded on the host, from whatever file, on their way to a
// context.
#pragma once

#include <functional>
#include <span>

#include "stages/recording/recording.h"

namespace beatscan {

struct SampleSource {
  SignalInfo signal;
  std::string path;          // for messages
  std::int64_t samples = 0;  // N; what stands behind it has been checked
  std::int64_t bytes = 0;    // of the files
  // Fills in the next samples, NaN where one is missing. Called in order, with N of them in all.
  std::function<void(std::span<float>)> read;
};

// Decoding, and on Cuda copying, take turns block by block. Throws what reading throws; for the rest see
// bridge_and_measure.
template <class Context>
Recording<Context> read_samples(Context&, const SampleSource& source, const BytesReport& on_bytes = {});

}  // namespace beatscan
