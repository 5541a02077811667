// stages/io/edf/edf_records.h — searches the data records of an EDF or BDF file for what EDFlib does not report:
// samples that it clips, and interruptions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace beatscan {

class InputFile;

// A signal that is read.
struct EdfRange {
  int signal;        // among those that are no annotations
  std::string name;  // for messages
  int least, most;   // digital minimum and maximum: EDFlib clips what lies outside
};

// The data records of a file, as its header specifies them.
struct EdfRecords {
  bool is_plus = false;    // EDF+ or BDF+: signals of annotations are no signals, and hold the time of each record
  std::int64_t count = 0;  // data records in the file
  double duration_s = 0;   // duration of each
  double sample_s = 0;     // time of a sample of the signals that are read
};

// Returns a warning for each signal with samples outside its digital range, and one where a record of EDF+ does not
// begin when the one before it ends, by more than 1.5 samples, by more than 0.1 % of a record's duration and by more
// than the last decimal of the times. The header must have been checked. Throws ErrorKind::input if the file became
// shorter.
std::vector<std::string> look_through_records(const InputFile& file, const EdfRecords& records,
                                              const std::vector<EdfRange>& ranges);

// Returns the time in seconds at which each of so many data records begins, by the first signal of annotations; NaN
// where a record does not say. Throws ErrorKind::input if there is no such signal.
std::vector<double> record_onsets(const InputFile& file, std::int64_t count);

}  // namespace beatscan
