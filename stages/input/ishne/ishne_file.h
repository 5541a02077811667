// stages/input/ishne/ishne_file.h — one lead of an ISHNE Holter file (see ishne_header.h).
#pragma once

#include <memory>
#include <string>

#include "stages/recording/input_file.h"
#include "stages/recording/sample_source.h"

namespace beatscan {

// Returns whether the first bytes are those of an ISHNE recording or annotation file. A file named .ecg whose first
// bytes are no text counts as one, too, so that its refusal says what is wrong.
bool is_ishne(const InputFile& file);

// Gives the samples of one lead, chosen as by choose_lead. A value is sample * resolution / 1e6 mV, computed in double
// and rounded to float32. The sample -32768 marks a lead fault and is missing. Throws ErrorKind::input for what
// read_ishne_header refuses, and for a lead whose resolution is not above 0 nV.
SampleSource ishne_source(const std::shared_ptr<const InputFile>& file, const std::string& lead);

}  // namespace beatscan
