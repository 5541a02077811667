// kernels/machine/processor_name.h — the name of the processor, from the text of Linux's /proc/cpuinfo.
#pragma once

#include <istream>
#include <string>

namespace beatscan {

// Returns the model's name, which x86-64 has. Elsewhere it returns the name that the numbers of maker and part stand
// for, or these numbers if they are unknown; it is empty if there is neither.
std::string processor_name(std::istream& cpuinfo);

}  // namespace beatscan
