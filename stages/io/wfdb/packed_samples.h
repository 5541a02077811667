// stages/io/wfdb/packed_samples.h — reads interleaved signals from a file in a WFDB format that is not compressed.
// Source: WFDB Applications Guide, signal(5).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stages/io/wfdb/stored_samples.h"

namespace beatscan {

class InputFile;

// The packing of samples: a group of `samples` takes `bytes`.
struct SampleFormat {
  int code;  // 8, 16, 24, 32, 61, 80, 160, 212, 310, 311
  std::int64_t samples, bytes;
  std::optional<std::int32_t> missing;  // the value that stands for a missing sample
};

// Returns the format with this number, or nothing if there is no such format.
std::optional<SampleFormat> sample_format(int code);

// Return the bytes that `samples` samples take, and the samples that `bytes` bytes hold.
std::int64_t bytes_for(const SampleFormat& format, std::int64_t samples);
std::int64_t samples_in(const SampleFormat& format, std::int64_t bytes);

// A signal that is read. Its samples are [first_in_frame, first_in_frame + samples_per_frame) of each frame.
struct PackedSignal {
  std::int64_t first_in_frame;
  std::int32_t initial;  // format 8: the value before the first difference
};

// The places of the signals' samples. The file is a sequence of frames of `frame_samples` samples.
struct PackedLayout {
  SampleFormat format;
  std::int64_t offset;                            // bytes before the first frame
  std::int64_t frame_samples, samples_per_frame;  // of all signals in the file, and of each that is read
  std::vector<PackedSignal> signals;              // at least one
};

class PackedSamples {
 public:
  PackedSamples(std::shared_ptr<const InputFile> file, PackedLayout layout);

  // Reads the next samples of each signal, and calls take for pieces of them, in parallel on the process's threads.
  // Throws ErrorKind::input if the file ends before.
  void read(std::int64_t samples, const TakeStored& take);

 private:
  // A piece of the file, and the number of its first sample.
  struct Loaded {
    std::vector<char> bytes;
    std::int64_t first;
  };

  void read_frames(std::int64_t frames, std::int64_t frame_bytes, const TakeStored& take, std::int64_t done);
  void read_in_frame(std::int64_t samples, const TakeStored& take, std::int64_t done);
  void hand_on(std::size_t signal, std::int64_t first, std::span<std::int32_t> values, const TakeStored& take);
  Loaded load(std::int64_t first, std::int64_t end) const;

  std::shared_ptr<const InputFile> file_;
  PackedLayout layout_;
  std::int64_t first_, end_;         // samples of a frame from the first to the last that are read
  std::int64_t position_ = 0;        // samples of each signal that have been read
  std::vector<std::uint32_t> sums_;  // format 8: sum of each signal's differences so far
};

}  // namespace beatscan
