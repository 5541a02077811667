#include "tests/paths/paths.h"

#include <cstdlib>
#include <sstream>

#ifndef BEATSCAN_FAULTY_GPU
#define BEATSCAN_FAULTY_GPU ""
#endif
#ifndef BEATSCAN_EMULATOR
#define BEATSCAN_EMULATOR ""
#endif

namespace beatscan {
namespace {

std::string variable_or(const char* name, const char* fallback) {
  const char* value = std::getenv(name);
  return value ? value : fallback;
}

}  // namespace

std::string source_folder() { return variable_or("BEATSCAN_SOURCE_DIR", BEATSCAN_SOURCE_DIR); }
std::string program_path() { return variable_or("BEATSCAN_PROGRAM", BEATSCAN_PROGRAM); }
std::string faulty_io_path() { return variable_or("BEATSCAN_FAULTY_IO", BEATSCAN_FAULTY_IO); }
std::string faulty_gpu_path() { return variable_or("BEATSCAN_FAULTY_GPU", BEATSCAN_FAULTY_GPU); }

std::vector<std::string> start_of(const std::string& program) {
  std::vector<std::string> words;
  std::istringstream emulator(variable_or("BEATSCAN_EMULATOR", BEATSCAN_EMULATOR));
  for (std::string word; std::getline(emulator, word);) words.push_back(word);
  words.push_back(program);
  return words;
}

}  // namespace beatscan
