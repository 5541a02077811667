#include "stages/io/edf/edf_file.h"

#include "tests/fuzz/samples.h"

namespace beatscan::fuzz {

void edf(Bytes bytes) {
  const auto path = write("x.edf", text_of(bytes));
  for (const LeadChoice& choice : kLeadChoices)
    check_source(std::ssize(bytes), [&] { return edf_source(std::make_shared<const InputFile>(path), choice, true); });
}

}  // namespace beatscan::fuzz
