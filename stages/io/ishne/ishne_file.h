// stages/io/ishne/ishne_file.h — leads of an ISHNE Holter file (see ishne_header.h).
#pragma once

#include <memory>

#include "stages/io/recording/sample_source.h"

namespace beatscan {

class InputFile;
struct LeadChoice;

// Returns whether the first bytes are those of an ISHNE recording or annotation file. A file named .ecg whose first
// bytes are no text counts as one, too, so that its refusal says what is wrong.
bool is_ishne(const InputFile& file);

// Gives the samples of the leads that are chosen as by choose_leads; without a choice, among those that the header does
// not call absent and that have a resolution. A value is sample * resolution / 1e6 mV, computed in double and rounded
// to float32. The sample -32768 marks a lead fault and is missing. Throws ErrorKind::input for what read_ishne_header
// refuses, and for a lead whose resolution is not above 0 nV.
SampleSource ishne_source(const std::shared_ptr<const InputFile>& file, const LeadChoice& choice);

}  // namespace beatscan
