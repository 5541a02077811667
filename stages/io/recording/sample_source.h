// stages/io/recording/sample_source.h — brings samples that are decoded on the host into a context's memory. All
// formats but CSV are read this way; CSV is parsed in the context instead.
#pragma once

#include <functional>
#include <span>

#include "stages/io/recording/recording.h"

namespace beatscan {

// A piece of each lead, in the order of SignalInfo::leads; all are equally long.
using LeadBlocks = std::span<const std::span<float>>;

struct SampleSource {
  SignalInfo signal;
  std::string path;          // name of the file, for messages
  std::int64_t samples = 0;  // N of each lead; the reader has checked that the files hold them
  std::int64_t bytes = 0;    // size of the files
  // Fills the blocks with the leads' next samples, NaN where one is missing. It is called for N samples in all.
  std::function<void(LeadBlocks)> read;
};

// Reads all samples block by block and finishes the recording by bridge_and_measure. On Cuda a block is copied while
// the next one is decoded. Throws what source.read and bridge_and_measure throw.
template <class Context>
Recording<Context> read_samples(Context&, const SampleSource& source, const BytesReport& on_bytes = {});

}  // namespace beatscan
