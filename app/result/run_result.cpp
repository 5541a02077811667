#include "app/result/run_result.h"

#include "stages/input/input.h"

namespace beatscan {

std::string record_name(const std::filesystem::path& input) {
  if (input == "-") return "stdin";
  if (const auto header = wfdb_header_of(input)) return header->stem().string();
  const auto extension = input.extension();
  return extension == ".gz" || extension == ".zst" ? input.stem().stem().string() : input.stem().string();
}

}  // namespace beatscan
