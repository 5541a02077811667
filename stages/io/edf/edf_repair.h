// stages/io/edf/edf_repair.h — makes EDF and BDF files readable that EDFlib refuses: with faults in the header, or with
// interruptions (EDF+D).
//
// The samples are where the specification says, so a header without the faults makes the file a plain EDF file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stages/io/recording/input_file.h"
#include "stages/io/recording/lead.h"

namespace beatscan {

struct RepairedEdf {
  std::shared_ptr<const InputFile> file;  // a copy with a sound header, of plain EDF or BDF
  bool is_plus = false;                   // whether the file is EDF+ or BDF+
  // Of the signals of the copy, in its order. Signals without samples are not in it.
  std::vector<Lead> leads;            // as the file names them
  std::vector<bool> is_annotations;   // annotations of EDF+
  std::vector<std::string> dead;      // why a signal has no scale; empty if it has one
  std::vector<double> onsets_s;       // of the data records of EDF+D; empty for any other file
  std::vector<std::string> warnings;  // name the fields with faults
};

// Returns the file with a header in which faults are corrected:
//   characters      other than printable ASCII are replaced; a unit with a micro sign becomes uV
//   date, time      with other separators are read; others are unknown
//   records         of -1, as of a file that was not finished, are those that are there
//   numbers         may have a decimal comma, zero bytes around them, or a point in whole ones
//   ranges          a signal whose minimum is its maximum is dead; digital limits in the wrong order change places
//                   together with the physical ones
//   signals         without samples are passed over
// Throws ErrorKind::input that names the field if a fault is one of those that nothing makes up for: numbers of
// signals and samples, the duration of a record.
RepairedEdf repaired_edf(const InputFile& file);

}  // namespace beatscan
