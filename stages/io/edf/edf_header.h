// stages/io/edf/edf_header.h — reads fields of the header of an EDF or BDF file, which are text of fixed width.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace beatscan {

class InputFile;

inline constexpr std::int64_t kEdfHeaderBytes = 256;  // size of the header, to which each signal adds as many bytes

// Removes blanks before a field, and blanks and zero bytes after it.
std::string_view trimmed_field(std::string_view field);

// Returns the whole number that a field holds; nothing if it holds anything else.
std::optional<std::int64_t> whole_number(std::string_view field);

// The numbers of data records and of signals in a header; nothing if a field holds no number.
struct EdfCounts {
  std::optional<std::int64_t> records, signals;
};
EdfCounts edf_counts(std::string_view head);

// Returns the samples that a signal has in a data record, from the fields of all signals; nothing if that field is
// missing or no number.
std::optional<std::int64_t> samples_in_record(std::string_view fields, std::int64_t signal);

// Returns how many bytes a sample has, by the first byte of the file.
inline std::int64_t edf_sample_bytes(std::string_view head) { return head[0] == '0' ? 2 : 3; }

// Returns the fields of all signals with their numbers of samples in a data record.
std::string fields_of_samples(const InputFile& file, std::int64_t signals);

}  // namespace beatscan
