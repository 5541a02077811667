#include "tests/fuzz/csv_check.h"

namespace beatscan::fuzz {

void csv(Bytes bytes) {
  Cpu cpu(2);
  check_csv(cpu, text_of(bytes));
}

}  // namespace beatscan::fuzz
