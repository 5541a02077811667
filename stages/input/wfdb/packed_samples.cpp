#include "stages/input/wfdb/packed_samples.h"

#include <algorithm>
#include <array>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"

namespace beatscan {
namespace {

constexpr std::int64_t kBlockBytes = 1 << 20;
constexpr std::int64_t kGroup_samples = 6;  // a group of 1, 2 or 3 samples starts at each multiple

constexpr std::array kFormats = {SampleFormat{8, 1, 1, std::nullopt}, SampleFormat{16, 1, 2, -0x8000},
                                 SampleFormat{24, 1, 3, -0x800000},   SampleFormat{32, 1, 4, INT32_MIN},
                                 SampleFormat{61, 1, 2, -0x8000},     SampleFormat{80, 1, 1, -0x80},
                                 SampleFormat{160, 1, 2, -0x8000},    SampleFormat{212, 2, 3, -0x800},
                                 SampleFormat{310, 3, 4, -0x200},     SampleFormat{311, 3, 4, -0x200}};

using Bytes = const std::uint8_t*;

// Returns the number that the lower `bits` bits are in two's complement.
constexpr std::int32_t with_sign(std::uint32_t value, int bits) {
  const std::uint32_t sign = 1u << (bits - 1);
  return static_cast<std::int32_t>(((value & (2 * sign - 1)) ^ sign) - sign);
}

// Each function at_F returns sample k of a file in format F.
std::int32_t at_8(Bytes b, std::uint64_t k) { return static_cast<std::int8_t>(b[k]); }
std::int32_t at_16(Bytes b, std::uint64_t k) { return with_sign(b[2 * k] | b[2 * k + 1] << 8, 16); }
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
  return with_sign(k % 2 == 0 ? b[0] | (b[1] & 0x0f) << 8 : b[2] | (b[1] & 0xf0) << 4, 12);
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
  auto place = static_cast<std::uint64_t>(runs.first);
  for (std::int64_t run = 0; run < runs.count; ++run, place += static_cast<std::uint64_t>(runs.stride))
    for (std::int64_t i = 0; i < runs.length; ++i) *values++ = at(bytes, place + static_cast<std::uint64_t>(i));
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

void PackedSamples::read(StoredBlocks values) {
  for (std::int64_t done = 0; done < std::ssize(values[0]);) done += read_some(values, done);
}

// Brings samples [first, end) of the file into bytes_. Returns the number of the first sample there.
std::int64_t PackedSamples::load(std::int64_t first, std::int64_t end) {
  const std::int64_t base = first - first % kGroup_samples;
  const std::int64_t from = layout_.offset + bytes_for(layout_.format, base);
  const std::int64_t size = layout_.offset + bytes_for(layout_.format, end) - from;
  bytes_.resize(static_cast<std::size_t>(size) + 4);  // the last group may be cut short
  std::fill(bytes_.end() - 4, bytes_.end(), '\0');
  if (file_->read(from, std::span(bytes_).first(static_cast<std::size_t>(size))) != size)
    fail(ErrorKind::input, file_->path().string(), "became shorter while it was read");
  return base;
}

// Reads whole frames, once for all signals, if they are small; else a part of one frame. Returns how many values of
// each signal it filled.
std::int64_t PackedSamples::read_some(StoredBlocks values, std::int64_t done) {
  const auto& l = layout_;
  const std::int64_t wanted = std::ssize(values[0]) - done;
  const std::int64_t frame = position_ / l.samples_per_frame, in_frame = position_ % l.samples_per_frame;
  const std::int64_t frame_bytes = std::max<std::int64_t>(bytes_for(l.format, l.frame_samples), 1);
  const bool whole = in_frame == 0 && wanted >= l.samples_per_frame && frame_bytes <= kBlockBytes;
  Runs runs{frame * l.frame_samples + in_frame, l.samples_per_frame, l.frame_samples, 1};
  std::int64_t base = 0;
  if (whole) {
    runs.count = std::min(wanted / l.samples_per_frame, kBlockBytes / frame_bytes);
    base = load(runs.first + first_, runs.first + (runs.count - 1) * runs.stride + end_);
  } else {
    runs.length = std::min({l.samples_per_frame - in_frame, wanted, kBlockBytes / 4});
  }
  const std::int64_t filled = runs.count * runs.length;
  const auto unpack = [&](std::int64_t i, std::int64_t first_loaded) {
    Runs own = runs;
    own.first += l.signals[i].first_in_frame - first_loaded;
    const auto target = values[i].subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(filled));
    gather(l.format.code, reinterpret_cast<Bytes>(bytes_.data()), own, target.data());
    if (l.format.code != 8) return;
    std::uint32_t sum = sums_[i];
    for (auto& value : target) value = static_cast<std::int32_t>(sum += static_cast<std::uint32_t>(value));
    sums_[i] = sum;
  };
  const std::int64_t signals = std::ssize(l.signals);
  if (whole)
    run_parts(signals, [&](std::int64_t i) { unpack(i, base); });
  else
    for (std::int64_t i = 0; i < signals; ++i) {
      const std::int64_t first = runs.first + l.signals[i].first_in_frame;
      unpack(i, load(first, first + runs.length));
    }
  position_ += filled;
  return filled;
}

}  // namespace beatscan
