// stages/io/recording/recording.h — a recording in the context's memory, and what its file specifies. Every reader
// of a file format fills a Recording.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/signal_part.h"
#include "stages/io/recording/lead_units.h"
#include "stages/io/recording/signal_info.h"

namespace beatscan {

// Two sampling rates agree if they differ by at most this share: a clock that drifts does not contradict a rate.
inline constexpr double kSameRate = 1e-3;

// One lead, with the gaps that it alone has.
template <class Context>
struct RecordedLead {
  std::string name, unit;                               // the unit is empty if it is not known
  Buffer<float, Context> samples;                       // [N] finite: straight lines bridge the gaps (gaps.h)
  Buffer<std::int64_t, Context> gap_firsts, gap_lasts;  // [G] first and last missing sample of each gap
  std::int64_t missing = 0;                             // samples without a value
  ValueRange range{};                                   // smallest and largest sample, in the input's unit
  double span = 0;                                      // typical span of a second or two, see lead_units.h
  LeadScale scale{};                                    // of this unit
};

template <class Context>
struct Recording {
  std::vector<RecordedLead<Context>> leads;  // [L] at least one; all have N samples
  std::int64_t left_out = 0;                 // leads that are flat or have no value, if others have
  BadRows bad;                               // CSV only
  SignalInfo signal;
  std::int64_t bytes = 0;  // size of the files that were read

  std::int64_t samples() const { return leads.empty() ? 0 : leads.front().samples.size(); }  // N of each lead
};

template <class Context>
std::int64_t bytes_of_samples(const Recording<Context>& recording) {
  return std::ssize(recording.leads) * recording.samples() * static_cast<std::int64_t>(sizeof(float));
}

// Makes a recording of one lead.
template <class Context>
Recording<Context> with_one_lead(RecordedLead<Context> lead) {
  Recording<Context> recording;
  recording.leads.push_back(std::move(lead));
  return recording;
}

// Makes a recording of the leads that `signal` names, without samples yet.
template <class Context>
Recording<Context> without_samples(const SignalInfo& signal, std::int64_t bytes) {
  Recording<Context> recording;
  for (const auto& lead : signal.leads) recording.leads.push_back({.name = lead.name, .unit = lead.unit});
  recording.signal = signal;
  recording.bytes = bytes;
  return recording;
}

// Returns how many missing samples a file with `recorded` recorded ones may claim. This bounds the memory for a file by
// what is in it.
constexpr std::int64_t most_missing(std::int64_t recorded) { return 99 * recorded; }

// Describes bad rows for the user: "3 bad rows: line 4, byte 12: 'x' is not a number; …".
std::string describe(const BadRows& bad);

// Called now and then while a file is read, with the bytes that are done. It may throw to stop the reading.
using BytesReport = std::function<void(std::int64_t done, std::int64_t total)>;

// Measures range and span of each lead that has a value, and finds the leads' scales (lead_units.h). There is no NaN.
// It is called again where another sampling rate than the file's counts.
template <class Context>
void measure_amplitudes(Context&, Recording<Context>& recording, double rate_hz);

// Finishes a recording; every reader calls it last. Before, missing samples are NaN and each lead's `missing` is their
// number. Afterwards each lead's gaps are listed, straight lines bridge them, and its amplitudes are known. Samples
// with the code for a missing one are in gaps, too (signal.missing_code), with a warning that names value and count. Of
// several leads, those without any value and those that are flat are left out, with a warning each, if any other is
// left. Throws ErrorKind::unanalysable naming `path` and the leads where no sample of any has a value.
template <class Context>
void bridge_and_measure(Context&, Recording<Context>& recording, const std::string& path);

}  // namespace beatscan
