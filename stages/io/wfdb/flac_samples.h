// stages/io/wfdb/flac_samples.h — decodes channels of a FLAC file by libFLAC: WFDB's formats 508, 516 and 524.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "stages/io/wfdb/stored_samples.h"

namespace beatscan {

class InputFile;

struct FlacInfo {
  int channels = 0, bits = 0;
  std::int64_t samples = 0;  // samples of each channel; 0 if the file does not specify it
};

class FlacSamples {
 public:
  // Reads the description of the stream. Throws ErrorKind::input if the file is not FLAC.
  FlacSamples(std::shared_ptr<const InputFile> file, std::vector<int> channels);
  ~FlacSamples();
  FlacSamples(FlacSamples&&) noexcept;

  FlacInfo info() const;
  // Decodes the next samples of each channel, and calls take for pieces of them. Throws ErrorKind::input if the file is
  // damaged or ends before.
  void read(std::int64_t samples, const TakeStored& take);

 private:
  struct Decoder;
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace beatscan
