#include "app/output/record_name.h"

#include "stages/io/input.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {

std::string record_name(const std::filesystem::path& input) {
  if (input == "-") return "stdin";
  if (const auto header = wfdb_header_of(input)) return header->stem().string();
  return without_packing(input).stem().string();
}

}  // namespace beatscan
