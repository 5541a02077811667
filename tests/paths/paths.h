// tests/paths/paths.h — where the checkout and what was built are. The variables of the environment that are called
// like the functions (BEATSCAN_SOURCE_DIR, BEATSCAN_PROGRAM, BEATSCAN_FAULTY_IO) win over what the build says.
#pragma once

#include <string>

namespace beatscan {

std::string source_folder();   // of the checkout, without a slash at its end
std::string program_path();    // of the program, build/beatscan
std::string faulty_io_path();  // of the library that tests of full disks and kills preload

}  // namespace beatscan
