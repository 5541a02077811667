// Warns of a column of times: of missing rows, repeated times, and times that are not even.
#include <cmath>
#include <string>

#include "stages/common/counted.h"
#include "stages/common/number_text.h"
#include "stages/io/csv/time_column.h"
#include "stages/io/recording/signal_info.h"

namespace beatscan {

void TimeColumn::tell_oddities(const TimeAxis& axis, SignalInfo& signal) const {
  const auto rows = std::ssize(times_);
  const std::string unit = header_.has_lines() ? "line" : "row";
  std::int64_t samples = 0;
  for (const auto& missing : axis.missing) samples += missing.samples;
  if (axis.tick_s > 0 && samples > 0) {
    signal.warnings.push_back(
        place(axis.missing[0].before_row) + ": the clock's step of " + number_text(axis.tick_s, 6) +
        " s before it has too few rows; " + counted(samples, "sample is", "samples are") + " missing in " +
        counted(std::ssize(axis.missing), "such step") + ", placed to within a step; the rate of " +
        number_text(axis.rate_hz, 7) + " Hz is known to " + number_text(axis.rate_error_hz, 2) + " Hz");
  } else if (!axis.missing.empty()) {
    const bool lower_rate = std::ssize(axis.missing) * 20 > rows;  // that makes many single samples
    signal.warnings.push_back(place(axis.missing[0].before_row) + ": the time jumps ahead; " +
                              counted(samples, "sample is", "samples are") + " missing in " +
                              counted(std::ssize(axis.missing), "such place") +
                              (lower_rate ? ", or the sampling rate is lower there" : ""));
  }
  const bool many = axis.repeats * 100 >= rows;  // then they change the rate, or the clock is coarse
  if (axis.repeats > 0)
    signal.warnings.push_back(
        place(axis.first_repeat) + ": the time repeats that of the previous " + unit + "; " +
        counted(axis.repeats, "such " + unit + " is", "such " + unit + "s are") + " taken as a sample" +
        (axis.repeats == 1 ? "" : " each") +
        (many ? ", which makes " + number_text(axis.rate_hz, 12) + " Hz; if they are duplicates, remove them" : ""));
}

// Warns of times that deviate from an even clock. A recording whose rate changes throughout is refused: no rate fits
// it.
void TimeColumn::tell_uneven(const TimeAxis& axis, SignalInfo& signal) const {
  if (axis.jitters)
    signal.warnings.push_back(
        "the times in column '" + name_ +
        "' jitter so much that missing rows cannot be distinguished from late ones: the rows are read as "
        "if they came evenly, at " +
        number_text(axis.rate_hz, 7) + " Hz");
  const UnevenTimes& uneven = axis.uneven;
  if (uneven.distance_s == 0) return;
  const std::string lowest = number_text(std::round(uneven.lowest_hz), 7);
  const std::string rates = std::isinf(uneven.highest_hz)
                                ? "from " + lowest + " Hz to times that stand still"
                                : "between " + lowest + " and " + number_text(std::round(uneven.highest_hz), 7) + " Hz";
  if (uneven.share > 0.5)
    fail_at(uneven.row, "the sampling rate changes in the recording, " + rates + " (column '" + name_ +
                            "'); bring the rows to one rate, or cut the file where it changes; --rate HZ --set "
                            "ingest.time_column=- reads them as if they came evenly");
  signal.warnings.push_back(place(uneven.row) + ": the time is " + number_text(uneven.distance_s, 3) +
                            " s off an even " + number_text(*signal.sample_rate_hz, 7) +
                            " Hz: the sampling rate changes (" + rates +
                            "), or rows are missing; intervals and rates are wrong there");
}

}  // namespace beatscan
