#include "stages/io/edf/edf_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/counted.h"
#include "stages/common/number_text.h"
#include "stages/io/edf/edf_events.h"
#include "stages/io/edf/edf_gaps.h"
#include "stages/io/edf/edf_handle.h"
#include "stages/io/edf/edf_header.h"
#include "stages/io/edf/edf_records.h"
#include "stages/io/edf/edf_repair.h"
#include "stages/io/recording/leads.h"

namespace beatscan {
namespace {

constexpr double kLargestValue = 1e30;  // so that float32 can hold values beyond the physical limits

constexpr std::string_view kEdfVersion = "0       ", kBdfVersion =
                                                         "\xff"
                                                         "BIOSEMI";

// Checks that the file has the size that its header specifies. EDFlib refuses other files too, but without a reason.
void check_size(const InputFile& file) {
  const std::string path = file.path().string(), head = file.bytes(0, kEdfHeaderBytes);
  if (std::ssize(head) < kEdfHeaderBytes)
    fail(ErrorKind::input, path,
         "is cut off: it has " + counted(file.size(), "byte") + ", less than an EDF header; copy it again");
  const auto [records, signals] = edf_counts(head);
  if (!records || !signals || *signals < 1 || *signals > EDFLIB_MAXSIGNALS) return;
  if (const std::int64_t header = kEdfHeaderBytes * (*signals + 1); file.size() < header)
    fail(ErrorKind::input, path,
         "is cut off: it has " + counted(file.size(), "byte") + ", and its header takes " + std::to_string(header) +
             "; copy it again");
  const std::string fields = fields_of_samples(file, *signals);
  std::int64_t samples = 0;  // samples of a data record
  for (std::int64_t i = 0; i < *signals; ++i) {
    const auto length = samples_in_record(fields, i);
    if (!length || *length < 0 || *records < 0) return;
    samples += *length;
  }
  const double expected = static_cast<double>(kEdfHeaderBytes * (*signals + 1)) +
                          static_cast<double>(*records) * static_cast<double>(samples * edf_sample_bytes(head));
  const auto size = static_cast<double>(file.size());
  if (size == expected) return;
  fail(ErrorKind::input, path,
       (size < expected ? "is cut off: it has " : "is too long: it has ") + counted(file.size(), "byte") + ", and " +
           number_text(expected, 17) + " by its header; copy it again, or repair it with EDFbrowser");
}

// Reads the signals block by block. EDFlib takes some 15 ns a sample, so several threads read, each with a handle of
// its own.
class EdfSamples {
 public:
  EdfSamples(std::unique_ptr<EdfHandle> edf, std::vector<std::size_t> positions) : positions_(std::move(positions)) {
    handles_.push_back(std::move(edf));
  }

  void read(LeadBlocks blocks) {
    const std::int64_t samples = std::ssize(blocks[0]), all = std::ssize(blocks) * samples;
    const std::int64_t parts = readers_for(all);
    run_parts(parts, [&](std::int64_t part) {
      for (std::int64_t at = all * part / parts, end = all * (part + 1) / parts; at < end;) {
        const std::int64_t lead = at / samples, first = at % samples, count = std::min(samples - first, end - at);
        handles_[part]->read(static_cast<int>(positions_[lead]), done_ + first,
                             blocks[lead].subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
        at += count;
      }
    });
    done_ += samples;
  }

 private:
  // Returns how many threads read so many samples. Opens the file for each of them.
  std::int64_t readers_for(std::int64_t samples) {
    constexpr std::int64_t kMost = 16, kGrain = 1 << 15;  // threads; the fewest samples that are worth one
    const std::int64_t wanted =
        std::clamp<std::int64_t>(samples / kGrain, 1, std::min<std::int64_t>(kMost, host_threads()));
    while (std::ssize(handles_) < wanted) {
      auto another = handles_.front()->again(static_cast<int>(handles_.size()));
      if (!another) break;
      handles_.push_back(std::move(another));
    }
    return std::min(wanted, std::ssize(handles_));
  }

  std::vector<std::size_t> positions_;  // of the signals in the file
  std::vector<std::unique_ptr<EdfHandle>> handles_;
  std::int64_t done_ = 0;  // samples of each signal that have been read
};

// Returns the sampling rate of a signal in Hz. The duration of a data record has eight characters, so 1/256 s is cut to
// .0039062: a rate that is nearly whole is rounded.
double rate_of(const edf_hdr_struct& header, const edf_param_struct& signal) {
  const double hz = static_cast<double>(signal.smp_in_datarecord) * EDFLIB_TIME_DIMENSION /
                    static_cast<double>(header.datarecord_duration);
  const double whole = std::round(hz);
  return std::abs(hz - whole) <= 2e-5 * hz ? whole : hz;
}

// A time of EDF has whole seconds; EDF+ may add a part of one.
std::optional<StartTime> start_of(const edf_hdr_struct& header) {
  return start_time(
      {.hour = header.starttime_hour,
       .minute = header.starttime_minute,
       .second = header.starttime_second + static_cast<double>(header.starttime_subsecond) / EDFLIB_TIME_DIMENSION,
       .day = header.startdate_day,
       .month = header.startdate_month,
       .year = header.startdate_year});
}

// An open file, and what was repaired in it.
struct OpenEdf {
  std::unique_ptr<EdfHandle> edf;
  std::optional<RepairedEdf> repaired = {};
};

// Returns whether the duration of a data record has an exponent, which EDFlib takes for digits.
bool has_exponent_in_duration(const InputFile& file) {
  return file.bytes(244, 8).find_first_of("eE") != std::string::npos;
}

// Opens a file; one that EDFlib refuses, or would misread, is repaired if its header has faults.
OpenEdf open_edf(const std::shared_ptr<const InputFile>& file) {
  const auto opened = [](RepairedEdf repaired) {
    auto edf = std::make_unique<EdfHandle>(repaired.file);
    return OpenEdf{std::move(edf), std::move(repaired)};
  };
  if (has_exponent_in_duration(*file)) return opened(repaired_edf(*file));
  try {
    return {std::make_unique<EdfHandle>(file)};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
    auto repaired = repaired_edf(*file);
    if (repaired.warnings.empty() && repaired.onsets_s.empty()) throw;
    return opened(std::move(repaired));
  }
}

// The signals that are no annotations.
struct EdfSignals {
  std::vector<Lead> leads;
  std::vector<std::size_t> places;  // in the file
  std::vector<std::string> dead;    // why a signal has no scale; empty if it has one
};

EdfSignals signals_of(const OpenEdf& open) {
  EdfSignals signals;
  const auto& header = open.edf->header();
  for (int i = 0; i < header.edfsignals; ++i) {
    const auto place = static_cast<std::size_t>(i);
    const auto& signal = header.signalparam[i];
    if (open.repaired && open.repaired->is_annotations[place]) continue;
    signals.leads.push_back(open.repaired ? open.repaired->leads[place]
                                          : Lead{std::string(trimmed_field(signal.label)),
                                                 std::string(trimmed_field(signal.physdimension))});
    signals.places.push_back(place);
    signals.dead.push_back(open.repaired ? open.repaired->dead[place] : "");
  }
  return signals;
}

// Returns which of the signals are read: the chosen ones that have a scale, and the rate of the first of them.
std::vector<std::size_t> signals_of_one_rate(const edf_hdr_struct& header, const EdfSignals& signals,
                                             const LeadChoice& choice, const std::string& path,
                                             std::vector<std::string>& warnings) {
  LeadsLeftOut left_out(choice, path);
  auto chosen = left_out.choose(signals.leads);
  if (choice.is_automatic()) std::erase_if(chosen, [&](std::size_t i) { return !signals.dead[i].empty(); });
  if (chosen.empty())
    fail(ErrorKind::input, path, "no ECG lead in it has a scale; choose another signal by --lead NAME");
  const auto param = [&](std::size_t i) -> const auto& { return header.signalparam[signals.places[i]]; };
  const auto rate = [&](std::size_t i) {
    return "'" + signals.leads[i].name + "' (" + number_text(rate_of(header, param(i)), 6) + " Hz)";
  };
  std::vector<std::size_t> kept;
  for (const std::size_t i : chosen)
    if (!signals.dead[i].empty())
      fail(ErrorKind::input, path, "signal '" + signals.leads[i].name + "' has no scale: " + signals.dead[i]);
    else if (kept.empty() || param(i).smp_in_datarecord == param(kept[0]).smp_in_datarecord)
      kept.push_back(i);
    else
      left_out.add("signal " + rate(i) + " has another rate than " + rate(kept[0]));
  warnings = left_out.warnings();
  return kept;
}

void check_range(const edf_hdr_struct& header, std::size_t position, const Lead& lead, const std::string& path) {
  const auto& signal = header.signalparam[position];
  if (!(std::abs(signal.phys_min) <= kLargestValue && std::abs(signal.phys_max) <= kLargestValue))
    fail(ErrorKind::input, path, "the physical range of signal '" + lead.name + "' is out of float32's range");
}

// Returns the warnings on the data records of the signals that are read.
std::vector<std::string> warnings_of_records(const EdfHandle& edf, const std::vector<std::size_t>& read,
                                             const EdfSignals& signals) {
  const auto& header = edf.header();
  std::vector<EdfRange> ranges;
  for (const std::size_t i : read) {
    const auto& signal = header.signalparam[signals.places[i]];
    ranges.push_back({static_cast<int>(signals.places[i]), signals.leads[i].name, signal.dig_min, signal.dig_max});
  }
  return look_through_records(
      edf.file(),
      {.is_plus = header.filetype == EDFLIB_FILETYPE_EDFPLUS || header.filetype == EDFLIB_FILETYPE_BDFPLUS,
       .count = header.datarecords_in_file,
       .duration_s = static_cast<double>(header.datarecord_duration) / EDFLIB_TIME_DIMENSION,
       .sample_s = 1 / rate_of(header, header.signalparam[signals.places[read.front()]])},
      ranges);
}

// Describes the signals that are read.
void describe_signals(const EdfHandle& edf, const std::vector<std::size_t>& read, const EdfSignals& signals,
                      SampleSource& source) {
  const auto& header = edf.header();
  std::vector<Lead> leads;
  for (const std::size_t i : read) {
    check_range(header, signals.places[i], signals.leads[i], source.path);
    leads.push_back(signals.leads[i]);
  }
  static constexpr std::array kFormats = {"EDF", "EDF+", "BDF", "BDF+"};
  source.signal.format = kFormats.at(static_cast<std::size_t>(header.filetype));
  for (const auto& lead : signals.leads) source.signal.names.push_back(lead.name);
  set_leads(source.signal, std::move(leads));
  source.signal.sample_rate_hz = rate_of(header, header.signalparam[signals.places[read.front()]]);
  source.signal.rate_origin = RateOrigin::header;
  source.signal.start = start_of(header);
}

}  // namespace

bool is_edf(const InputFile& file) {
  const std::filesystem::path name = without_packing(file.path());
  for (const char* extension : {".edf", ".EDF", ".bdf", ".BDF"})
    if (name.extension() == extension) return true;
  const std::string head = file.bytes(0, kEdfHeaderBytes);
  if (std::ssize(head) < kEdfHeaderBytes) return false;
  if (head.starts_with(kBdfVersion)) return true;
  const auto signals = edf_counts(head).signals;
  return head.starts_with(kEdfVersion) && signals &&
         whole_number(std::string_view(head).substr(184, 8)) == kEdfHeaderBytes * (*signals + 1);
}

SampleSource edf_source(std::shared_ptr<const InputFile> file, const LeadChoice& choice, bool looks_through) {
  check_size(*file);
  OpenEdf open = open_edf(file);
  const auto& header = open.edf->header();
  SampleSource source;
  source.path = file->path().string();
  source.bytes = file->size();
  auto& warnings = source.signal.warnings;
  const EdfSignals signals = signals_of(open);
  const auto read = signals_of_one_rate(header, signals, choice, source.path, warnings);
  describe_signals(*open.edf, read, signals, source);
  if (open.repaired && open.repaired->is_plus) source.signal.format += '+';
  if (open.repaired) warnings.insert(warnings.begin(), open.repaired->warnings.begin(), open.repaired->warnings.end());
  const auto& first = header.signalparam[signals.places[read.front()]];
  source.samples = first.smp_in_file;
  if (looks_through) source.signal.events = edf_events(*file);
  if (looks_through) std::ranges::move(warnings_of_records(*open.edf, read, signals), std::back_inserter(warnings));
  std::vector<EdfGap> gaps;
  if (open.repaired)
    gaps =
        gaps_between(open.repaired->onsets_s, static_cast<double>(header.datarecord_duration) / EDFLIB_TIME_DIMENSION,
                     *source.signal.sample_rate_hz, first.smp_in_datarecord, source.path, warnings);
  for (const EdfGap& gap : gaps) source.samples += gap.samples;
  std::vector<std::size_t> positions;
  for (const std::size_t i : read) positions.push_back(signals.places[i]);
  const auto samples = std::make_shared<EdfSamples>(std::move(open.edf), std::move(positions));
  source.read = with_gaps([samples](LeadBlocks blocks) { samples->read(blocks); }, std::move(gaps));
  return source;
}

}  // namespace beatscan
