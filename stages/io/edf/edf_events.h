// stages/io/edf/edf_events.h — reads the annotations of EDF+ and BDF+ files: texts with a time.
#pragma once

#include <vector>

#include "stages/io/recording/signal_info.h"

namespace beatscan {

class InputFile;

// Returns the annotations in the order of the file; none of a file without. Times count from the first data record.
// What is no annotation in a damaged one is passed over.
std::vector<FileEvent> edf_events(const InputFile& file);

}  // namespace beatscan
