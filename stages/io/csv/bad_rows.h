// stages/io/csv/bad_rows.h — describes bad rows of a CSV file to the user: line, byte, and what is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stages/io/csv/csv_header.h"
#include "stages/io/csv/text_reader.h"
#include "stages/io/recording/signal_info.h"

namespace beatscan {

// Remembers in which chunk each row was, and reads a bad row again from the file. The parser in the context knows a bad
// row by its number only.
class RowFinder {
 public:
  RowFinder(const InputFile& file, const CsvHeader& header) : file_(file), header_(header) {}

  // Adds the next chunk; its first row is row `first_row` of the file's data.
  void add(const TextReader::Chunk& chunk, std::int64_t first_row);

  // Describes a bad row. The second argument is a fault that is already known; it is needed for not_a_time alone.
  // Throws ErrorKind::input if the file has changed and the row is no longer bad; a time that became good is not
  // noticed.
  BadRow find(std::int64_t row, RowFault known = RowFault::none) const;

  // Counts the bad rows, and describes the first ones. `faults` has one for each row.
  BadRows find_all(std::span<const RowFault> faults) const;

  // Throws ErrorKind::input that describes the row.
  [[noreturn]] void throw_bad_row(std::int64_t row) const;

 private:
  std::string hint_of_table(std::int64_t row) const;
  struct Chunk {
    std::int64_t first_row, first_byte, end_byte;
  };
  const InputFile& file_;
  const CsvHeader& header_;
  std::vector<Chunk> chunks_;
};

}  // namespace beatscan
