#include "stages/io/ishne/ishne_file.h"

#include "stages/io/recording/input_file.h"
#include "tests/fuzz/samples.h"

namespace beatscan::fuzz {

void ishne(Bytes bytes) {
  const auto path = write("x.ecg", text_of(bytes));
  is_ishne(InputFile(path));
  for (const LeadChoice& choice : kLeadChoices)
    check_source(std::ssize(bytes), [&] { return ishne_source(std::make_shared<const InputFile>(path), choice); });
}

}  // namespace beatscan::fuzz
