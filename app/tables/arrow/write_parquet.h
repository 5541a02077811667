// app/tables/arrow/write_parquet.h — writes and reads Parquet files; parquet.h says what they hold.
#pragma once

#include <string>

#include "app/tables/table.h"

namespace beatscan {

// Throws std::runtime_error where Arrow fails.
std::string write_parquet(const TableParts& parts);

// Throws ErrorKind::input, naming the source, where the bytes are no such file.
Table parse_parquet(const std::string& bytes, const std::string& source);

}  // namespace beatscan
