// stages/io/arrays/npy_file.h — reads an array that numpy.save wrote. Source: numpy.lib.format, versions 1 to 3.
#pragma once

#include <memory>

#include "stages/io/recording/sample_source.h"

namespace beatscan {

class InputFile;
struct LeadChoice;

// Returns whether the first bytes are those of a .npy file.
bool is_npy(const InputFile& file);

// Gives the leads of the array (array_source.h). Elements are whole numbers of 8 to 64 bits, float32 or float64. Throws
// ErrorKind::input for a header that is badly formed, and for elements that are none of these.
SampleSource npy_source(const std::shared_ptr<const InputFile>& file, const LeadChoice& choice);

}  // namespace beatscan
