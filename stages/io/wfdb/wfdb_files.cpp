#include "stages/io/wfdb/wfdb_files.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/io/wfdb/flac_samples.h"
#include "stages/io/wfdb/packed_samples.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kMostHeaderBytes = 4 << 20;
constexpr std::int64_t kMostSamplesPerFlacByte = 1000;  // a flat line has 300
constexpr std::int64_t kUsualSamplesPerFlacByte = 16;   // ECG has 1

[[noreturn]] void fail_short(const InputFile& file, const std::string& needed) {
  fail(ErrorKind::input, file.path().string(),
       "is cut off: it has " + counted(file.size(), "byte") + ", and " + needed + "; copy it again");
}

// Returns whether the last `samples` samples are zeros that fill up the last group of a format that packs several.
bool are_padding(const std::shared_ptr<const InputFile>& file, const WfdbSignal& signal, const SampleFormat& format,
                 std::int64_t samples) {
  const std::int64_t bytes = file->size() - signal.offset;
  if (samples >= format.samples || bytes % format.bytes != 0) return false;
  PackedSamples last_group(file, {format, file->size() - format.bytes, 1, 1, {{0, 0}}});
  std::vector<std::int32_t> group(static_cast<std::size_t>(format.samples));
  last_group.read(format.samples, [&](std::size_t, std::int64_t first, std::span<const std::int32_t> values) {
    std::ranges::copy(values, group.begin() + first);
  });
  return std::ranges::all_of(group.end() - samples, group.end(), [](std::int32_t code) { return code == 0; });
}

std::int64_t frames_in_packed(const std::shared_ptr<const InputFile>& opened, const WfdbSignal& signal,
                              const FileShare& share, std::int64_t frames) {
  const InputFile& file = *opened;
  const auto format = sample_format(signal.format);
  if (!format)
    fail(ErrorKind::input, file.path().string(),
         "has format " + std::to_string(signal.format) +
             ", which is not known; the known ones are 8, 16, 24, 32, 61, 80, 160, 212, 310, 311, 508, 516 and 524");
  if (signal.offset > file.size())
    fail_short(file, "the header says that the samples begin at byte " + std::to_string(signal.offset));
  const std::int64_t there = samples_in(*format, std::max<std::int64_t>(file.size() - signal.offset, 0));
  if (frames > there / share.frame_samples)
    fail_short(file, "the header says " + counted(frames, "frame") + " of " + counted(share.frame_samples, "sample") +
                         " in format " + std::to_string(signal.format));
  if (frames > 0) return frames;
  if (const auto rest = there % share.frame_samples; rest != 0 && !are_padding(opened, signal, *format, rest))
    fail_short(file, "they end within a frame of " + counted(share.frame_samples, "sample"));
  return there / share.frame_samples;
}

// Decodes the samples that the header claims; throws if the file holds fewer.
void check_flac_claim(std::shared_ptr<const InputFile> file, std::int64_t samples) {
  FlacSamples flac(std::move(file), {0});
  flac.read(samples, ignore_stored);
}

std::int64_t frames_in_flac(const std::shared_ptr<const InputFile>& file, const WfdbSignal& signal,
                            const FileShare& share, std::int64_t frames) {
  const FlacInfo info = FlacSamples(file, {0}).info();
  const std::string path = file->path().string();
  if (info.channels != share.channels || info.bits > signal.format - 500)
    fail(ErrorKind::input, path,
         "has " + counted(info.channels, "channel") + " of " + std::to_string(info.bits) +
             " bits where the header says " + std::to_string(share.channels) + " in format " +
             std::to_string(signal.format));
  if (info.samples > kMostSamplesPerFlacByte * file->size())
    fail(ErrorKind::input, path, "claims " + counted(info.samples, "sample") + ", more than its bytes can hold");
  const std::int64_t there = std::max<std::int64_t>(info.samples - signal.offset, 0);
  if (frames > there / signal.samples_per_frame)
    fail_short(*file, "the header says " + counted(frames, "frame") + " where they hold " +
                          std::to_string(there / signal.samples_per_frame));
  if (frames == 0 && there % signal.samples_per_frame != 0) fail_short(*file, "they end within a frame");
  if (frames == 0) frames = there / signal.samples_per_frame;
  const std::int64_t needed = signal.offset + frames * signal.samples_per_frame;
  if (needed > kUsualSamplesPerFlacByte * file->size()) check_flac_claim(file, needed);  // before memory is taken
  return frames;
}

}  // namespace

fs::path path_beside(const fs::path& header, const std::string& name) {
  const fs::path relative(name);
  const bool inside = !name.empty() && name != "-" && relative.is_relative() &&
                      std::ranges::none_of(relative, [](const fs::path& part) { return part == ".."; });
  if (!inside) fail(ErrorKind::input, header.string(), "'" + name + "' is not a file in the header's folder");
  std::error_code unknown;  // an error here is met again, and reported, when the file is opened
  const fs::path folder = fs::weakly_canonical(header.parent_path() / ".", unknown),
                 target = fs::weakly_canonical(header.parent_path() / "." / relative, unknown);
  if (!unknown && std::ranges::mismatch(folder, target).in1 != folder.end())
    fail(ErrorKind::input, header.string(), "'" + name + "' is a link to a file outside the header's folder");
  return header.parent_path() / relative;
}

std::shared_ptr<const InputFile> open_regular(const fs::path& path) {
  std::error_code unknown;  // an error here is met again, and reported, when the file is opened
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown))
    fail(ErrorKind::input, path.string(), "is not a regular file");
  return std::make_shared<const InputFile>(path);
}

WfdbHeader read_wfdb_header(const InputFile& file) {
  const std::string path = file.path().string();
  if (file.size() > kMostHeaderBytes)
    fail(ErrorKind::input, path,
         "is larger than " + std::to_string(kMostHeaderBytes) + " bytes: this is no WFDB header");
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  text.resize(static_cast<std::size_t>(file.read(0, text)));
  return parse_wfdb_header(text, path);
}

FileShare share_of(const WfdbHeader& header, std::size_t position, const fs::path& path) {
  const WfdbSignal& signal = header.signals[position];
  FileShare share;
  for (std::size_t i = 0; i < header.signals.size(); ++i) {
    const WfdbSignal& other = header.signals[i];
    if (other.file != signal.file) continue;
    if (other.format != signal.format || other.offset != signal.offset)
      fail(ErrorKind::input, path.string(),
           "signals of one file, '" + signal.file + "', differ in format or byte offset");
    if (is_flac(signal.format) && other.samples_per_frame != signal.samples_per_frame)
      fail(ErrorKind::input, path.string(),
           "signals of one FLAC file, '" + signal.file + "', differ in samples per frame");
    if (i < position) {
      share.first_in_frame += other.samples_per_frame;
      ++share.channel;
    }
    share.frame_samples += other.samples_per_frame;
    ++share.channels;
  }
  return share;
}

std::int64_t frames_in(const std::shared_ptr<const InputFile>& file, const WfdbSignal& signal, const FileShare& share,
                       std::int64_t frames) {
  return is_flac(signal.format) ? frames_in_flac(file, signal, share, frames)
                                : frames_in_packed(file, signal, share, frames);
}

std::int64_t frames_held(const std::shared_ptr<const InputFile>& file, const WfdbSignal& signal,
                         const FileShare& share) {
  if (is_flac(signal.format))
    return std::max<std::int64_t>(FlacSamples(file, {0}).info().samples - signal.offset, 0) / signal.samples_per_frame;
  return samples_in(*sample_format(signal.format), std::max<std::int64_t>(file->size() - signal.offset, 0)) /
         share.frame_samples;
}

}  // namespace beatscan
