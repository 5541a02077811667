#include "stages/io/arrays/npy_file.h"

#include <array>
#include <charconv>
#include <string_view>
#include <tuple>

#include "kernels/csv/decimal.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/one_line.h"
#include "stages/io/arrays/array_source.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/leads.h"

namespace beatscan {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::int64_t kMostNpyHeader = 1 << 16;

// Throws that the header is not one of numpy.
[[noreturn]] void fail_npy(const InputFile& file, std::int64_t byte, const std::string& what) {
  fail(ErrorKind::input, file.path().string(),
       "byte " + std::to_string(byte) + ": " + what + "; save it by numpy.save");
}

// The text of a header: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
class NpyHeader {
 public:
  explicit NpyHeader(const InputFile& file) : file_(file) {
    std::string start(12, '\0');
    start.resize(static_cast<std::size_t>(file.read(0, start)));
    const auto byte = [&](std::size_t at) {
      return at < start.size() ? std::int64_t{static_cast<unsigned char>(start[at])} : 0;
    };
    if (start.size() < 10) fail_npy(file, std::ssize(start), "the header is cut off");
    if (byte(6) < 1 || byte(6) > 3)
      fail_npy(file, 6, "version " + std::to_string(byte(6)) + " of the format is not known");
    const bool is_short = byte(6) == 1;
    begin_ = is_short ? 10 : 12;
    const std::int64_t size = byte(8) | byte(9) << 8 | (is_short ? 0 : byte(10) << 16 | byte(11) << 24);
    if (size > kMostNpyHeader) fail_npy(file, 8, "the header is said to have " + std::to_string(size) + " bytes");
    text_.resize(static_cast<std::size_t>(size));
    if (file.read(begin_, text_) != size) fail_npy(file, file.size(), "the header is cut off");
  }
  std::int64_t end() const { return begin_ + std::ssize(text_); }

  // Returns the text after a key up to `last` and with it.
  std::string_view value_of(std::string_view key, std::string_view last) const {
    const auto at = text_.find(key);
    if (at == text_.npos) fail_npy(file_, begin_, "the header has no " + std::string(key));
    std::string_view rest = std::string_view(text_).substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(": "), rest.size()));
    const auto end = rest.find_first_of(last, 1);
    if (end == rest.npos)
      fail_npy(file_, begin_ + static_cast<std::int64_t>(at), "the header ends within " + std::string(key));
    return rest.substr(0, end + 1);
  }

 private:
  const InputFile& file_;
  std::int64_t begin_ = 0;
  std::string text_;
};

Element element_of(const InputFile& file, std::string_view type) {
  struct Named {
    std::string_view name;
    Element element;
  };
  static constexpr std::array kNames = {Named{"i1", Element::int8},    Named{"u1", Element::uint8},
                                        Named{"i2", Element::int16},   Named{"u2", Element::uint16},
                                        Named{"i4", Element::int32},   Named{"u4", Element::uint32},
                                        Named{"i8", Element::int64},   Named{"u8", Element::uint64},
                                        Named{"f4", Element::float32}, Named{"f8", Element::float64}};
  for (const auto& [name, element] : kNames)
    if (type == name) return element;
  fail(ErrorKind::input, file.path().string(),
       "byte 10: elements of type '" + in_one_line(std::string(type.substr(0, 40))) +
           "' are not read; save them as float32: numpy.save(FILE, x.astype('float32'))");
}

std::vector<std::int64_t> shape_of(const InputFile& file, std::string_view text) {
  std::vector<std::int64_t> shape;
  if (!text.starts_with('(')) fail_npy(file, 10, "the shape is no tuple");
  for (const char* c = text.data() + 1; c < text.data() + text.size();) {
    if (!decimal::is_digit(*c)) {
      if (std::string_view("(), ").find(*c) == std::string_view::npos)
        fail_npy(file, 10, "the shape is no tuple of whole numbers");
      ++c;
      continue;
    }
    std::int64_t side = 0;
    const auto [end, error] = std::from_chars(c, text.data() + text.size(), side);
    if (error != std::errc() || shape.size() >= 32)
      fail_npy(file, 10, "the shape has numbers that are too large, or too many");
    shape.push_back(side);
    c = end;
  }
  return shape;
}

}  // namespace

bool is_npy(const InputFile& file) {
  std::string head(kNpyMagic.size(), '\0');
  return file.read(0, head) == std::ssize(head) && head == kNpyMagic;
}

SampleSource npy_source(const std::shared_ptr<const InputFile>& file, const LeadChoice& choice) {
  const NpyHeader header(*file);
  StoredArray array{.file = file, .first_byte = header.end()};
  std::string_view type = header.value_of("'descr'", "',]"sv);
  if (!type.starts_with('\'') || type.size() < 4)
    type = "a record";
  else
    type = type.substr(1, type.size() - 2);
  array.big_endian = type.front() == '>';
  if (std::string_view("<>|=").find(type.front()) != std::string_view::npos) type.remove_prefix(1);
  array.element = element_of(*file, type);
  array.column_major = header.value_of("'fortran_order'", ",}"sv).starts_with("True");
  const auto shape = shape_of(*file, header.value_of("'shape'", ")"sv));
  std::tie(array.rows, array.columns) = as_matrix(shape, file->path().string());
  SampleSource source = array_source(array, choice);
  source.signal.format = "NumPy";
  const std::int64_t rest = file->size() - array.first_byte - array.rows * array.columns * bytes_of(array.element);
  if (rest > 0)
    source.signal.warnings.push_back(counted(rest, "byte") + " after the array " + by_count(rest, "is", "are") +
                                     " not read");
  return source;
}

}  // namespace beatscan
