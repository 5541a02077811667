#include <algorithm>
#include <atomic>
#include <limits>
#include <optional>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/io/wfdb/flac_samples.h"
#include "stages/io/wfdb/packed_samples.h"
#include "stages/io/wfdb/stored_samples.h"
#include "stages/io/wfdb/wfdb_record.h"

namespace beatscan {
namespace {

// Leads whose samples lie in one file of a part and begin in the same frame. They are read together.
struct Group {
  std::vector<std::size_t> leads;
  std::int64_t left = 0;                // samples of each that are still to be read
  std::optional<std::int32_t> missing;  // the stored value that stands for a missing sample
  std::function<void(std::int64_t samples, const TakeStored&)> read;  // reads the next samples as they are stored
};

// Decodes the parts of a record, one after the other.
class WfdbSamples {
 public:
  explicit WfdbSamples(std::shared_ptr<const WfdbRecord> record)
      : record_(std::move(record)), sums_(record_->signal.leads.size()) {}

  void read(LeadBlocks blocks) {
    const auto samples = std::ssize(blocks[0]);
    for (std::int64_t done = 0; done < samples;) {
      if (left_ == 0) begin_part();
      const std::int64_t count = std::min(samples - done, left_);
      std::vector<std::span<float>> pieces;
      for (const auto& block : blocks)
        pieces.push_back(block.subspan(static_cast<std::size_t>(done), static_cast<std::size_t>(count)));
      read_piece(pieces);
      left_ -= count;
      done += count;
      if (left_ == 0) check_sums();
    }
  }

 private:
  const WfdbPart& part() const { return record_->parts[next_ - 1]; }

  void begin_part() {
    const WfdbPart& part = record_->parts[next_++];
    left_ = part.samples;
    groups_.clear();
    std::ranges::fill(sums_, 0u);
    for (std::size_t i = 0; i < part.leads.size(); ++i)
      if (part.leads[i].recorded > 0) group_of(part, part.leads[i]).leads.push_back(i);
    for (auto& group : groups_) open(group);
  }

  // Returns the group that a lead belongs to; makes it if there is none.
  Group& group_of(const WfdbPart& part, const WfdbLeadPart& lead) {
    for (auto& group : groups_)
      if (const auto& first = part.leads[group.leads.front()];
          first.signal.file == lead.signal.file && first.signal.skew == lead.signal.skew)
        return group;
    groups_.push_back({.left = lead.recorded});
    return groups_.back();
  }

  void open(Group& group) {
    const WfdbLeadPart& first = part().leads[group.leads.front()];
    const WfdbSignal& signal = first.signal;
    if (is_flac(signal.format)) {
      group.missing = signal.format == 508 ? -0x80 : signal.format == 516 ? -0x8000 : -0x800000;
      std::vector<int> channels;
      for (const std::size_t i : group.leads) channels.push_back(static_cast<int>(part().leads[i].channel));
      auto flac = std::make_shared<FlacSamples>(first.file.open(), std::move(channels));
      group.read = [flac](std::int64_t samples, const TakeStored& take) { flac->read(samples, take); };
      group.read(signal.offset, ignore_stored);
    } else {
      PackedLayout layout{
          *sample_format(signal.format), signal.offset, first.frame_samples, signal.samples_per_frame, {}};
      for (const std::size_t i : group.leads)
        layout.signals.push_back(
            {part().leads[i].first_in_frame, static_cast<std::int32_t>(part().leads[i].signal.initial)});
      group.missing = layout.format.missing;
      auto packed = std::make_shared<PackedSamples>(first.file.open(), std::move(layout));
      group.read = [packed](std::int64_t samples, const TakeStored& take) { packed->read(samples, take); };
    }
    group.read(signal.skew * signal.samples_per_frame, ignore_stored);
  }

  void read_piece(std::span<const std::span<float>> pieces) {
    constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();
    const auto grouped = [&](std::size_t lead) {
      return std::ranges::any_of(
          groups_, [&](const Group& group) { return std::ranges::find(group.leads, lead) != group.leads.end(); });
    };
    for (std::size_t lead = 0; lead < pieces.size(); ++lead)
      if (!grouped(lead)) std::ranges::fill(pieces[lead], kMissing);
    for (auto& group : groups_) {
      const std::int64_t count = std::min(std::ssize(pieces[0]), group.left);
      group.read(count, [&](std::size_t i, std::int64_t first, std::span<const std::int32_t> codes) {
        const std::size_t lead = group.leads[i];
        decode(lead, group.missing, codes, pieces[lead].data() + first);
      });
      group.left -= count;
      for (const std::size_t lead : group.leads)
        std::ranges::fill(pieces[lead].subspan(static_cast<std::size_t>(count)), kMissing);
    }
  }

  // Makes samples of stored values, and adds these to the lead's sum. The loops have no branches and no checked spans,
  // so that a compiler makes them of several samples at a time.
  void decode(std::size_t lead, std::optional<std::int32_t> missing, std::span<const std::int32_t> codes,
              float* values) {
    const std::int32_t* const code = codes.data();
    const std::size_t count = codes.size();
    const std::int32_t none = missing.value_or(0);
    const double baseline = part().leads[lead].signal.baseline, gain = part().leads[lead].signal.gain;
    std::uint32_t sum = 0, nones = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += static_cast<std::uint32_t>(code[i]);
      nones += static_cast<std::uint32_t>(code[i] == none);
    }
    std::atomic_ref(sums_[lead]) += sum;
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>((code[i] - baseline) / gain);
    if (!missing || nones == 0) return;
    for (std::size_t i = 0; i < count; ++i)
      if (code[i] == none) values[i] = std::numeric_limits<float>::quiet_NaN();
  }

  void check_sums() const {
    for (std::size_t i = 0; i < part().leads.size(); ++i) {
      const WfdbLeadPart& lead = part().leads[i];
      if (lead.recorded == 0 || !lead.signal.checksum || lead.signal.skew > 0) continue;
      if (const auto sum = static_cast<int>(sums_[i] & 0xffff); sum != *lead.signal.checksum)
        fail(ErrorKind::input, lead.file.path.string(),
             "is damaged: the sum of signal '" + lead.signal.name + "' is " + std::to_string(sum) +
                 " and its checksum " + std::to_string(*lead.signal.checksum) + " (modulo 65536); copy it again");
    }
  }

  std::shared_ptr<const WfdbRecord> record_;
  std::size_t next_ = 0;             // index of the part after the one being read
  std::int64_t left_ = 0;            // samples that are left of the part being read
  std::vector<Group> groups_;        // the leads that it has
  std::vector<std::uint32_t> sums_;  // sum of each lead's stored samples so far, in this part
};

}  // namespace

SampleSource source_of(std::shared_ptr<const WfdbRecord> record) {
  auto samples = std::make_shared<WfdbSamples>(record);
  return {record->signal, record->path.string(), record->samples, record->bytes,
          [samples](LeadBlocks blocks) { samples->read(blocks); }};
}

}  // namespace beatscan
