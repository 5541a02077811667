#include "stages/io/edf/edf_records.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/counted.h"
#include "stages/common/from_chars.h"
#include "stages/common/number_text.h"
#include "stages/common/one_line.h"
#include "stages/io/edf/edf_header.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

// Returns `size` bytes of the file.
std::string bytes_at(const InputFile& file, std::int64_t offset, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read_all(offset, bytes);
  return bytes;
}

constexpr std::int64_t kBlockBytes = 1 << 20;  // whole records that are read at a time
constexpr std::int64_t kOnsetBytes = 32;

// The places of records and signals in the file; all in bytes.
struct SignalPlace {
  std::int64_t in_record, bytes;
};
struct Layout {
  std::int64_t first_record = 0, record_bytes = 0, sample_bytes = 2;
  std::vector<SignalPlace> signals;        // those that are no annotations
  std::optional<SignalPlace> annotations;  // the first signal of annotations
};

Layout layout_of(const InputFile& file, bool is_plus) {
  Layout layout;
  const std::string head = bytes_at(file, 0, kEdfHeaderBytes);
  const std::int64_t count = edf_counts(head).signals.value_or(0);
  layout.first_record = kEdfHeaderBytes * (count + 1);
  layout.sample_bytes = edf_sample_bytes(head);
  const std::string labels = bytes_at(file, kEdfHeaderBytes, 16 * count);
  const std::string fields = fields_of_samples(file, count);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto label = std::string_view(labels).substr(static_cast<std::size_t>(16 * i), 16);
    const std::int64_t samples = samples_in_record(fields, i).value_or(0);
    const SignalPlace place{layout.record_bytes, samples * layout.sample_bytes};
    layout.record_bytes += place.bytes;
    if (!is_plus || (!label.starts_with("EDF Annotations") && !label.starts_with("BDF Annotations")))
      layout.signals.push_back(place);
    else if (!layout.annotations)
      layout.annotations = place;
  }
  return layout;
}

// Returns a sample of so many bytes, the lowest first.
template <int kBytes>
std::int32_t sample_at(const char* bytes) {
  const auto byte = [&](int i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])); };
  if constexpr (kBytes == 2) return static_cast<std::int16_t>(byte(0) | byte(1) << 8);
  return static_cast<std::int32_t>(byte(0) << 8 | byte(1) << 16 | byte(2) << 24) >> 8;
}

template <int kBytes>
std::int64_t count_outside(std::span<const char> samples, const EdfRange& range) {
  std::int64_t outside = 0;
  for (std::size_t at = 0; at < samples.size(); at += kBytes) {
    const std::int32_t value = sample_at<kBytes>(samples.data() + at);
    outside += (value < range.least) | (value > range.most);
  }
  return outside;
}

// Returns whether samples may lie outside a range: the range has not all values that a sample can have.
bool may_be_left(const Layout& layout, const EdfRange& range) {
  const std::int32_t widest = layout.sample_bytes == 2 ? 32767 : 8388607;
  return range.signal < std::ssize(layout.signals) && (range.least > -widest - 1 || range.most < widest);
}

// Adds to the counts how many samples of each range lie outside it in records [first, last).
void count_in_records(const InputFile& file, const Layout& layout, std::span<const EdfRange> ranges, std::int64_t first,
                      std::int64_t last, std::span<std::int64_t> outside) {
  const std::int64_t at_a_time = std::max<std::int64_t>(kBlockBytes / layout.record_bytes, 1);
  std::vector<char> block;
  for (; first < last; first += at_a_time) {
    block.resize(static_cast<std::size_t>(std::min(at_a_time, last - first) * layout.record_bytes));
    file.read_all(layout.first_record + first * layout.record_bytes, block);
    for (std::int64_t record = 0; record < std::ssize(block); record += layout.record_bytes)
      for (std::size_t i = 0; i < ranges.size(); ++i) {
        const SignalPlace& place = layout.signals[static_cast<std::size_t>(ranges[i].signal)];
        const auto samples = std::span<const char>(block).subspan(static_cast<std::size_t>(record + place.in_record),
                                                                  static_cast<std::size_t>(place.bytes));
        outside[i] +=
            layout.sample_bytes == 2 ? count_outside<2>(samples, ranges[i]) : count_outside<3>(samples, ranges[i]);
      }
  }
}

// Returns how many samples of each range lie outside it.
std::vector<std::int64_t> count_outside(const InputFile& file, const Layout& layout, std::int64_t records,
                                        std::span<const EdfRange> ranges) {
  std::vector<std::int64_t> outside(ranges.size());
  if (ranges.empty() || layout.record_bytes == 0) return outside;
  std::mutex mutex;
  const std::int64_t at_a_time = std::max<std::int64_t>(kBlockBytes / layout.record_bytes, 1);
  parallel_for(Cpu(), records, at_a_time, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int64_t> found(ranges.size());
    count_in_records(file, layout, ranges, first, last, found);
    const std::lock_guard lock(mutex);
    for (std::size_t i = 0; i < ranges.size(); ++i) outside[i] += found[i];
  });
  return outside;
}

// Returns a warning for each range with samples outside it, with their number.
std::vector<std::string> warnings_of_ranges(const InputFile& file, const Layout& layout, std::int64_t records,
                                            std::vector<EdfRange> ranges) {
  std::erase_if(ranges, [&](const EdfRange& range) { return !may_be_left(layout, range); });
  const std::vector<std::int64_t> outside = count_outside(file, layout, records, ranges);
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < ranges.size(); ++i)
    if (outside[i] > 0)
      warnings.push_back("signal '" + in_one_line(ranges[i].name) +
                         "': " + counted(outside[i], "sample lies", "samples lie") +
                         " outside the header's digital range, " + std::to_string(ranges[i].least) + " to " +
                         std::to_string(ranges[i].most) + ", and " + by_count(outside[i], "is", "are") +
                         " clipped to it; correct the header if the range is wrong");
  return warnings;
}

// The time at which a record begins, and the unit of its last decimal, to which it may be rounded.
struct Onset {
  double seconds, unit;
};

// Returns the onset from the first annotation in a record: "+12.5" and a byte 20.
std::optional<Onset> onset_of(std::string_view annotations) {
  std::string_view text = annotations.substr(0, annotations.find_first_of("\x14\x15"));
  if (text.size() == annotations.size()) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto point = text.find('.');
  Onset onset{0, point == text.npos ? 1 : std::pow(10, -static_cast<double>(text.size() - point - 1))};
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), onset.seconds);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(onset) : std::nullopt;
}

// Calls visit(record, onset) for all records.
template <class Visit>
void for_each_onset(const InputFile& file, const Layout& layout, std::int64_t records, const Visit& visit) {
  const auto [in_record, bytes] = *layout.annotations;
  const std::int64_t at_a_time = std::max<std::int64_t>(kBlockBytes / layout.record_bytes, 1);
  for (std::int64_t first = 0; first < records; first += at_a_time) {
    const std::int64_t count = std::min(at_a_time, records - first);
    const std::string block =
        bytes_at(file, layout.first_record + first * layout.record_bytes, count * layout.record_bytes);
    for (std::int64_t i = 0; i < count; ++i)
      visit(first + i,
            onset_of(std::string_view(block).substr(static_cast<std::size_t>(i * layout.record_bytes + in_record),
                                                    static_cast<std::size_t>(std::min(bytes, kOnsetBytes)))));
  }
}

std::string interruptions(const InputFile& file, const Layout& layout, const EdfRecords& records) {
  constexpr double kRounded = 0.99;  // of the last decimal: two rounded onsets are less apart than all of it
  const double tolerance_s = std::max(1.5 * records.sample_s, 1e-3 * records.duration_s);
  std::string first;
  std::int64_t count = 0;
  std::optional<Onset> before;
  for_each_onset(file, layout, records.count, [&](std::int64_t record, const std::optional<Onset>& onset) {
    const auto last = std::exchange(before, onset);
    if (!last || !onset) return;
    const double rounding_s = kRounded * std::max(last->unit, onset->unit), end_s = last->seconds + records.duration_s;
    if (std::abs(onset->seconds - end_s) <= std::max(tolerance_s, rounding_s)) return;
    if (++count == 1)
      first = "data record " + std::to_string(record) + " begins at " + number_text(onset->seconds, 9) +
              " s, and the one before it ends at " + number_text(end_s, 9) + " s";
  });
  if (count == 0) return "";
  return first + ": there " + by_count(count, "is ", "are ") + counted(count, "interruption") +
         ", but the header says that there is none; times after it are too early or too late, and intervals across it "
         "are wrong; cut the file there";
}

}  // namespace

std::vector<double> record_onsets(const InputFile& file, std::int64_t count) {
  const Layout layout = layout_of(file, true);
  if (!layout.annotations)
    fail(ErrorKind::input, file.path().string(),
         "has interruptions (EDF+D), and no annotations that say when its data records begin");
  std::vector<double> onsets_s;
  for_each_onset(file, layout, count, [&](std::int64_t, const std::optional<Onset>& onset) {
    onsets_s.push_back(onset ? onset->seconds : std::numeric_limits<double>::quiet_NaN());
  });
  return onsets_s;
}

std::vector<std::string> look_through_records(const InputFile& file, const EdfRecords& records,
                                              const std::vector<EdfRange>& ranges) {
  const Layout layout = layout_of(file, records.is_plus);
  std::vector<std::string> warnings = warnings_of_ranges(file, layout, records.count, ranges);
  if (layout.annotations && records.count > 0)
    if (auto warning = interruptions(file, layout, records); !warning.empty()) warnings.push_back(std::move(warning));
  return warnings;
}

}  // namespace beatscan
