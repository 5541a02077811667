#include "app/output/tables/parquet_library.h"

#include <arrow/config.h>

#include "app/output/tables/arrow/write_parquet.h"

namespace {

std::string version_of_arrow() { return arrow::GetBuildInfo().version_string; }

}  // namespace

extern "C" const beatscan::ParquetLibrary* beatscan_parquet_library() {
  static const beatscan::ParquetLibrary library{beatscan::write_parquet, beatscan::parse_parquet, version_of_arrow};
  return &library;
}
