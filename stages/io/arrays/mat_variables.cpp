#include "stages/io/arrays/mat_variables.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/csv/decimal.h"
#include "kernels/runtime/error.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

constexpr std::size_t kMostMatVariables = 10'000;
constexpr std::size_t kHeadBytes = 4096;  // of a variable: more than its header takes, and room for a single number
constexpr std::int64_t kMostDimensions = 32;

[[noreturn]] void fail_mat(const InputFile& file, std::int64_t byte, const std::string& what) {
  fail(ErrorKind::input, file.path().string(), "byte " + std::to_string(byte) + ": " + what + "; save it again");
}

std::int64_t int32_at(std::string_view bytes, std::int64_t at, bool big_endian) {
  return static_cast<std::int64_t>(number_at(bytes, at, Element::int32, big_endian).value_or(-1));
}
std::int64_t uint32_at(std::string_view bytes, std::int64_t at, bool big_endian) {
  return static_cast<std::int64_t>(number_at(bytes, at, Element::uint32, big_endian).value_or(0));
}

// Returns the number of elements of a shape, or -1 if they are more than `most`.
std::int64_t elements_of(const std::vector<std::int64_t>& shape, std::int64_t most) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t elements = 1;
  for (const std::int64_t side : shape) {
    if (side < 0 || side > most / elements) return -1;
    elements *= side;
  }
  return elements;
}

// The header of a variable of level 4.
struct Level4 {
  bool big_endian = false, complex = false;
  std::int64_t type = -1, rows = 0, columns = 0, name_bytes = 0;
  bool is_numeric = false;
};

constexpr std::array kLevel4Elements = {Element::float64, Element::float32, Element::int32,
                                        Element::int16,   Element::uint16,  Element::uint8};

// Reads such a header; nothing if the bytes are no header.
std::optional<Level4> level_4_header(std::string_view bytes) {
  Level4 header;
  if (bytes.size() < 20) return std::nullopt;
  std::int64_t type = int32_at(bytes, 0, false);
  if (type < 0 || type > 9999) {
    header.big_endian = true;
    type = int32_at(bytes, 0, true);
  }
  const std::int64_t order = type / 1000, element = type / 10 % 10, kind = type % 10;
  if (type < 0 || order != (header.big_endian ? 1 : 0) || type / 100 % 10 != 0 || element > 5 || kind > 2)
    return std::nullopt;
  header.type = element;
  header.is_numeric = kind == 0;
  header.rows = int32_at(bytes, 4, header.big_endian);
  header.columns = int32_at(bytes, 8, header.big_endian);
  const std::int64_t imaginary = int32_at(bytes, 12, header.big_endian);
  header.complex = imaginary == 1;
  header.name_bytes = int32_at(bytes, 16, header.big_endian);
  const bool plausible = header.rows >= 0 && header.columns >= 0 && (imaginary == 0 || imaginary == 1) &&
                         header.name_bytes >= 2 && header.name_bytes <= 256;
  return plausible ? std::optional(header) : std::nullopt;
}

// Returns the name, which ends with NUL; nothing if it is no name of MATLAB.
std::optional<std::string> plain_name(std::string_view bytes) {
  const auto name = bytes.substr(0, bytes.find('\0'));
  const auto is_plain = [](char c) {
    return (decimal::lower(c) >= 'a' && decimal::lower(c) <= 'z') || decimal::is_digit(c) || c == '_';
  };
  if (name.empty() || name.size() == bytes.size() || !std::ranges::all_of(name, is_plain)) return std::nullopt;
  return std::string(name);
}

// A part of a variable of level 5: its type, and where its data are in the variable's bytes.
struct Part {
  std::int64_t type = 0, bytes = 0, first = 0, next = 0;
};

std::optional<Part> part_at(std::string_view head, std::int64_t at, bool big_endian) {
  if (at > std::ssize(head) - 8) return std::nullopt;
  const std::int64_t tag = uint32_at(head, at, big_endian);
  if (tag >> 16 != 0) return Part{tag & 0xffff, tag >> 16, at + 4, at + 8};
  const std::int64_t bytes = uint32_at(head, at + 4, big_endian);
  return Part{tag, bytes, at + 8, at + 8 + (bytes + 7) / 8 * 8};
}

std::optional<Element> level_5_element(std::int64_t type) {
  switch (type) {
    case 1:
      return Element::int8;
    case 2:
      return Element::uint8;
    case 3:
      return Element::int16;
    case 4:
      return Element::uint16;
    case 5:
      return Element::int32;
    case 6:
      return Element::uint32;
    case 7:
      return Element::float32;
    case 9:
      return Element::float64;
    case 12:
      return Element::int64;
    case 13:
      return Element::uint64;
  }
  return std::nullopt;
}

std::string class_of_place(std::int64_t number) {
  static constexpr std::array kClasses = {"unknown", "a cell array", "a struct", "an object", "text", "a sparse array"};
  return number >= 0 && number < std::ssize(kClasses) ? kClasses[static_cast<std::size_t>(number)] : "of another class";
}

// Reads the header of a variable of level 5. `head` begins with the variable's tag.
MatVariable level_5_variable(const InputFile& file, std::int64_t byte, std::string_view head, bool big_endian) {
  MatVariable variable{.byte = byte, .big_endian = big_endian};
  const auto part = [&](std::int64_t at, const char* what) {
    const auto found = part_at(head, at, big_endian);
    if (!found) fail_mat(file, byte, std::string("a variable ends within its ") + what);
    return *found;
  };
  const Part flags = part(8, "flags"), dimensions = part(flags.next, "shape"), name = part(dimensions.next, "name");
  if (flags.type != 6 || flags.bytes != 8 || dimensions.type != 5 || dimensions.bytes % 4 != 0 ||
      dimensions.bytes > 4 * kMostDimensions || name.type != 1 || name.bytes > 1024)
    fail_mat(file, byte, "the header of a variable is badly formed");
  const std::int64_t word = uint32_at(head, flags.first, big_endian), number = word & 0xff;
  for (std::int64_t i = 0; i < dimensions.bytes / 4; ++i)
    variable.shape.push_back(int32_at(head, dimensions.first + 4 * i, big_endian));
  variable.name = head.substr(static_cast<std::size_t>(std::min(name.first, std::ssize(head))),
                              static_cast<std::size_t>(name.bytes));
  if (number < 6 || number > 15) {
    variable.why_not = class_of_place(number);
  } else if (word & 0x800) {
    variable.why_not = "complex";
  } else {
    const Part data = part(name.next, "numbers");
    const auto element = level_5_element(data.type);
    if (!element) fail_mat(file, byte, "a variable has numbers of an unknown type, " + std::to_string(data.type));
    if (elements_of(variable.shape, data.bytes) * bytes_of(*element) != data.bytes)
      fail_mat(file, byte, "the numbers of a variable do not fill its shape");
    variable.element = *element;
    variable.first_byte = data.first;
    if (data.bytes == bytes_of(*element)) variable.scalar = number_at(head, data.first, *element, big_endian);
  }
  return variable;
}

}  // namespace

bool is_mat_level_4(const InputFile& file) {
  const std::string head = file.bytes(0, 20 + 256);
  const auto header = level_4_header(head);
  return header && plain_name(std::string_view(head).substr(20, static_cast<std::size_t>(header->name_bytes)));
}

std::vector<MatVariable> variables_of_level_4(const InputFile& file) {
  std::vector<MatVariable> variables;
  for (std::int64_t byte = 0; byte < file.size() && variables.size() < kMostMatVariables;) {
    const std::string head = file.bytes(byte, kHeadBytes);
    const auto header = level_4_header(head);
    const auto name = header
                          ? plain_name(std::string_view(head).substr(20, static_cast<std::size_t>(header->name_bytes)))
                          : std::nullopt;
    if (!name) fail_mat(file, byte, "the header of a variable is badly formed");
    const Element element = kLevel4Elements[static_cast<std::size_t>(header->type)];
    const std::int64_t first = byte + 20 + header->name_bytes, held = std::max<std::int64_t>(file.size() - first, 0);
    const std::int64_t elements = elements_of({header->rows, header->columns}, held);
    const std::int64_t bytes = elements * bytes_of(element) * (header->complex ? 2 : 1);
    if (elements < 0 || bytes > held) fail_mat(file, byte, "is cut off within variable '" + *name + "'");
    variables.push_back({.name = *name,
                         .shape = {header->rows, header->columns},
                         .byte = byte,
                         .why_not = !header->is_numeric ? "text or a sparse array"
                                    : header->complex   ? "complex"
                                                        : "",
                         .element = element,
                         .big_endian = header->big_endian,
                         .first_byte = first});
    if (elements == 1 && header->is_numeric)
      variables.back().scalar = number_at(head, first - byte, element, header->big_endian);
    byte = first + bytes;
  }
  return variables;
}

std::vector<MatVariable> variables_of_level_5(const InputFile& file) {
  constexpr std::int64_t kFileHeader = 128, kMatrix = 14, kCompressed = 15;
  const std::string header = file.bytes(0, kFileHeader);
  if (std::ssize(header) < kFileHeader) fail_mat(file, file.size(), "is cut off within its header");
  const std::string order = header.substr(126);
  if (order != "IM" && order != "MI") fail_mat(file, 126, "the order of bytes is neither IM nor MI");
  const bool big_endian = order == "MI";
  std::vector<MatVariable> variables;
  for (std::int64_t byte = kFileHeader; byte < file.size() && variables.size() < kMostMatVariables;) {
    const std::string tag = file.bytes(byte, 8);
    const std::int64_t type = uint32_at(tag, 0, big_endian), bytes = uint32_at(tag, 4, big_endian);
    if (type != kMatrix && type != kCompressed) fail_mat(file, byte, "no variable begins here");
    if (std::ssize(tag) < 8 || bytes > file.size() - byte - 8) fail_mat(file, byte, "is cut off within a variable");
    const bool packed = type == kCompressed;
    if (packed || bytes > 0) {
      const std::string head = packed ? inflated_start(file, byte + 8, bytes, kHeadBytes)
                                      : file.bytes(byte, std::min<std::size_t>(kHeadBytes, bytes + 8));
      if (packed && (uint32_at(head, 0, big_endian) != kMatrix || head.size() < 8))
        fail_mat(file, byte, "a compressed variable is damaged");
      variables.push_back(level_5_variable(file, byte, head, big_endian));
      if (packed) {
        variables.back().stream_byte = byte + 8;
        variables.back().stream_bytes = bytes;
      } else {
        variables.back().first_byte += byte;
      }
    }
    byte += 8 + bytes;
  }
  return variables;
}

}  // namespace beatscan
