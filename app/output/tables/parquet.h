// app/output/tables/parquet.h — tables as Parquet, by Arrow's libraries, which are loaded when needed.
#pragma once

#include <filesystem>
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

namespace beatscan {

// Tables as Parquet files, written and read by Apache Arrow.
//
// Arrow is behind a separate shared library, which is loaded on first use: the program starts and runs without it. A
// build without Arrow has no such library.

// Throws ErrorKind::usage, with a remedy, if Parquet files cannot be written.
void require_parquet();

// Returns Arrow's version; empty if it cannot be loaded.
std::string arrow_version();

// Returns the bytes of a Parquet file, compressed with Zstandard. Units of columns are in the metadata of their fields,
// the table's metadata in that of the schema. Bytes of texts that are not UTF-8 are replaced. The same table gives the
// same bytes. Throws like require_parquet().
std::string parquet_bytes(const Table& table);

// The same for a table that comes in parts. Each part is a row group.
std::string parquet_bytes(const TableParts& parts);

// Reads a Parquet file written by parquet_bytes(). Times are returned as doubles, words as texts. Throws
// ErrorKind::input, naming the file, if it is damaged, has a column of another type, or cannot be read without Arrow.
Table read_parquet(const std::filesystem::path& path);

}  // namespace beatscan
