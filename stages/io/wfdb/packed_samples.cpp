#include "stages/io/wfdb/packed_samples.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

constexpr std::int64_t kMostWholeBytes = 1 << 20;  // larger frames are read in pieces
constexpr std::int64_t kShareBytes = 1 << 15;      // of whole frames, what a thread reads at a time
constexpr std::int64_t kPiece_samples = 1 << 15;   // of a frame that is read in pieces
constexpr std::int64_t kGroup_samples = 6;         // a group of 1, 2 or 3 samples starts at each multiple

constexpr std::array kFormats = {SampleFormat{8, 1, 1, std::nullopt}, SampleFormat{16, 1, 2, -0x8000},
                                 SampleFormat{24, 1, 3, -0x800000},   SampleFormat{32, 1, 4, INT32_MIN},
                                 SampleFormat{61, 1, 2, -0x8000},     SampleFormat{80, 1, 1, -0x80},
                                 SampleFormat{160, 1, 2, -0x8000},    SampleFormat{212, 2, 3, -0x800},
                                 SampleFormat{310, 3, 4, -0x200},     SampleFormat{311, 3, 4, -0x200}};

using Bytes = const std::uint8_t*;

// Returns the number that the lower `bits` bits are in two's complement.
constexpr std::int32_t with_sign(std::uint32_t value, int bits) {
  return static_cast<std::int32_t>(value << (32 - bits)) >> (32 - bits);
}

// Each function at_F returns sample k of a file in format F.
std::int32_t at_8(Bytes b, std::uint64_t k) { return static_cast<std::int8_t>(b[k]); }
std::int32_t at_16(Bytes b, std::uint64_t k) {
  static_assert(std::endian::native == std::endian::little);
  std::int16_t value;
  std::memcpy(&value, b + 2 * k, sizeof value);  // a compiler makes this a loop over several samples at a time
  return value;
}
std::int32_t at_24(Bytes b, std::uint64_t k) {
  return with_sign(b[3 * k] | b[3 * k + 1] << 8 | b[3 * k + 2] << 16, 24);
}
std::int32_t at_32(Bytes b, std::uint64_t k) {
  b += 4 * k;
  return static_cast<std::int32_t>(b[0] | b[1] << 8 | b[2] << 16 | static_cast<std::uint32_t>(b[3]) << 24);
}
std::int32_t at_61(Bytes b, std::uint64_t k) { return with_sign(b[2 * k] << 8 | b[2 * k + 1], 16); }  // high byte first
std::int32_t at_80(Bytes b, std::uint64_t k) { return b[k] - 0x80; }
std::int32_t at_160(Bytes b, std::uint64_t k) { return (b[2 * k] | b[2 * k + 1] << 8) - 0x8000; }
// Two samples of 12 bits share three bytes; the middle byte has the upper four bits of both.
std::int32_t at_212(Bytes b, std::uint64_t k) {
  b += 3 * (k / 2);
  const std::uint64_t odd = k % 2;
  return with_sign(b[2 * odd] | b[1] >> 4 * odd << 8, 12);
}
// Three samples of 10 bits share two words of 16 bits. Bits 1 to 10 of the words are the first two samples, and bits 11
// to 15 of both make the third.
std::int32_t at_310(Bytes b, std::uint64_t k) {
  b += 4 * (k / 3);
  const std::uint32_t first = b[0] | b[1] << 8, second = b[2] | b[3] << 8;
  return with_sign(k % 3 == 0 ? first >> 1 : k % 3 == 1 ? second >> 1 : first >> 11 | second >> 11 << 5, 10);
}
// Three samples of 10 bits share the lower 30 bits of a word of 32 bits.
std::int32_t at_311(Bytes b, std::uint64_t k) {
  b += 4 * (k / 3);
  const std::uint32_t word = b[0] | b[1] << 8 | b[2] << 16 | static_cast<std::uint32_t>(b[3]) << 24;
  return with_sign(word >> 10 * (k % 3), 10);
}

// Runs of consecutive samples, one in each frame; all in samples.
struct Runs {
  std::int64_t first;   // place of the first run
  std::int64_t length;  // length of each run
  std::int64_t stride;  // distance from one run to the next
  std::int64_t count;   // number of runs
};

template <auto at>
void gather(Bytes bytes, const Runs& runs, std::int32_t* values) {
  const auto first = static_cast<std::uint64_t>(runs.first), length = static_cast<std::uint64_t>(runs.length),
             stride = static_cast<std::uint64_t>(runs.stride), count = static_cast<std::uint64_t>(runs.count);
  if (stride == length) {  // one long run
    for (std::uint64_t i = 0; i < count * length; ++i) values[i] = at(bytes, first + i);
  } else if (length == 1) {
    for (std::uint64_t run = 0; run < count; ++run) values[run] = at(bytes, first + run * stride);
  } else {
    for (std::uint64_t run = 0; run < count; ++run)
      for (std::uint64_t i = 0; i < length; ++i) *values++ = at(bytes, first + run * stride + i);
  }
}

void gather(int format, Bytes bytes, const Runs& runs, std::int32_t* values) {
  switch (format) {
    case 8:
      return gather<at_8>(bytes, runs, values);
    case 16:
      return gather<at_16>(bytes, runs, values);
    case 24:
      return gather<at_24>(bytes, runs, values);
    case 32:
      return gather<at_32>(bytes, runs, values);
    case 61:
      return gather<at_61>(bytes, runs, values);
    case 80:
      return gather<at_80>(bytes, runs, values);
    case 160:
      return gather<at_160>(bytes, runs, values);
    case 212:
      return gather<at_212>(bytes, runs, values);
    case 310:
      return gather<at_310>(bytes, runs, values);
    case 311:
      return gather<at_311>(bytes, runs, values);
  }
  throw Error(ErrorKind::internal, "PackedSamples: no such format");
}

}  // namespace

std::optional<SampleFormat> sample_format(int code) {
  const auto found = std::ranges::find(kFormats, code, &SampleFormat::code);
  return found == kFormats.end() ? std::nullopt : std::optional(*found);
}

// The last group may be cut short. In format 310 its first sample ends with byte 2, its second and third with byte 4.
std::int64_t bytes_for(const SampleFormat& format, std::int64_t samples) {
  const std::int64_t whole = samples / format.samples * format.bytes, rest = samples % format.samples;
  if (rest == 0) return whole;
  return whole + (format.code == 310 && rest == 2 ? 4 : rest + 1);
}

std::int64_t samples_in(const SampleFormat& format, std::int64_t bytes) {
  std::int64_t samples = bytes / format.bytes * format.samples;
  while (bytes_for(format, samples + 1) <= bytes) ++samples;
  return samples;
}

PackedSamples::PackedSamples(std::shared_ptr<const InputFile> file, PackedLayout layout)
    : file_(std::move(file)), layout_(std::move(layout)) {
  const auto [first, last] = std::ranges::minmax(layout_.signals, {}, &PackedSignal::first_in_frame);
  first_ = first.first_in_frame;
  end_ = last.first_in_frame + layout_.samples_per_frame;
  for (const auto& signal : layout_.signals) sums_.push_back(static_cast<std::uint32_t>(signal.initial));
}

void PackedSamples::read(std::int64_t samples, const TakeStored& take) {
  const PackedLayout& l = layout_;
  const std::int64_t frame_bytes = std::max<std::int64_t>(bytes_for(l.format, l.frame_samples), 1);
  for (std::int64_t done = 0; done < samples;) {
    const std::int64_t left = samples - done, in_frame = position_ % l.samples_per_frame;
    std::int64_t count = left - left % l.samples_per_frame;
    if (in_frame == 0 && count > 0 && frame_bytes <= kMostWholeBytes) {
      read_frames(count / l.samples_per_frame, frame_bytes, take, done);
    } else {
      count = std::min({l.samples_per_frame - in_frame, left, kPiece_samples});
      read_in_frame(count, take, done);
    }
    position_ += count;
    done += count;
  }
}

// Reads whole frames, each once for all signals. Threads take shares of them; those of format 8 follow each other.
void PackedSamples::read_frames(std::int64_t frames, std::int64_t frame_bytes, const TakeStored& take,
                                std::int64_t done) {
  const PackedLayout& l = layout_;
  const std::int64_t in_share = std::max<std::int64_t>(kShareBytes / frame_bytes, 1);
  const std::int64_t shares = (frames + in_share - 1) / in_share, first_frame = position_ / l.samples_per_frame;
  const auto read_share = [&](std::int64_t share) {
    const std::int64_t before = share * in_share, count = std::min(in_share, frames - before);
    const std::int64_t first = (first_frame + before) * l.frame_samples, last = first + (count - 1) * l.frame_samples;
    const Loaded loaded = load(first + first_, last + end_);
    std::vector<std::int32_t> values(static_cast<std::size_t>(count * l.samples_per_frame));
    for (std::size_t i = 0; i < l.signals.size(); ++i) {
      gather(l.format.code, reinterpret_cast<Bytes>(loaded.bytes.data()),
             {first + l.signals[i].first_in_frame - loaded.first, l.samples_per_frame, l.frame_samples, count},
             values.data());
      hand_on(i, done + before * l.samples_per_frame, values, take);
    }
  };
  if (l.format.code != 8) return run_parts(shares, read_share);
  for (std::int64_t share = 0; share < shares; ++share) read_share(share);
}

// Reads samples of one frame, signal by signal.
void PackedSamples::read_in_frame(std::int64_t samples, const TakeStored& take, std::int64_t done) {
  const PackedLayout& l = layout_;
  const std::int64_t first_of_all = position_ / l.samples_per_frame * l.frame_samples + position_ % l.samples_per_frame;
  std::vector<std::int32_t> values(static_cast<std::size_t>(samples));
  for (std::size_t i = 0; i < l.signals.size(); ++i) {
    const std::int64_t first = first_of_all + l.signals[i].first_in_frame;
    const Loaded loaded = load(first, first + samples);
    gather(l.format.code, reinterpret_cast<Bytes>(loaded.bytes.data()), {first - loaded.first, samples, samples, 1},
           values.data());
    hand_on(i, done, values, take);
  }
}

// Hands on values; those of format 8 are differences, of which it makes samples.
void PackedSamples::hand_on(std::size_t signal, std::int64_t first, std::span<std::int32_t> values,
                            const TakeStored& take) {
  if (layout_.format.code == 8)
    for (auto& value : values) value = static_cast<std::int32_t>(sums_[signal] += static_cast<std::uint32_t>(value));
  take(signal, first, values);
}

// Brings samples [first, end) of the file into memory.
PackedSamples::Loaded PackedSamples::load(std::int64_t first, std::int64_t end) const {
  const std::int64_t base = first - first % kGroup_samples;
  const std::int64_t from = layout_.offset + bytes_for(layout_.format, base);
  const std::int64_t size = layout_.offset + bytes_for(layout_.format, end) - from;
  std::vector<char> bytes(static_cast<std::size_t>(size) + 4);  // the last group may be cut short
  file_->read_all(from, std::span(bytes).first(static_cast<std::size_t>(size)));
  return {std::move(bytes), base};
}

}  // namespace beatscan
