#include "stages/io/wfdb/wfdb_record.h"

#include <algorithm>
#include <set>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/io/recording/leads.h"
#include "stages/io/wfdb/wfdb_files.h"
#include "stages/io/wfdb/wfdb_segments.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Puts a record together from its headers and the sizes of its files.
class RecordOpener {
 public:
  RecordOpener(const fs::path& path, const LeadChoice& choice) : left_out_(choice, path.string()), segments_(path) {
    record_.path = path;
  }

  WfdbRecord open() {
    const auto file = open_regular(record_.path);
    add_file(file);
    const WfdbHeader header = read_wfdb_header(*file);
    record_.signal.format = "WFDB";
    if (header.segments.empty())
      add_all(header);
    else
      add_segments(header);
    tell_rate(header);
    record_.signal.start = header.start;
    leave_out_missing();
    record_.signal.warnings = left_out_.warnings();
    record_.signal.warnings.insert(record_.signal.warnings.end(), missing_warnings_.begin(), missing_warnings_.end());
    return std::move(record_);
  }

 private:
  void tell_rate(const WfdbHeader& header) {
    SignalInfo& signal = record_.signal;
    if (!header.frame_rate_hz) return void(signal.no_rate_because = "the header does not specify it");
    signal.sample_rate_hz = *header.frame_rate_hz * static_cast<double>(signal.samples_per_frame);
    signal.rate_origin = RateOrigin::header;
  }

  void add_file(const std::shared_ptr<const InputFile>& file) {
    if (!known_.insert(file->path()).second) return;
    record_.bytes += file->size();
    const bool keep_open = record_.files.size() < 8;  // a process may not have all files of a long record open
    record_.files.push_back(input_part(file, keep_open));
  }

  // Chooses the leads by the signals of one header, and keeps those that have as many samples a frame as the first.
  void choose(const WfdbHeader& header) {
    std::vector<Lead> leads;
    for (const auto& signal : header.signals) leads.push_back({signal.name, signal.unit});
    for (const auto& lead : leads) record_.signal.names.push_back(lead.name);
    const auto chosen = left_out_.choose(leads);
    const WfdbSignal& first = header.signals[chosen.front()];
    record_.signal.samples_per_frame = first.samples_per_frame;
    for (const std::size_t position : chosen)
      if (const auto& signal = header.signals[position]; signal.samples_per_frame == first.samples_per_frame)
        leads_.push_back({position, signal, nth_of_its_name(header, position)});
      else
        left_out_.add("lead '" + signal.name + "' has " + counted(signal.samples_per_frame, "sample") +
                      " a frame where '" + first.name + "' has " + std::to_string(first.samples_per_frame));
    name_leads();
  }

  static std::int64_t nth_of_its_name(const WfdbHeader& header, std::size_t position) {
    return std::ranges::count(header.signals.begin(), header.signals.begin() + static_cast<std::ptrdiff_t>(position),
                              header.signals[position].name, &WfdbSignal::name);
  }

  void name_leads() {
    std::vector<Lead> names;
    for (const auto& lead : leads_) names.push_back({lead.signal.name, lead.signal.unit});
    set_leads(record_.signal, std::move(names));
  }

  // Adds samples that no lead has.
  void add_missing(std::int64_t frames) {
    const std::int64_t samples = frames * record_.signal.samples_per_frame;
    if (samples == 0) return;
    if (!record_.parts.empty() && record_.parts.back().leads.empty())
      record_.parts.back().samples += samples;
    else
      record_.parts.push_back({.samples = samples});
    count(samples, {});
  }
  void add_part(WfdbPart part) {
    if (std::ranges::all_of(part.leads, [](const auto& lead) { return lead.recorded == 0; }))
      return add_missing(part.samples / record_.signal.samples_per_frame);
    count(part.samples, part.leads);
    record_.parts.push_back(std::move(part));
  }
  void count(std::int64_t samples, const std::vector<WfdbLeadPart>& parts) {
    record_.samples += samples;
    for (std::size_t i = 0; i < parts.size(); ++i) leads_[i].recorded += parts[i].recorded;
  }

  static bool has_file(const WfdbSignal& signal) { return signal.file != "~" && signal.format != 0; }

  // Looks for a lead's samples in a file. `frames` is 0 for as many as the file has, and becomes their number. `alone`
  // means that the record has no segments.
  WfdbLeadPart find(const WfdbHeader& header, std::size_t position, const fs::path& path, std::int64_t& frames,
                    bool alone) {
    const WfdbSignal& signal = header.signals[position];
    const FileShare share = share_of(header, position, path);
    const auto file = open_regular(path_beside(path, signal.file));
    add_file(file);
    const bool has_length = frames > 0;
    frames = frames_in(file, signal, share, frames);
    if (alone && has_length) check_all_read(header, signal, frames, frames_held(file, signal, share));
    const std::int64_t recorded = (frames - std::min(signal.skew, frames)) * signal.samples_per_frame;
    const InputPart part = input_part(file, alone);
    return {recorded, signal, part, share.frame_samples, share.first_in_frame, share.channel};
  }

  // Warns, once per file, if it holds more frames than the header specifies. Up to a second may be padding.
  void check_all_read(const WfdbHeader& header, const WfdbSignal& signal, std::int64_t frames, std::int64_t held) {
    constexpr double kUsual_hz = 250;
    if (static_cast<double>(held - frames) <= header.frame_rate_hz.value_or(kUsual_hz)) return;
    const std::string item = signal.samples_per_frame == 1 ? "sample" : "frame";
    if (longer_.insert(signal.file).second)
      missing_warnings_.push_back("the header states " + counted(frames, item) + " of each lead, and '" + signal.file +
                                  "' holds " + std::to_string(held) +
                                  ": the others are not read; correct the header if they belong to the recording");
  }

  // Adds a record that has no segments.
  void add_all(const WfdbHeader& header) {
    choose(header);
    WfdbPart part;
    std::vector<ChosenLead> kept;
    std::int64_t frames = 0;
    for (const auto& lead : leads_) {
      const std::string& name = lead.signal.name;
      if (!has_file(lead.signal)) {
        left_out_.add("no signal file holds lead '" + name + "'");
        continue;
      }
      std::int64_t own_frames = header.frames;
      auto found = find(header, lead.position, record_.path, own_frames, true);
      if (!kept.empty() && own_frames != frames) {
        left_out_.add("lead '" + name + "' has " + counted(own_frames, "frame") + " where '" + kept[0].signal.name +
                      "' has " + std::to_string(frames));
        continue;
      }
      if (found.recorded == 0 && own_frames > 0) {
        left_out_.add("lead '" + lead.signal.name + "' has a skew of " + counted(lead.signal.skew, "frame") +
                      ", which leaves none of its " + std::to_string(own_frames));
        continue;
      }
      frames = own_frames;
      kept.push_back(lead);
      part.leads.push_back(std::move(found));
    }
    left_out_.check_left(kept.size());
    leads_ = std::move(kept);
    name_leads();
    part.samples = frames * record_.signal.samples_per_frame;
    if (part.samples > 0) add_part(std::move(part));
  }

  void add_segments(const WfdbHeader& master) {
    check_segment_frames(master, record_.path);
    bool by_name = false;  // true if the first header is a layout: it lists all leads, and segments have some of them
    bool chosen = false;   // whether a header has determined the leads
    for (const auto& segment : master.segments) {
      if (segment.name == "~") {
        waiting_ += segment.frames;
        if (chosen) add_missing(std::exchange(waiting_, 0));
        continue;
      }
      const OpenedSegment& opened = segments_.open(segment.name, [&](const auto& file) { add_file(file); });
      if (!std::exchange(chosen, true)) {
        choose(opened.header);
        by_name = segment.frames == 0;
        add_missing(std::exchange(waiting_, 0));
      }
      if (segment.frames > 0) add_segment(master, opened, segment.frames, by_name);
    }
    if (!chosen) fail(ErrorKind::input, record_.path.string(), "has no segment with signals");
  }

  struct ChosenLead {
    std::size_t position;       // in the header by which the leads were chosen
    WfdbSignal signal;          // its line there
    std::int64_t nth;           // how many signals of its name come before it there
    std::int64_t recorded = 0;  // samples that are not missing
  };

  // Returns where a segment has a lead; nothing if it lacks it.
  std::optional<std::size_t> position_in(const WfdbHeader& header, const ChosenLead& lead, const fs::path& path,
                                         bool by_name) const {
    std::size_t position = lead.position;
    if (by_name) {
      std::int64_t left = lead.nth;
      const auto is_it = [&](const WfdbSignal& s) { return s.name == lead.signal.name && left-- == 0; };
      position = static_cast<std::size_t>(std::ranges::find_if(header.signals, is_it) - header.signals.begin());
    }
    if (position < header.signals.size()) return position;
    if (!by_name)
      fail(ErrorKind::input, path.string(),
           "has no signal at position " + std::to_string(position) + " as the segments before");
    return std::nullopt;
  }

  void add_segment(const WfdbHeader& master, const OpenedSegment& segment, std::int64_t frames, bool by_name) {
    const auto& [path, header, uses] = segment;
    WfdbPart part{.samples = frames * record_.signal.samples_per_frame};
    for (const auto& lead : leads_) {
      const auto position = position_in(header, lead, path, by_name);
      part.leads.emplace_back();
      if (!position) continue;
      const WfdbSignal& signal = header.signals[*position];
      check_segment(segment, signal, lead.signal, master, record_.path, frames);
      std::int64_t there = frames;
      if (has_file(signal)) part.leads.back() = find(header, *position, path, there, false);
    }
    add_part(std::move(part));
  }

  bool is_nearly_missing(const ChosenLead& lead) const {
    const std::int64_t missing = record_.samples - lead.recorded;
    return missing > 0 && missing > most_missing(lead.recorded);
  }

  // Leaves out leads that are nearly all missing, or refuses the record if that is so of all.
  void leave_out_missing() {
    const auto text_of = [&](const ChosenLead& lead) {
      return "lead '" + lead.signal.name + "' was recorded for " + std::to_string(lead.recorded) + " of " +
             counted(record_.samples, "sample");
    };
    if (std::ranges::all_of(leads_, [&](const auto& lead) { return is_nearly_missing(lead); }))
      fail(ErrorKind::unanalysable, record_.path.string(),
           text_of(leads_.front()) + "; choose another: --set ingest.column=NAME");
    for (std::ptrdiff_t i = std::ssize(leads_); i-- > 0;) {
      if (!is_nearly_missing(leads_[i])) continue;
      missing_warnings_.insert(missing_warnings_.begin(), text_of(leads_[i]) + "; it is left out");
      leads_.erase(leads_.begin() + i);
      for (auto& part : record_.parts)
        if (!part.leads.empty()) part.leads.erase(part.leads.begin() + i);
    }
    name_leads();
  }

  WfdbRecord record_;
  LeadsLeftOut left_out_;
  std::vector<std::string> missing_warnings_;
  WfdbSegments segments_;
  std::set<std::string> longer_;   // files that hold more than the header specifies
  std::set<fs::path> known_;       // files that record_ counts
  std::vector<ChosenLead> leads_;  // the leads that are read
  std::int64_t waiting_ = 0;       // frames that are missing before the leads are chosen
};

}  // namespace

WfdbRecord open_wfdb(const fs::path& header, const LeadChoice& choice) { return RecordOpener(header, choice).open(); }

}  // namespace beatscan
