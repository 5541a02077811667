// app/output/tables/arrow/write_parquet.h — writes and reads Parquet files; parquet.h describes their content.
#pragma once

#include <string>

#include "app/output/tables/table.h"

namespace beatscan {

// Throws std::runtime_error if Arrow fails.
std::string write_parquet(const TableParts& parts);

// Throws ErrorKind::input, naming the source, if the bytes are not such a file.
Table parse_parquet(const std::string& bytes, const std::string& source);

}  // namespace beatscan
