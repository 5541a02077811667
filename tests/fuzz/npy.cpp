#include "stages/io/arrays/npy_file.h"

#include "stages/io/recording/input_file.h"
#include "tests/fuzz/samples.h"

namespace beatscan::fuzz {

void npy(Bytes bytes) {
  const auto path = write("x.npy", text_of(bytes));
  is_npy(InputFile(path));
  for (const LeadChoice& choice : kLeadChoices)
    check_source(std::ssize(bytes), [&] { return npy_source(std::make_shared<const InputFile>(path), choice); });
}

}  // namespace beatscan::fuzz
