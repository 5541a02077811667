#include "stages/input/wfdb/wfdb_record.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/input/wfdb/flac_samples.h"
#include "stages/input/wfdb/packed_samples.h"
#include "stages/recording/leads.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kMostHeaderBytes = 4 << 20;
constexpr std::int64_t kMostSamplesPerFlacByte = 1000;  // a flat line has 300
constexpr std::int64_t kUsualSamplesPerFlacByte = 16;   // ECG has 1
constexpr int kMostRepeats = 100;                       // of a segment: a few bytes must not stand for any length

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(ErrorKind::input, path.string() + ": " + what);
}

// A file that a header names, in the header's folder or below: it must not make the program open anything else.
fs::path beside(const fs::path& header, const std::string& name) {
  const fs::path relative(name);
  const bool inside = !name.empty() && name != "-" && relative.is_relative() &&
                      std::ranges::none_of(relative, [](const fs::path& part) { return part == ".."; });
  if (!inside) fail(header, "'" + name + "' is not a file in the header's folder");
  const fs::path path = header.parent_path() / relative;
  std::error_code unknown;  // which opening it will tell
  const fs::path folder = fs::weakly_canonical(header.parent_path() / ".", unknown),
                 target = fs::weakly_canonical(header.parent_path() / "." / relative, unknown);
  if (!unknown && std::ranges::mismatch(folder, target).in1 != folder.end())
    fail(header, "'" + name + "' is a link to a file outside the header's folder");
  return path;
}

std::shared_ptr<const InputFile> open_regular(const fs::path& path) {
  std::error_code unknown;  // which opening it will tell
  if (fs::exists(path, unknown) && !fs::is_regular_file(path, unknown)) fail(path, "is no file");
  return std::make_shared<const InputFile>(path);
}

WfdbHeader read_header(const InputFile& file) {
  if (file.size() > kMostHeaderBytes)
    fail(file.path(), "is larger than " + std::to_string(kMostHeaderBytes) + " bytes: this is no WFDB header");
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  text.resize(static_cast<std::size_t>(file.read(0, text)));
  return parse_wfdb_header(text, file.path().string());
}

// The signals that share a file, and where one of them is among them.
struct FileShare {
  std::int64_t samples = 0, before = 0;    // of a frame; of the signals before this one
  std::int64_t channel = 0, channels = 0;  // this signal's place, and how many there are
};
FileShare share_of(const WfdbHeader& header, std::size_t position, const fs::path& path) {
  const WfdbSignal& signal = header.signals[position];
  FileShare share;
  for (std::size_t i = 0; i < header.signals.size(); ++i) {
    const WfdbSignal& other = header.signals[i];
    if (other.file != signal.file) continue;
    if (other.format != signal.format || other.offset != signal.offset)
      fail(path, "signals of one file, '" + signal.file + "', differ in format or byte offset");
    if (is_flac(signal.format) && other.samples_per_frame != signal.samples_per_frame)
      fail(path, "signals of one FLAC file, '" + signal.file + "', differ in samples per frame");
    if (i < position) {
      share.before += other.samples_per_frame;
      ++share.channel;
    }
    share.samples += other.samples_per_frame;
    ++share.channels;
  }
  return share;
}

[[noreturn]] void fail_short(const InputFile& file, const std::string& needed) {
  fail(file.path(), "is cut off: it has " + std::to_string(file.size()) + " bytes, and " + needed);
}

// Frames in a file of packed samples; checks them where the header gives them.
std::int64_t frames_in(const InputFile& file, const WfdbSignal& signal, const FileShare& share, std::int64_t frames) {
  const auto format = sample_format(signal.format);
  if (!format)
    fail(file.path(), "has format " + std::to_string(signal.format) +
                          ", which is not known; 8, 16, 24, 32, 61, 80, 160, 212, 310, 311, 508, 516 and 524 are");
  if (signal.offset > file.size())
    fail_short(file, "the header says that the samples begin at byte " + std::to_string(signal.offset));
  const std::int64_t there = samples_in(*format, std::max<std::int64_t>(file.size() - signal.offset, 0));
  if (frames > there / share.samples)
    fail_short(file, "the header says " + std::to_string(frames) + " frames of " + std::to_string(share.samples) +
                         " samples in format " + std::to_string(signal.format));
  if (frames > 0) return frames;
  if (there % share.samples != 0)
    fail_short(file, "they end within a frame of " + std::to_string(share.samples) + " samples");
  return there / share.samples;
}

// Decodes so many samples, and fails where they are not there.
void check_flac_claim(std::shared_ptr<const InputFile> file, std::int64_t samples) {
  FlacSamples flac(std::move(file), 0);
  std::vector<std::int32_t> block(1 << 14);
  for (; samples > 0; samples -= std::ssize(block))
    flac.read(std::span(block).first(static_cast<std::size_t>(std::min(samples, std::ssize(block)))));
}

std::int64_t frames_in_flac(std::shared_ptr<const InputFile> file, const WfdbSignal& signal, const FileShare& share,
                            std::int64_t frames) {
  const FlacInfo info = FlacSamples(file, 0).info();
  if (info.channels != share.channels || info.bits > signal.format - 500)
    fail(file->path(), "has " + std::to_string(info.channels) + " channels of " + std::to_string(info.bits) +
                           " bits where the header says " + std::to_string(share.channels) + " in format " +
                           std::to_string(signal.format));
  if (info.samples > kMostSamplesPerFlacByte * file->size())
    fail(file->path(), "claims " + std::to_string(info.samples) + " samples, more than its bytes can hold");
  const std::int64_t there = std::max<std::int64_t>(info.samples - signal.offset, 0);
  if (frames > there / signal.samples_per_frame)
    fail_short(*file, "the header says " + std::to_string(frames) + " frames where they hold " +
                          std::to_string(there / signal.samples_per_frame));
  if (frames == 0 && there % signal.samples_per_frame != 0) fail_short(*file, "they end within a frame");
  if (frames == 0) frames = there / signal.samples_per_frame;
  const std::int64_t needed = signal.offset + frames * signal.samples_per_frame;
  if (needed > kUsualSamplesPerFlacByte * file->size()) check_flac_claim(file, needed);  // before memory is made for it
  return frames;
}

class RecordOpener {
 public:
  explicit RecordOpener(const fs::path& path) { record_.path = path; }

  WfdbRecord open(const std::string& lead) {
    const auto file = open_regular(record_.path);
    add_file(file);
    const WfdbHeader header = read_header(*file);
    record_.signal.format = "WFDB";
    if (header.segments.empty())
      add_signal(header, choose(header, lead), record_.path, header.frames, true);
    else
      add_segments(header, lead);
    record_.signal.sample_rate_hz = rate_of(header);
    if (record_.signal.sample_rate_hz)
      record_.signal.rate_origin = RateOrigin::header;
    else
      record_.signal.no_rate_because = "the header does not tell it";
    check_missing();
    return std::move(record_);
  }

 private:
  std::optional<double> rate_of(const WfdbHeader& header) const {
    if (!header.frame_rate_hz) return std::nullopt;
    return *header.frame_rate_hz * static_cast<double>(record_.signal.samples_per_frame);
  }

  void add_file(const std::shared_ptr<const InputFile>& file) {
    if (!known_.insert(file->path()).second) return;
    record_.bytes += file->size();
    const bool keep_open = record_.files.size() < 8;  // one of many files would be more than a process may have open
    record_.files.push_back(input_part(file, keep_open));
  }

  // The lead to read, by the signals of one header.
  std::size_t choose(const WfdbHeader& header, const std::string& wanted) {
    std::vector<Lead> leads;
    for (const auto& signal : header.signals) leads.push_back({signal.name, signal.unit});
    const std::size_t position = choose_lead(leads, wanted, record_.path.string());
    const WfdbSignal& signal = header.signals[position];
    for (const auto& lead : leads) record_.signal.names.push_back(lead.name);
    record_.signal.name = signal.name;
    record_.signal.unit = signal.unit;
    record_.signal.samples_per_frame = signal.samples_per_frame;
    return position;
  }

  void add_missing(std::int64_t frames) {
    const std::int64_t samples = frames * record_.signal.samples_per_frame;
    if (samples == 0) return;
    if (!record_.parts.empty() && record_.parts.back().file.path.empty())
      record_.parts.back().samples += samples;
    else
      record_.parts.push_back({.samples = samples});
    record_.samples += samples;
    missing_ += samples;
  }

  // frames  0: as many as the file has
  void add_signal(const WfdbHeader& header, std::size_t position, const fs::path& path, std::int64_t frames,
                  bool alone) {
    const WfdbSignal& signal = header.signals[position];
    if (signal.file == "~" || signal.format == 0) {
      if (alone) fail(path, "no signal file holds lead '" + signal.name + "'");
      return add_missing(frames);
    }
    const FileShare share = share_of(header, position, path);
    const auto file = open_regular(beside(path, signal.file));
    add_file(file);
    frames =
        is_flac(signal.format) ? frames_in_flac(file, signal, share, frames) : frames_in(*file, signal, share, frames);
    const std::int64_t skipped = std::min(signal.skew, frames), samples = (frames - skipped) * signal.samples_per_frame;
    if (samples > 0)
      record_.parts.push_back({samples, signal, input_part(file, alone), share.samples, share.before, share.channel});
    record_.samples += samples;
    add_missing(skipped);
  }

  void add_segments(const WfdbHeader& master, const std::string& lead) {
    std::int64_t frames = 0;
    for (const auto& segment : master.segments)
      if (frames += segment.frames; segment.frames > kMostFrames || frames > kMostFrames)
        fail(record_.path, "claims more than " + std::to_string(kMostFrames) + " samples");
    if (master.frames > 0 && frames != master.frames)
      fail(record_.path, "has segments of " + std::to_string(frames) + " samples together where the record line says " +
                             std::to_string(master.frames));
    bool by_name = false;  // the first header is a layout: it lists the leads, and segments have some of them
    bool chosen = false;
    for (const auto& segment : master.segments) {
      if (segment.name == "~") {
        waiting_ += segment.frames;
        if (chosen) add_missing(std::exchange(waiting_, 0));
        continue;
      }
      const auto& [path, header, uses] = open_segment(segment.name);
      if (!std::exchange(chosen, true)) {
        position_ = choose(header, lead);
        by_name = segment.frames == 0;
        add_missing(std::exchange(waiting_, 0));
      }
      if (segment.frames > 0) add_segment(master, header, path, segment.frames, by_name);
    }
    if (!chosen) fail(record_.path, "has no segment with signals");
  }

  struct Segment {
    fs::path path;
    WfdbHeader header;
    int uses = 1;
  };

  // One may stand there again.
  const Segment& open_segment(const std::string& name) {
    if (const auto known = opened_.find(name); known != opened_.end()) {
      if (++known->second.uses > kMostRepeats)
        fail(record_.path, "has segment '" + name + "' more than " + std::to_string(kMostRepeats) + " times");
      return known->second;
    }
    const fs::path path = beside(record_.path, name + ".hea");
    const auto file = open_regular(path);
    add_file(file);
    WfdbHeader header = read_header(*file);
    if (!header.segments.empty()) fail(path, "is a segment and has segments itself");
    return opened_.emplace(name, Segment{path, std::move(header)}).first->second;
  }

  void add_segment(const WfdbHeader& master, const WfdbHeader& header, const fs::path& path, std::int64_t frames,
                   bool by_name) {
    std::size_t position = position_;
    if (by_name)
      position = static_cast<std::size_t>(std::ranges::find(header.signals, record_.signal.name, &WfdbSignal::name) -
                                          header.signals.begin());
    if (position >= header.signals.size()) {
      if (!by_name) fail(path, "has no signal at position " + std::to_string(position_) + " as the segments before");
      return add_missing(frames);
    }
    const WfdbSignal& signal = header.signals[position];
    if (signal.samples_per_frame != record_.signal.samples_per_frame || signal.unit != record_.signal.unit ||
        signal.name != record_.signal.name)
      fail(path, "its signal '" + signal.name + "' differs from '" + record_.signal.name +
                     "' of the segments before in name, unit or samples per frame");
    if (header.frames > 0 && header.frames != frames)
      fail(path, "has " + std::to_string(header.frames) + " samples where " + record_.path.filename().string() +
                     " says " + std::to_string(frames));
    if (header.frame_rate_hz && master.frame_rate_hz && *header.frame_rate_hz != *master.frame_rate_hz)
      fail(path, "has another sampling frequency than " + record_.path.filename().string());
    add_signal(header, position, path, frames, false);
  }

  void check_missing() const {
    const std::int64_t recorded = record_.samples - missing_;
    if (missing_ > 0 && missing_ > most_missing(recorded))
      throw Error(ErrorKind::unanalysable, record_.path.string() + ": lead '" + record_.signal.name +
                                               "' was recorded for " + std::to_string(recorded) + " of " +
                                               std::to_string(record_.samples) +
                                               " samples; choose another: --set ingest.column=NAME");
  }

  static constexpr std::int64_t kMostFrames = 1'000'000'000'000;
  WfdbRecord record_;
  std::set<fs::path> known_;               // files
  std::map<std::string, Segment> opened_;  // by name
  std::size_t position_ = 0;               // of the lead, where segments have the same signals
  std::int64_t missing_ = 0;               // samples
  std::int64_t waiting_ = 0;               // frames missing before the lead is chosen
};

}  // namespace

WfdbRecord open_wfdb(const fs::path& header, const std::string& lead) { return RecordOpener(header).open(lead); }

}  // namespace beatscan
