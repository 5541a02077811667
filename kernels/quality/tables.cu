#include "kernels/quality/lead.h"
#include "kernels/runtime/buffer.h"

namespace beatscan::quality {

Tables<Cuda> quality_tables(Cuda& cuda, double rate_hz) {
  const HostTables tables = host_tables(rate_hz);
  return {tables.taps, tables.before, from_host(cuda, tables.weights), from_host(cuda, tables.filters)};
}

}  // namespace beatscan::quality
