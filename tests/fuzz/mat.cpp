#include "stages/io/arrays/mat_file.h"

#include "stages/io/recording/input_file.h"
#include "tests/fuzz/samples.h"

namespace beatscan::fuzz {

void mat(Bytes bytes) {
  constexpr std::int64_t kMostDeflated = 1032;  // bytes that one byte of a zlib stream may become
  const auto path = write("x.mat", text_of(bytes));
  is_mat(InputFile(path));
  for (const LeadChoice& choice : kLeadChoices)
    for (const char* variable : {"", "val"})
      check_source(kMostDeflated * std::ssize(bytes),
                   [&] { return mat_source(std::make_shared<const InputFile>(path), choice, variable); });
}

}  // namespace beatscan::fuzz
