#include "stages/io/wfdb/wfdb_record.h"
#include "tests/fuzz/samples.h"

namespace beatscan::fuzz {

void wfdb(Bytes bytes) {
  const auto parts = split(text_of(bytes), '\0', 3);
  const auto path = write("r.hea", parts[0]);
  write("s.hea", parts[1]);
  write("r.dat", parts[2]);
  for (const LeadChoice& choice : kLeadChoices)
    check_source(std::ssize(bytes),
                 [&] { return source_of(std::make_shared<const WfdbRecord>(open_wfdb(path, choice))); });
}

}  // namespace beatscan::fuzz
