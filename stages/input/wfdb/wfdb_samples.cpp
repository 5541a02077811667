#include <algorithm>
#include <limits>

#include "kernels/runtime/error.h"
#include "stages/input/wfdb/flac_samples.h"
#include "stages/input/wfdb/packed_samples.h"
#include "stages/input/wfdb/wfdb_record.h"

namespace beatscan {
namespace {

// Decodes the parts of a record, one after the other.
class WfdbSamples {
 public:
  explicit WfdbSamples(std::shared_ptr<const WfdbRecord> record) : record_(std::move(record)) {}

  void read(std::span<float> values) {
    while (!values.empty()) {
      if (left_ == 0) begin_part();
      const auto block = values.first(
          static_cast<std::size_t>(std::min({std::ssize(values), left_, static_cast<std::int64_t>(kBlock)})));
      if (part().file.path.empty())
        std::ranges::fill(block, std::numeric_limits<float>::quiet_NaN());
      else
        decode(block);
      left_ -= std::ssize(block);
      values = values.subspan(block.size());
      if (left_ == 0) check_sum();
    }
  }

 private:
  static constexpr std::int64_t kNone = INT64_MAX;  // a value that no sample has
  static constexpr std::size_t kBlock = 1 << 14;    // so few samples stay in the cache
  const WfdbPart& part() const { return record_->parts[next_ - 1]; }

  void begin_part() {
    const WfdbPart& part = record_->parts[next_++];
    left_ = part.samples;
    sum_ = 0;
    if (part.file.path.empty()) return;
    const WfdbSignal& signal = part.signal;
    if (is_flac(signal.format)) {
      missing_ = signal.format == 508 ? -0x80 : signal.format == 516 ? -0x8000 : -0x800000;
      auto flac = std::make_shared<FlacSamples>(part.file.open(), static_cast<int>(part.channel));
      stored_ = [flac](std::span<std::int32_t> values) { flac->read(values); };
      skip(signal.offset);
    } else {
      const SampleFormat format = *sample_format(signal.format);
      missing_ = format.missing.value_or(kNone);
      auto packed = std::make_shared<PackedSamples>(
          part.file.open(), PackedLayout{format, signal.offset, part.frame_samples, part.first_in_frame,
                                         signal.samples_per_frame, static_cast<std::int32_t>(signal.initial)});
      stored_ = [packed](std::span<std::int32_t> values) { packed->read(values); };
    }
    skip(signal.skew * signal.samples_per_frame);
  }

  void skip(std::int64_t samples) {
    for (; samples > 0; samples -= static_cast<std::int64_t>(kBlock))
      stored_(std::span(codes_).first(static_cast<std::size_t>(std::min<std::int64_t>(samples, kBlock))));
  }

  void decode(std::span<float> values) {
    const auto codes = std::span(codes_).first(values.size());
    stored_(codes);
    for (const std::int32_t code : codes) sum_ += static_cast<std::uint32_t>(code);
    const double baseline = part().signal.baseline, gain = part().signal.gain;
    const std::int64_t missing = missing_;
    for (std::size_t i = 0; i < codes.size(); ++i)
      values[i] = codes[i] == missing ? std::numeric_limits<float>::quiet_NaN()
                                      : static_cast<float>((codes[i] - baseline) / gain);
  }

  void check_sum() const {
    const WfdbPart& part = this->part();
    if (part.file.path.empty() || !part.signal.checksum || part.signal.skew > 0) return;
    if (const auto sum = static_cast<int>(sum_ & 0xffff); sum != *part.signal.checksum)
      fail(ErrorKind::input, part.file.path.string(),
           "is damaged: the sum of signal '" + part.signal.name + "' is " + std::to_string(sum) + " and its checksum " +
               std::to_string(*part.signal.checksum) + " (modulo 65536)");
  }

  std::shared_ptr<const WfdbRecord> record_;
  std::size_t next_ = 0;                                 // index of the part behind the one being read
  std::int64_t left_ = 0;                                // samples that are left of the part being read
  std::uint32_t sum_ = 0;                                // sum of its stored samples so far
  std::int64_t missing_ = kNone;                         // the stored value that stands for a missing sample
  std::function<void(std::span<std::int32_t>)> stored_;  // reads the part's next samples as they are stored
  std::vector<std::int32_t> codes_ = std::vector<std::int32_t>(kBlock);
};

}  // namespace

SampleSource source_of(std::shared_ptr<const WfdbRecord> record) {
  auto samples = std::make_shared<WfdbSamples>(record);
  return {record->signal, record->path.string(), record->samples, record->bytes,
          [samples](std::span<float> values) { samples->read(values); }};
}

}  // namespace beatscan
