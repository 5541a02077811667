#include "stages/input/edf/edf_records.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/number_text.h"
#include "stages/common/one_line.h"

namespace beatscan {
namespace {

constexpr std::int64_t kHeader = 256;  // bytes of the header, and of what it says of each signal
constexpr std::int64_t kOnsetBytes = 32;

// Where the signals lie in the file; all in bytes.
struct SignalPlace {
  std::int64_t in_record, bytes;
};
struct Layout {
  std::int64_t first_record = 0, record_bytes = 0, sample_bytes = 2;
  std::vector<SignalPlace> signals;        // those that are no annotations
  std::optional<SignalPlace> annotations;  // the first signal of annotations
};

std::string bytes_at(const InputFile& file, std::int64_t offset, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (file.read(offset, bytes) != size)
    fail(ErrorKind::input, file.path().string(), "became shorter while it was read");
  return bytes;
}

std::int64_t number_in(std::string_view field) {
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  std::int64_t value = 0;
  std::from_chars(field.data(), field.data() + field.size(), value);
  return value;
}

Layout layout_of(const InputFile& file, bool is_plus) {
  Layout layout;
  const std::string head = bytes_at(file, 0, kHeader);
  const std::int64_t count = number_in(std::string_view(head).substr(252, 4));
  layout.first_record = kHeader * (count + 1);
  layout.sample_bytes = head[0] == '0' ? 2 : 3;
  const std::string labels = bytes_at(file, kHeader, 16 * count);
  const std::string lengths = bytes_at(file, kHeader + 216 * count, 8 * count);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto label = std::string_view(labels).substr(static_cast<std::size_t>(16 * i), 16);
    const std::int64_t samples = number_in(std::string_view(lengths).substr(static_cast<std::size_t>(8 * i), 8));
    const SignalPlace place{layout.record_bytes, samples * layout.sample_bytes};
    layout.record_bytes += place.bytes;
    if (!is_plus || (!label.starts_with("EDF Annotations") && !label.starts_with("BDF Annotations")))
      layout.signals.push_back(place);
    else if (!layout.annotations)
      layout.annotations = place;
  }
  return layout;
}

std::int32_t value_at(const char* bytes, std::int64_t size) {
  const auto byte = [&](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  const std::uint32_t bits =
      size == 2 ? (byte(0) << 16 | byte(1) << 24) : (byte(0) << 8 | byte(1) << 16 | byte(2) << 24);
  return static_cast<std::int32_t>(bits) >> (size == 2 ? 16 : 8);
}

// Returns how many samples of a signal lie outside its digital range.
std::int64_t count_outside(const InputFile& file, const Layout& layout, std::int64_t records, const EdfRange& range) {
  const std::int32_t widest = layout.sample_bytes == 2 ? 32767 : 8388607;
  if (range.least <= -widest - 1 && range.most >= widest) return 0;
  if (range.signal >= std::ssize(layout.signals)) return 0;
  const SignalPlace& place = layout.signals[static_cast<std::size_t>(range.signal)];
  std::string bytes(static_cast<std::size_t>(place.bytes), '\0');
  std::int64_t outside = 0;
  for (std::int64_t record = 0; record < records; ++record) {
    if (file.read(layout.first_record + record * layout.record_bytes + place.in_record, bytes) != place.bytes) break;
    for (std::int64_t at = 0; at < place.bytes; at += layout.sample_bytes) {
      const std::int32_t value = value_at(bytes.data() + at, layout.sample_bytes);
      outside += value < range.least || value > range.most;
    }
  }
  return outside;
}

// Returns the time at which a record begins, from the first annotation in it: "+12.5" and a byte 20.
std::optional<double> onset_of(const InputFile& file, const Layout& layout, std::int64_t record) {
  const std::string text =
      bytes_at(file, layout.first_record + record * layout.record_bytes + layout.annotations->in_record,
               std::min(layout.annotations->bytes, kOnsetBytes));
  std::string_view onset(text);
  onset = onset.substr(0, onset.find_first_of("\x14\x15"));
  if (onset.size() == text.size()) return std::nullopt;
  if (onset.starts_with('+')) onset.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(onset.data(), onset.data() + onset.size(), value);
  return error == std::errc() && end == onset.data() + onset.size() ? std::optional(value) : std::nullopt;
}

std::string interruptions(const InputFile& file, const Layout& layout, const EdfRecords& records) {
  const double tolerance_s = std::max(1.5 * records.sample_s, 1e-3 * records.duration_s);
  std::string first;
  std::int64_t count = 0;
  std::optional<double> before = onset_of(file, layout, 0);
  for (std::int64_t record = 1; record < records.count; ++record) {
    const auto onset = onset_of(file, layout, record);
    if (before && onset && std::abs(*onset - *before - records.duration_s) > tolerance_s && ++count == 1)
      first = "data record " + std::to_string(record) + " begins at " + number_text(*onset, 9) +
              " s, and the one before it ends at " + number_text(*before + records.duration_s, 9) + " s";
    before = onset;
  }
  if (count == 0) return "";
  return first + ": there " + (count == 1 ? "is 1 interruption" : "are " + std::to_string(count) + " interruptions") +
         ", but the header says that there is none; times after it are too early or late, and intervals across it are "
         "wrong; cut the file there";
}

}  // namespace

std::vector<std::string> look_through_records(const InputFile& file, const EdfRecords& records,
                                              const std::vector<EdfRange>& ranges) {
  const Layout layout = layout_of(file, records.is_plus);
  std::vector<std::string> warnings;
  for (const EdfRange& range : ranges)
    if (const auto outside = count_outside(file, layout, records.count, range); outside > 0)
      warnings.push_back("signal '" + in_one_line(range.name) + "': " + counted(outside, "sample lies", "samples lie") +
                         " outside the header's digital range, " + std::to_string(range.least) + " to " +
                         std::to_string(range.most) + ", and " + (outside == 1 ? "is" : "are") +
                         " clipped to it; correct the header if the range is wrong");
  if (layout.annotations && records.count > 0)
    if (auto warning = interruptions(file, layout, records); !warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace beatscan
