// tests/paths/paths.h — paths of the checkout and of what was built. Variables of the environment win over the paths of
// the build: BEATSCAN_SOURCE_DIR, BEATSCAN_PROGRAM, BEATSCAN_FAULTY_IO, BEATSCAN_FAULTY_GPU, BEATSCAN_EMULATOR.
#pragma once

#include <string>
#include <vector>

namespace beatscan {

std::string source_folder();    // the checkout, without a slash at its end
std::string program_path();     // the program, build/beatscan
std::string faulty_io_path();   // the library that tests of full disks and kills preload
std::string faulty_gpu_path();  // the library that tests of failing GPUs preload; empty in a build without CUDA

// Returns the words that start a program which was built: its path, after the emulator and its options where the tests
// were built for another kind of processor (cmake/aarch64.cmake). BEATSCAN_EMULATOR has each word in a line of its own.
std::vector<std::string> start_of(const std::string& program);

}  // namespace beatscan
