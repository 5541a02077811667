#include "stages/io/edf/edf_header.h"

#include <algorithm>
#include <charconv>

#include "stages/io/recording/input_file.h"

namespace beatscan {

std::string_view trimmed_field(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  return field.substr(0, field.find_last_not_of(std::string_view(" \0", 2)) + 1);
}

std::optional<std::int64_t> whole_number(std::string_view field) {
  field = trimmed_field(field);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size() ? std::optional(value) : std::nullopt;
}

EdfCounts edf_counts(std::string_view head) {
  return {whole_number(head.substr(236, 8)), whole_number(head.substr(252, 4))};
}

std::optional<std::int64_t> samples_in_record(std::string_view fields, std::int64_t signal) {
  return whole_number(fields.substr(std::min(static_cast<std::size_t>(8 * signal), fields.size()), 8));
}

std::string fields_of_samples(const InputFile& file, std::int64_t signals) {
  return file.bytes(kEdfHeaderBytes + 216 * signals, 8 * signals);
}

}  // namespace beatscan
