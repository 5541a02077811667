#include "stages/io/arrays/array_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "kernels/runtime/error.h"
#include "kernels/runtime/parallel.h"
#include "stages/common/counted.h"
#include "stages/io/recording/input_file.h"
#include "stages/io/recording/leads.h"

namespace beatscan {
namespace {

constexpr std::int64_t kPieceBytes = 1 << 16;  // fits into the processor's cache

// Reads a number of type T from its bytes in the file.
template <class T>
double number_from(const char* bytes, bool big_endian) {
  char own[sizeof(T)];
  std::memcpy(own, bytes, sizeof(T));
  if (big_endian) std::reverse(own, own + sizeof(T));
  T value;
  std::memcpy(&value, own, sizeof(T));
  return static_cast<double>(value);
}

using Decoder = double (*)(const char*, bool);
Decoder decoder_of(Element element) {
  static constexpr Decoder kDecoders[] = {
      number_from<std::int8_t>,  number_from<std::uint8_t>,  number_from<std::int16_t>, number_from<std::uint16_t>,
      number_from<std::int32_t>, number_from<std::uint32_t>, number_from<std::int64_t>, number_from<std::uint64_t>,
      number_from<float>,        number_from<double>};
  return kDecoders[static_cast<int>(element)];
}

// Reads some leads from the array's first sample to its last.
class ArraySamples {
 public:
  ArraySamples(StoredArray array, std::vector<std::size_t> positions)
      : array_(std::move(array)),
        positions_(std::move(positions)),
        decode_(decoder_of(array_.element)),
        size_(bytes_of(array_.element)) {}

  std::int64_t leads() const { return std::min(array_.rows, array_.columns); }
  std::int64_t samples() const { return std::max(array_.rows, array_.columns); }

  // Threads take pieces of time. Of several that hold an infinite sample the first one's error is thrown.
  void read(LeadBlocks blocks) {
    const std::int64_t count = std::ssize(blocks[0]), piece = std::max<std::int64_t>(kPieceBytes / (size_ * step()), 1);
    run_parts((count + piece - 1) / piece, [&](std::int64_t part) {
      const std::int64_t first = part * piece;
      read_piece(blocks, first, std::min(piece, count - first));
    });
    next_ += count;
  }

 private:
  bool lead_by_lead() const { return (array_.rows <= array_.columns) != array_.column_major; }
  // Returns the elements from one sample of a lead to its next.
  std::int64_t step() const { return lead_by_lead() ? 1 : leads(); }

  void read_piece(LeadBlocks blocks, std::int64_t begin, std::int64_t count) const {
    std::vector<char> bytes(static_cast<std::size_t>(count * step() * size_));
    std::int64_t infinite = count, its_lead = 0;
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      const auto lead = static_cast<std::int64_t>(positions_[i]), sample = next_ + begin;
      if (lead_by_lead() || i == 0) read_bytes(lead_by_lead() ? lead * samples() + sample : sample * leads(), bytes);
      const std::int64_t first =
          decode(bytes, lead_by_lead() ? 0 : lead,
                 blocks[i].subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count)));
      if (first < infinite) infinite = first, its_lead = lead;
    }
    if (infinite < count) fail_infinite(its_lead, next_ + begin + infinite);
  }
  void read_bytes(std::int64_t first_element, std::span<char> bytes) const {
    array_.file->read_all(array_.first_byte + first_element * size_, bytes);
  }
  // Decodes each sample of a lead whose first one is an element of `bytes`. Returns the position of the first value
  // that is infinite in float32; the number of values if none is.
  std::int64_t decode(std::span<const char> bytes, std::int64_t first, std::span<float> values) const {
    const std::int64_t count = std::ssize(values), stride = step() * size_;
    std::int64_t infinite = count;
    for (std::int64_t i = count - 1; i >= 0; --i) {
      values[i] = static_cast<float>(decode_(bytes.data() + first * size_ + i * stride, array_.big_endian));
      if (std::isinf(values[i])) infinite = i;
    }
    return infinite;
  }
  [[noreturn]] void fail_infinite(std::int64_t lead, std::int64_t sample) const {
    fail(ErrorKind::input, array_.file->path().string(),
         "lead " + std::to_string(lead) + ", sample " + std::to_string(sample) +
             ": the value is infinite or beyond float32's range; make it NaN if it is missing");
  }

  const StoredArray array_;
  const std::vector<std::size_t> positions_;
  const Decoder decode_;
  const std::int64_t size_;
  std::int64_t next_ = 0;  // the next sample of each lead
};

// Checks that the file holds the whole array, without a product that may overflow.
void check_size(const StoredArray& array) {
  const std::string path = array.file->path().string();
  const std::int64_t held = std::max<std::int64_t>(array.file->size() - array.first_byte, 0) / bytes_of(array.element);
  if (array.rows > held || array.columns > held / array.rows)
    fail(ErrorKind::input, path,
         "byte " + std::to_string(array.first_byte) + ": is cut off: its array is " + array.shape() +
             ", and the file holds " + counted(held, "number") + "; copy it again");
}

// Returns whether values rise by a constant step, as times do and signals do not.
bool rise_evenly(std::span<const float> values) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double step = static_cast<double>(values[i]) - static_cast<double>(values[i - 1]);
    if (!(step > 0)) return false;  // also if a sample is missing
    least = std::min(least, step);
    most = std::max(most, step);
  }
  // float32 has 24 bits: a step of two values has an error of one part in 2^23 of the larger.
  const double rounding = std::abs(static_cast<double>(values.back())) * 0x1p-22;
  return most - least <= 1e-3 * most + rounding;
}

// Returns which of the array's leads hold times, judged by their first 64 samples.
std::vector<std::uint8_t> leads_of_times(const StoredArray& array, std::size_t leads) {
  constexpr std::size_t kSamples = 64;
  std::vector<std::size_t> all(leads);
  std::iota(all.begin(), all.end(), std::size_t{0});
  ArraySamples samples(array, std::move(all));
  std::vector<std::uint8_t> times(leads);
  if (leads == 1 || samples.samples() < static_cast<std::int64_t>(kSamples)) return times;
  std::vector<std::array<float, kSamples>> values(leads);
  samples.read(std::vector<std::span<float>>(values.begin(), values.end()));
  std::ranges::transform(values, times.begin(), rise_evenly);
  return times;
}

std::vector<std::size_t> leads_to_read(const StoredArray& array, std::int64_t count, const LeadChoice& choice,
                                       std::vector<std::string>& warnings) {
  const std::string path = array.file->path().string();
  if (!choice.is_automatic() && count > (1 << 16))
    fail(ErrorKind::input, path, "its array is " + array.shape() + ": the shorter side is too long for leads");
  std::vector<std::size_t> positions;
  if (!choice.is_automatic()) {
    std::vector<Lead> leads;
    for (std::int64_t i = 0; i < count; ++i) leads.push_back({std::to_string(i), ""});
    return choose_leads(leads, choice, path);
  }
  if (count > static_cast<std::int64_t>(kMostLeads))
    fail(ErrorKind::input, path,
         "its array is " + array.shape() + ": its shorter side would be leads, and there may be " +
             std::to_string(kMostLeads) + "; choose some: --set ingest.leads=0,1");
  const auto times = leads_of_times(array, static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i])
      warnings.push_back("lead " + std::to_string(i) + " rises evenly: it is taken for times and left out; --lead " +
                         std::to_string(i) + " reads it, and --rate HZ sets the rate");
    else
      positions.push_back(i);
  }
  if (positions.empty()) positions.push_back(0);
  if (choice.first_alone) positions.resize(1);
  return positions;
}

}  // namespace

std::optional<double> number_at(std::string_view bytes, std::int64_t byte, Element element, bool big_endian) {
  if (byte < 0 || byte > std::ssize(bytes) - bytes_of(element)) return std::nullopt;
  return decoder_of(element)(bytes.data() + byte, big_endian);
}

std::pair<std::int64_t, std::int64_t> as_matrix(const std::vector<std::int64_t>& shape, const std::string& path) {
  std::vector<std::int64_t> sides;
  std::string text;
  for (const std::int64_t side : shape) {
    text += (text.empty() ? "" : " x ") + std::to_string(side);
    if (side != 1) sides.push_back(side);
  }
  if (std::ranges::any_of(shape, [](std::int64_t side) { return side <= 0; }))
    fail(ErrorKind::input, path, "its array is " + text + ": it holds no samples");
  if (sides.size() > 2)
    fail(ErrorKind::input, path,
         "its array is " + text + ": save one of [samples], [leads, samples] or [samples, leads]");
  if (sides.size() < 2) return {1, sides.empty() ? 1 : sides[0]};
  return {sides[0], sides[1]};
}

SampleSource array_source(const StoredArray& array, const LeadChoice& choice) {
  check_size(array);
  SampleSource source;
  source.path = array.file->path().string();
  source.bytes = array.file->size();
  source.samples = std::max(array.rows, array.columns);
  const std::int64_t count = std::min(array.rows, array.columns);
  const auto positions = leads_to_read(array, count, choice, source.signal.warnings);
  for (std::int64_t i = 0; i < std::min<std::int64_t>(count, 1 << 16); ++i)
    source.signal.names.push_back(std::to_string(i));
  std::vector<Lead> chosen;
  for (const std::size_t position : positions) chosen.push_back({std::to_string(position), ""});
  set_leads(source.signal, std::move(chosen));
  source.signal.no_rate_because = "the file does not specify it";
  const auto samples = std::make_shared<ArraySamples>(array, positions);
  source.read = [samples](LeadBlocks blocks) { samples->read(blocks); };
  return source;
}

}  // namespace beatscan
