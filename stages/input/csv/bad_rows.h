// stages/input/csv/bad_rows.h — bad rows of a CSV file by line, byte and what is wrong, for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "stages/input/csv/csv_header.h"
#include "stages/input/csv/text_reader.h"
#include "stages/recording/recording.h"

namespace beatscan {

// The rows that were handed to the context, chunk by chunk: where a bad one is found again, from the file.
class RowFinder {
 public:
  RowFinder(const InputFile& file, const CsvHeader& header) : file_(file), header_(header) {}
  void add(const TextReader::Chunk& chunk, std::int64_t first_row);

  // A bad row. Throws ErrorKind::input where it is no longer there.
  BadRow find(std::int64_t row) const;
  // All bad rows among the values of all rows (see bad_value): how many, and the first by name.
  BadRows find_all(std::span<const float> values) const;
  [[noreturn]] void throw_bad_row(std::int64_t row) const;

 private:
  struct Chunk {
    std::int64_t first_row, first_byte, end_byte;
  };
  const InputFile& file_;
  const CsvHeader& header_;
  std::vector<Chunk> chunks_;
};

}  // namespace beatscan
