// stages/input/edf/edf_file.h — one signal of an EDF, EDF+, BDF or BDF+ file, by EDFlib. Source: edfplus.info.
#pragma once

#include <memory>
#include <string>

#include "stages/recording/input_file.h"
#include "stages/recording/sample_source.h"

namespace beatscan {

// By its first bytes, or its name.
bool is_edf(const InputFile& file);

// `lead` as for choose_lead, by the labels of the signals; annotations are none. Values are physical, in the file's
// unit, computed in double by EDFlib and rounded to float32. Throws ErrorKind::input where the file is cut off, has
// interruptions (EDF+D), or is not as the specification has it.
SampleSource edf_source(std::shared_ptr<const InputFile> file, const std::string& lead);

}  // namespace beatscan
