#include "stages/io/edf/edf_events.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "stages/common/from_chars.h"
#include "stages/common/utf8.h"
#include "stages/io/edf/edf_header.h"
#include "stages/io/recording/input_file.h"

namespace beatscan {
namespace {

// The bytes of the signals of annotations in a data record.
struct AnnotationPlaces {
  std::int64_t first_record = 0, record_bytes = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> places;  // begin and size
};

AnnotationPlaces annotation_places(const InputFile& file) {
  AnnotationPlaces found;
  const std::string head = file.bytes(0, kEdfHeaderBytes);
  if (std::ssize(head) < kEdfHeaderBytes || head.substr(193, 3) != "DF+") return found;
  const std::int64_t signals = std::clamp<std::int64_t>(edf_counts(head).signals.value_or(0), 0, 1 << 12);
  const std::string labels = file.bytes(kEdfHeaderBytes, 16 * signals), fields = fields_of_samples(file, signals);
  found.first_record = kEdfHeaderBytes * (signals + 1);
  for (std::int64_t i = 0; i < signals; ++i) {
    const std::int64_t samples = std::clamp<std::int64_t>(samples_in_record(fields, i).value_or(0), 0, 1 << 24);
    const std::int64_t bytes = samples * edf_sample_bytes(head);
    const auto label = std::string_view(labels).substr(std::min(static_cast<std::size_t>(16 * i), labels.size()), 16);
    if (bytes > 0 && (label.starts_with("EDF Annotations") || label.starts_with("BDF Annotations")))
      found.places.emplace_back(found.record_bytes, bytes);
    found.record_bytes += bytes;
  }
  return found;
}

std::optional<double> seconds_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::optional(value)
                                                                                          : std::nullopt;
}

// Adds the annotations of a list "+onset 0x15 duration 0x14 text 0x14 text 0x14". The text of the first list of a
// record is empty; it gives the time of the record. Returns that time.
std::optional<double> add_events(std::string_view list, std::vector<FileEvent>& events) {
  const std::string_view times = list.substr(0, list.find('\x14'));
  if (times.size() == list.size()) return std::nullopt;
  const auto onset = seconds_of(times.substr(0, times.find('\x15')));
  if (!onset) return std::nullopt;
  const auto duration = times.find('\x15') == times.npos ? 0 : seconds_of(times.substr(times.find('\x15') + 1));
  for (list.remove_prefix(times.size() + 1); !list.empty();) {
    const auto end = std::min(list.find('\x14'), list.size());
    if (end > 0) events.push_back({*onset, duration.value_or(0), in_utf8(std::string(list.substr(0, end)))});
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return onset;
}

}  // namespace

std::vector<FileEvent> edf_events(const InputFile& file) {
  const AnnotationPlaces found = annotation_places(file);
  std::vector<FileEvent> events;
  std::optional<double> start_s;
  if (found.places.empty()) return events;
  for (auto record = found.first_record; record + found.record_bytes <= file.size(); record += found.record_bytes)
    for (const auto& [begin, size] : found.places) {
      const std::string bytes = file.bytes(record + begin, size);
      for (std::string_view rest = bytes; !rest.empty();) {
        const auto end = std::min(rest.find('\0'), rest.size());
        const auto onset = end > 0 ? add_events(rest.substr(0, end), events) : std::nullopt;
        if (!start_s) start_s = onset;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  for (FileEvent& event : events) event.time_s -= start_s.value_or(0);
  return events;
}

}  // namespace beatscan
