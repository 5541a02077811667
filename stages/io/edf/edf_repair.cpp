#include "stages/io/edf/edf_repair.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/runtime/error.h"
#include "stages/common/counted.h"
#include "stages/common/from_chars.h"
#include "stages/common/number_text.h"
#include "stages/common/one_line.h"
#include "stages/common/utf8.h"
#include "stages/io/edf/edf_header.h"
#include "stages/io/edf/edf_records.h"
#include "stages/io/recording/temporary_file.h"

namespace beatscan {
namespace {

constexpr std::size_t kMostNamed = 6;  // faults in one warning
constexpr std::int64_t kMostSignals = 640;

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

// Returns a number in a field that may have a decimal comma and zero bytes; nothing for other text.
std::optional<double> number_in(std::string field) {
  std::ranges::replace(field, ',', '.');
  std::ranges::replace(field, '\0', ' ');
  std::string_view text = trimmed_field(field);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  return is_number ? std::optional(value) : std::nullopt;
}

// Returns the shortest text of a number that fits into eight characters.
std::string in_eight_characters(double value) {
  for (int digits = 8; digits > 0; --digits)
    if (auto text = number_text(value, digits); text.size() <= 8 && text.find('e') == text.npos) return text;
  return "";
}

// The fields of a signal, which stand field by field for all signals.
enum Field { label, transducer, unit, physical_min, physical_max, digital_min, digital_max, filter, samples, reserved };
constexpr std::size_t kWidths[] = {16, 80, 8, 8, 8, 8, 8, 80, 8, 32};
constexpr std::string_view kNames[] = {
    "label",           "transducer",      "unit",         "physical minimum",   "physical maximum",
    "digital minimum", "digital maximum", "prefiltering", "samples per record", "reserved field"};

struct Signal {
  std::string fields[10];
  std::string name() const { return std::string(trimmed_field(fields[label])); }
};

// Corrects a header field by field, and remembers the fields with faults.
class Repair {
 public:
  explicit Repair(const InputFile& file) : file_(file), head_(file.bytes(0, kEdfHeaderBytes)) {}

  RepairedEdf run() {
    result_.is_plus = is_plus_ = head_.substr(193, 3) == "DF+";
    const bool has_interruptions = head_.substr(192, 5).ends_with("+D");
    read_signals();
    correct_start();
    set(192, 44, "");
    std::int64_t record_bytes = 0;
    for (Signal& signal : signals_) record_bytes += correct(signal);
    correct_numbers(record_bytes);
    if (has_interruptions) result_.onsets_s = record_onsets(file_, records_);
    write(record_bytes);
    if (!faults_.empty()) result_.warnings.insert(result_.warnings.begin(), words());
    return std::move(result_);
  }

 private:
  std::string at(std::size_t begin, std::size_t size) const { return head_.substr(begin, size); }
  void set(std::size_t begin, std::size_t size, std::string text) {
    text.resize(size, ' ');
    head_.replace(begin, size, text);
  }
  void add_fault(const std::string& field, std::string_view value) {
    faults_.push_back(field + " '" + in_one_line(in_utf8(std::string(trimmed_field(value)))) + "'");
  }
  [[noreturn]] void refuse(const std::string& field, std::string_view value) const {
    fail(ErrorKind::input, file_.path().string(),
         "header: " + field + " '" + in_one_line(std::string(trimmed_field(value))) +
             "' is not what EDF specifies, and nothing else gives it; EDFbrowser repairs such files");
  }

  void read_signals() {
    std::optional<std::int64_t> count = whole_number(at(252, 4));
    const std::optional<std::int64_t> bytes = whole_number(at(184, 8));
    if (!count && bytes && *bytes % kEdfHeaderBytes == 0) {
      add_fault("number of signals", at(252, 4));
      count = *bytes / kEdfHeaderBytes - 1;
    }
    if (!count || *count < 1 || *count > kMostSignals) refuse("number of signals", at(252, 4));
    if (bytes != kEdfHeaderBytes * (*count + 1)) add_fault("number of bytes", at(184, 8));
    first_sample_ = kEdfHeaderBytes * (*count + 1);
    const std::string fields = file_.bytes(kEdfHeaderBytes, kEdfHeaderBytes * *count);
    signals_.resize(static_cast<std::size_t>(*count));
    std::size_t place = 0;
    for (int field = label; field <= reserved; ++field)
      for (Signal& signal : signals_) {
        signal.fields[field] = fields.substr(std::min(place, fields.size()), kWidths[field]);
        signal.fields[field].resize(kWidths[field], ' ');
        place += kWidths[field];
      }
  }

  // Corrects date and time. A plain file has no subfields in the names of patient and recording, so these are left out.
  void correct_start() {
    for (const auto& [begin, what] : {std::pair{8, "patient"}, std::pair{88, "recording"}}) {
      if (const auto text = at(begin, 80); !std::ranges::all_of(text, is_printable)) add_fault(what, text);
      set(begin, 80, "X");
    }
    const auto correct = [&](std::size_t begin, const char* what, int first_most, int second_most, int third_most,
                             const char* unknown) {
      const std::string text = at(begin, 8);
      std::string digits;
      for (const std::size_t i : {0, 1, 3, 4, 6, 7}) digits += text[i] == ' ' ? '0' : text[i];
      int numbers[3] = {-1, -1, -1};
      if (std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
        for (std::size_t i = 0; i < 3; ++i) numbers[i] = 10 * (digits[2 * i] - '0') + digits[2 * i + 1] - '0';
      const bool good = numbers[0] >= 0 && numbers[0] <= first_most && numbers[1] <= second_most &&
                        numbers[2] <= third_most &&
                        (unknown[0] != '0' || unknown[1] != '1' || (numbers[0] > 0 && numbers[1] > 0));
      const std::string right =
          good ? digits.substr(0, 2) + "." + digits.substr(2, 2) + "." + digits.substr(4, 2) : std::string(unknown);
      if (right != text) add_fault(what, text);
      if (!good) result_.warnings.push_back(std::string("the header's ") + what + " is not one: the start is unknown");
      set(begin, 8, right);
    };
    correct(168, "start date", 31, 12, 99, "01.01.85");
    correct(176, "start time", 23, 59, 59, "00.00.00");
  }

  // Corrects the text and the numbers of a signal. Returns its bytes in a data record.
  std::int64_t correct(Signal& signal) {
    auto& fields = signal.fields;
    const std::string name = signal.name();
    const auto of_signal = [&](Field field) {
      return std::string(kNames[field]) + " of signal '" + in_one_line(in_utf8(name)) + "'";
    };
    const auto size = number_in(fields[samples]);
    if (!size || *size < 0 || *size > 1e8 || *size != std::floor(*size)) refuse(of_signal(samples), fields[samples]);
    const bool is_annotations = is_plus_ && name.ends_with("DF Annotations");
    Lead lead{in_utf8(name), in_utf8(std::string(trimmed_field(fields[unit])))};
    for (const Field field : {label, transducer, unit, filter, reserved}) {
      if (!std::ranges::all_of(fields[field], is_printable)) add_fault(of_signal(field), fields[field]);
      if (field == unit && with_u(fields[unit])) lead.unit = "\xc2\xb5V";
      std::ranges::replace_if(fields[field], std::not_fn(is_printable), '?');
    }
    if (is_annotations) fields[label] = "Annotations     ";
    std::string dead;
    if (*size > 0) dead = is_annotations ? scale_of_annotations(signal) : corrected_scale(signal, of_signal);
    if (!dead.empty())
      result_.warnings.push_back("signal '" + in_one_line(lead.name) + "' has no scale and is left out: " + dead);
    if (*size == 0)
      result_.warnings.push_back("signal '" + in_one_line(lead.name) + "' has no samples; it is passed over");
    if (const auto text = in_eight_characters(*size); trimmed_field(fields[samples]) != text) {
      add_fault(of_signal(samples), fields[samples]);
      fields[samples] = text;
    }
    if (*size > 0) {
      result_.leads.push_back(std::move(lead));
      result_.is_annotations.push_back(is_annotations);
      result_.dead.push_back(std::move(dead));
    }
    return static_cast<std::int64_t>(*size) * edf_sample_bytes(head_);
  }

  // Replaces the micro sign of a unit; returns whether it has one.
  static bool with_u(std::string& text) {
    for (const std::string_view micro : {"\xc2\xb5", "\xce\xbc", "\xb5"})
      if (const auto place = text.find(micro); place != text.npos) {
        text.replace(place, micro.size(), "u");
        text.resize(kWidths[unit], ' ');
        return true;
      }
    return false;
  }

  std::string scale_of_annotations(Signal& signal) {
    signal.fields[physical_min] = "-1";
    signal.fields[physical_max] = "1";
    set_digital(signal);
    return "";
  }

  void set_digital(Signal& signal) const {
    signal.fields[digital_min] = edf_sample_bytes(head_) == 2 ? "-32768" : "-8388608";
    signal.fields[digital_max] = edf_sample_bytes(head_) == 2 ? "32767" : "8388607";
  }

  // Corrects the four limits of a signal. Returns why it has no scale, or nothing.
  template <class OfSignal>
  std::string corrected_scale(Signal& signal, const OfSignal& of_signal) {
    auto& fields = signal.fields;
    std::string dead;
    for (const Field field : {physical_min, physical_max, digital_min, digital_max}) {
      const auto value = number_in(fields[field]);
      const bool is_digital = field == digital_min || field == digital_max;
      if (!value || (is_digital && *value != std::round(*value))) {
        dead = "its " + std::string(kNames[field]) + " is no number";
        add_fault(of_signal(field), fields[field]);
        continue;
      }
      const std::string text(trimmed_field(fields[field]));
      const bool may_have_point = field == physical_min || field == physical_max;
      if (std::ranges::all_of(text, decimal_or_sign) && !fields[field].starts_with(' ') &&
          (may_have_point || text.find('.') == text.npos))
        continue;
      add_fault(of_signal(field), fields[field]);
      fields[field] = in_eight_characters(*value);
    }
    const auto value_of = [&](Field field) { return number_in(fields[field]).value_or(0); };
    if (dead.empty() && value_of(digital_min) == value_of(digital_max))
      dead = "its digital minimum and maximum are equal";
    if (dead.empty() && value_of(physical_min) == value_of(physical_max))
      dead = "its physical minimum and maximum are equal";
    if (!dead.empty()) {
      scale_of_annotations(signal);
    } else if (value_of(digital_min) > value_of(digital_max)) {
      add_fault(of_signal(digital_min), fields[digital_min]);
      std::swap(fields[digital_min], fields[digital_max]);
      std::swap(fields[physical_min], fields[physical_max]);
    }
    return dead;
  }
  static bool decimal_or_sign(char c) {
    return (c >= '0' && c <= '9') || std::string_view("-+.eE").find(c) != std::string_view::npos;
  }

  void correct_numbers(std::int64_t record_bytes) {
    const auto duration = number_in(at(244, 8));
    if (!duration || *duration < 0) refuse("duration of a data record", at(244, 8));
    if (const auto text = in_eight_characters(*duration); number_in(text) != duration) refuse("duration", at(244, 8));
    const std::string written(trimmed_field(at(244, 8)));
    if (!std::ranges::all_of(written, decimal_or_sign) || written.find_first_of("eE") != written.npos) {
      add_fault("duration of a data record", at(244, 8));
      set(244, 8, in_eight_characters(*duration));
    }
    if (record_bytes == 0) fail(ErrorKind::input, file_.path().string(), "header: no signal has samples");
    const auto records = number_in(at(236, 8));
    const std::int64_t there = (file_.size() - first_sample_) / record_bytes;
    records_ = records && *records > 0 ? static_cast<std::int64_t>(*records) : there;
    if (records_ != there || !records || *records <= 0) {
      if (records && *records > 0)
        fail(ErrorKind::input, file_.path().string(),
             "has " + counted(there, "data record") + " and " + std::to_string(records_) +
                 " by its header; copy it again, or repair it with EDFbrowser");
      add_fault("number of data records", at(236, 8));
      result_.warnings.push_back(
          "the header does not say how many data records there are, as of a file that was not "
          "finished: all " +
          std::to_string(there) + " that are there are read");
    }
    set(236, 8, std::to_string(records_));
    if (records_ < 1) fail(ErrorKind::input, file_.path().string(), "has no data record");
  }

  // Writes the copy.
  void write(std::int64_t record_bytes) {
    std::erase_if(signals_, [](const Signal& signal) { return number_in(signal.fields[samples]) == 0.0; });
    const auto count = std::ssize(signals_);
    set(184, 8, std::to_string(kEdfHeaderBytes * (count + 1)));
    set(252, 4, std::to_string(count));
    TemporaryFile copy;
    std::string header = head_;
    for (int field = label; field <= reserved; ++field)
      for (Signal& signal : signals_) {
        signal.fields[field].resize(kWidths[field], ' ');
        header += signal.fields[field];
      }
    copy.append(header);
    std::vector<char> block(1 << 20);
    for (std::int64_t done = 0, all = records_ * record_bytes; done < all;) {
      const auto size = static_cast<std::size_t>(std::min(all - done, std::ssize(block)));
      file_.read_all(first_sample_ + done, std::span(block).first(size));
      copy.append(std::span(block).first(size));
      done += static_cast<std::int64_t>(size);
    }
    result_.file = std::make_shared<const InputFile>(copy.take(file_.path()));
  }

  std::string words() const {
    std::string text = "the header has " + counted(std::ssize(faults_), "field") + " that " +
                       by_count(std::ssize(faults_), "does", "do") + " not follow EDF's specification: ";
    for (std::size_t i = 0; i < std::min(faults_.size(), kMostNamed); ++i) text += (i > 0 ? ", " : "") + faults_[i];
    return text + (faults_.size() > kMostNamed ? ", and more" : "");
  }

  const InputFile& file_;
  std::string head_;
  bool is_plus_ = false;
  std::int64_t first_sample_ = 0, records_ = 0;
  std::vector<Signal> signals_;
  std::vector<std::string> faults_;
  RepairedEdf result_;
};

}  // namespace

RepairedEdf repaired_edf(const InputFile& file) { return Repair(file).run(); }

}  // namespace beatscan
