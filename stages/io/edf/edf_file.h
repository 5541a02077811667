// stages/io/edf/edf_file.h — reads signals of an EDF, EDF+, BDF or BDF+ file by EDFlib. Source: edfplus.info.
#pragma once

#include <memory>

#include "stages/io/recording/input_file.h"
#include "stages/io/recording/sample_source.h"

namespace beatscan {

struct LeadChoice;

// Returns whether a file is EDF or BDF, judged by its name or its first bytes.
bool is_edf(const InputFile& file);

// Opens the signals that are chosen as by choose_leads, by their labels; annotations are not among them. All have the
// sampling rate of the first. A signal of another rate is left out with a warning, or refused if it was requested.
// Values are physical, in the file's unit; EDFlib computes them in double, and they are rounded to float32. Throws
// ErrorKind::input if the file is cut off, has interruptions (EDF+D), or does not follow the specification.
//   looks_through  whether all data records are examined for what deserves a warning (edf_records.h)
SampleSource edf_source(std::shared_ptr<const InputFile> file, const LeadChoice& choice, bool looks_through = true);

}  // namespace beatscan
