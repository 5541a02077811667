// stages/input/edf/edf_file.h — reads one signal of an EDF, EDF+, BDF or BDF+ file by EDFlib. Source: edfplus.info.
#pragma once

#include <memory>
#include <string>

#include "stages/recording/input_file.h"
#include "stages/recording/sample_source.h"

namespace beatscan {

// Tells by its name, or by its first bytes, whether a file is EDF or BDF.
bool is_edf(const InputFile& file);

// Opens one signal. `lead` is as for choose_lead, by the labels of the signals; annotations are not among them. Values
// are physical, in the file's unit; EDFlib computes them in double, and they are rounded to float32. Throws
// ErrorKind::input if the file is cut off, has interruptions (EDF+D), or does not follow the specification.
SampleSource edf_source(std::shared_ptr<const InputFile> file, const std::string& lead);

}  // namespace beatscan
