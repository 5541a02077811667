// tests/paths/paths.h — paths of the checkout and of what was built. Variables of the environment win over the paths of
// the build: BEATSCAN_SOURCE_DIR, BEATSCAN_PROGRAM, BEATSCAN_FAULTY_IO.
#pragma once

#include <string>

namespace beatscan {

std::string source_folder();   // the checkout, without a slash at its end
std::string program_path();    // the program, build/beatscan
std::string faulty_io_path();  // the library that tests of full disks and kills preload

}  // namespace beatscan
