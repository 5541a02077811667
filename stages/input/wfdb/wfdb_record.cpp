#include "stages/input/wfdb/wfdb_record.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/input/wfdb/wfdb_files.h"
#include "stages/recording/leads.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;
constexpr int kMostRepeats = 100;  // a few bytes must not stand for a recording of any length

// Puts a record together from its headers and the sizes of its files.
class RecordOpener {
 public:
  explicit RecordOpener(const fs::path& path) { record_.path = path; }

  WfdbRecord open(const std::string& lead) {
    const auto file = open_regular(record_.path);
    add_file(file);
    const WfdbHeader header = read_wfdb_header(*file);
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
    const bool keep_open = record_.files.size() < 8;  // a process may not have all files of a long record open
    record_.files.push_back(input_part(file, keep_open));
  }

  // Chooses the lead by the signals of one header; returns its position there.
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

  // Adds the signal's samples in a file. `frames` is 0 for as many as the file has. `alone` says that the record has no
  // segments.
  void add_signal(const WfdbHeader& header, std::size_t position, const fs::path& path, std::int64_t frames,
                  bool alone) {
    const WfdbSignal& signal = header.signals[position];
    if (signal.file == "~" || signal.format == 0) {
      if (alone) fail(ErrorKind::input, path.string(), "no signal file holds lead '" + signal.name + "'");
      return add_missing(frames);
    }
    const FileShare share = share_of(header, position, path);
    const auto file = open_regular(path_beside(path, signal.file));
    add_file(file);
    frames = frames_in(file, signal, share, frames);
    const std::int64_t skipped = std::min(signal.skew, frames), samples = (frames - skipped) * signal.samples_per_frame;
    if (samples > 0)
      record_.parts.push_back(
          {samples, signal, input_part(file, alone), share.frame_samples, share.first_in_frame, share.channel});
    record_.samples += samples;
    add_missing(skipped);
  }

  void add_segments(const WfdbHeader& master, const std::string& lead) {
    std::int64_t frames = 0;
    for (const auto& segment : master.segments)
      if (frames += segment.frames; segment.frames > kMostFrames || frames > kMostFrames)
        fail(ErrorKind::input, record_.path.string(), "claims more than " + std::to_string(kMostFrames) + " samples");
    if (master.frames > 0 && frames != master.frames)
      fail(ErrorKind::input, record_.path.string(),
           "has segments of " + std::to_string(frames) + " samples together where the record line says " +
               std::to_string(master.frames));
    bool by_name = false;  // true if the first header is a layout: it lists all leads, and segments have some of them
    bool chosen = false;   // whether a header has told what the lead is
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
    if (!chosen) fail(ErrorKind::input, record_.path.string(), "has no segment with signals");
  }

  struct Segment {
    fs::path path;
    WfdbHeader header;
    int uses = 1;
  };

  // Opens a segment's header, or returns it again: a record may have a segment several times.
  const Segment& open_segment(const std::string& name) {
    if (const auto known = opened_.find(name); known != opened_.end()) {
      if (++known->second.uses > kMostRepeats)
        fail(ErrorKind::input, record_.path.string(),
             "has segment '" + name + "' more than " + std::to_string(kMostRepeats) + " times");
      return known->second;
    }
    const fs::path path = path_beside(record_.path, name + ".hea");
    const auto file = open_regular(path);
    add_file(file);
    WfdbHeader header = read_wfdb_header(*file);
    if (!header.segments.empty())
      fail(ErrorKind::input, path.string(), "is a segment, so it cannot have segments itself");
    return opened_.emplace(name, Segment{path, std::move(header)}).first->second;
  }

  void add_segment(const WfdbHeader& master, const WfdbHeader& header, const fs::path& path, std::int64_t frames,
                   bool by_name) {
    std::size_t position = position_;
    if (by_name)
      position = static_cast<std::size_t>(std::ranges::find(header.signals, record_.signal.name, &WfdbSignal::name) -
                                          header.signals.begin());
    if (position >= header.signals.size()) {
      if (!by_name)
        fail(ErrorKind::input, path.string(),
             "has no signal at position " + std::to_string(position_) + " as the segments before");
      return add_missing(frames);
    }
    const WfdbSignal& signal = header.signals[position];
    if (signal.samples_per_frame != record_.signal.samples_per_frame || signal.unit != record_.signal.unit ||
        signal.name != record_.signal.name)
      fail(ErrorKind::input, path.string(),
           "its signal '" + signal.name + "' differs from '" + record_.signal.name +
               "' of the segments before in name, unit or samples per frame");
    if (header.frames > 0 && header.frames != frames)
      fail(ErrorKind::input, path.string(),
           "has " + std::to_string(header.frames) + " samples where " + record_.path.filename().string() + " says " +
               std::to_string(frames));
    if (header.frame_rate_hz && master.frame_rate_hz && *header.frame_rate_hz != *master.frame_rate_hz)
      fail(ErrorKind::input, path.string(), "has another sampling frequency than " + record_.path.filename().string());
    add_signal(header, position, path, frames, false);
  }

  void check_missing() const {
    const std::int64_t recorded = record_.samples - missing_;
    if (missing_ > 0 && missing_ > most_missing(recorded))
      fail(ErrorKind::unanalysable, record_.path.string(),
           "lead '" + record_.signal.name + "' was recorded for " + std::to_string(recorded) + " of " +
               std::to_string(record_.samples) + " samples; choose another: --set ingest.column=NAME");
  }

  static constexpr std::int64_t kMostFrames = 1'000'000'000'000;
  WfdbRecord record_;
  std::set<fs::path> known_;               // files that record_ counts
  std::map<std::string, Segment> opened_;  // segments by name
  std::size_t position_ = 0;               // position of the lead, if all segments have the same signals
  std::int64_t missing_ = 0;               // samples of the lead that are missing
  std::int64_t waiting_ = 0;               // frames that are missing before the lead is chosen
};

}  // namespace

WfdbRecord open_wfdb(const fs::path& header, const std::string& lead) { return RecordOpener(header).open(lead); }

}  // namespace beatscan
