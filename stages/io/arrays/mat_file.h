// stages/io/arrays/mat_file.h — reads an array of a MATLAB file.
#pragma once

#include <memory>
#include <string>

#include "stages/io/recording/sample_source.h"

namespace beatscan {

class InputFile;
struct LeadChoice;

// Returns whether the first bytes are those of a MATLAB or HDF5 file.
bool is_mat(const InputFile& file);

// Gives the leads of an array of real numbers (array_source.h): the one named `variable`, or the first of these that
// exists:
//   1. the array `val`, as in records of PhysioNet
//   2. the only array
//   3. the only array with ECG or EKG in its name
// A variable that is a single number with a name such as Fs gives the sampling rate. Throws ErrorKind::input if
// there is no such array, listing the variables; for files of version 7.3 (HDF5); and for files that are badly formed.
SampleSource mat_source(const std::shared_ptr<const InputFile>& file, const LeadChoice& choice,
                        const std::string& variable);

}  // namespace beatscan
