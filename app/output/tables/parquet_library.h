// app/output/tables/parquet_library.h — the functions of libbeatscan_parquet.so, which parquet.cpp calls. Only this
// library is linked with Arrow.
#pragma once

#include <string>

#include "app/output/tables/table.h"

namespace beatscan {

struct ParquetLibrary {
  std::string (*write)(const TableParts& parts);
  // `source` names the bytes in errors.
  Table (*read)(const std::string& bytes, const std::string& source);
  std::string (*arrow_version)();
};

}  // namespace beatscan

// The only symbol that is looked up in the library.
extern "C" const beatscan::ParquetLibrary* beatscan_parquet_library();
