// stages/input/wfdb/packed_samples.h — reads the samples of one signal from a file in which several signals take turns,
// in the formats of WFDB that are not compressed. Source: WFDB Applications Guide, signal(5).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stages/recording/input_file.h"

namespace beatscan {

// The packing of samples: a group of `samples` takes `bytes`.
struct SampleFormat {
  int code;  // 8, 16, 24, 32, 61, 80, 160, 212, 310, 311
  std::int64_t samples, bytes;
  std::optional<std::int32_t> missing;  // the value that stands for a missing sample
};

// Returns the format with this number, or nothing if there is no such format.
std::optional<SampleFormat> sample_format(int code);

// Returns the bytes that so many samples take, and the samples that so many bytes hold.
std::int64_t bytes_for(const SampleFormat& format, std::int64_t samples);
std::int64_t samples_in(const SampleFormat& format, std::int64_t bytes);

// The places of a signal's samples. The file is a sequence of frames of `frame_samples` samples. Those of the signal
// are [first_in_frame, first_in_frame + samples_per_frame) of each frame.
struct PackedLayout {
  SampleFormat format;
  std::int64_t offset;  // bytes before the first frame
  std::int64_t frame_samples, first_in_frame, samples_per_frame;
  std::int32_t initial;  // format 8: the value before the first difference
};

class PackedSamples {
 public:
  PackedSamples(std::shared_ptr<const InputFile> file, const PackedLayout& layout)
      : file_(std::move(file)), layout_(layout), sum_(static_cast<std::uint32_t>(layout.initial)) {}

  // Reads the signal's next samples as they are stored. Throws ErrorKind::input if the file ends before.
  void read(std::span<std::int32_t> values);

 private:
  std::span<std::int32_t> read_some(std::span<std::int32_t> values);

  std::shared_ptr<const InputFile> file_;
  PackedLayout layout_;
  std::int64_t position_ = 0;  // samples of the signal that have been read
  std::uint32_t sum_;          // format 8: sum of the differences so far
  std::vector<char> bytes_;
};

}  // namespace beatscan
