#include "stages/io/recording/sample_source.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "kernels/runtime/upload.h"
#include "kernels/signal/gaps.h"

namespace beatscan {
namespace {

constexpr std::int64_t kBlockSamples = 4 << 20;  // of all leads together

std::span<const char> as_text(std::span<const float> block) {
  return {reinterpret_cast<const char*>(block.data()), block.size_bytes()};
}

// Copies samples to the context through two blocks of page-locked memory: one is filled while the other is copied. A
// block holds a piece of each lead, one after the other.
template <class Context>
class BlockWriter {
 public:
  // All targets have one length.
  BlockWriter(Context& context, std::vector<std::span<float>> targets)
      : context_(context),
        targets_(std::move(targets)),
        piece_(std::min(kBlockSamples / targets_.size(), targets_[0].size())),
        staging_(context.staging(std::bit_ceil(2 * block_bytes()))),  // few sizes: a larger one takes time to lock
        upload_(context, static_cast<std::int64_t>(block_bytes())) {}

  // Returns the piece of each lead to fill next. They are valid until the next call.
  LeadBlocks next() {
    const std::size_t leads = targets_.size(), size = std::min(piece_, targets_[0].size() - begun_);
    auto* const block = reinterpret_cast<float*>(staging_.data() + started_ % 2 * block_bytes());
    pieces_.clear();
    for (std::size_t lead = 0; lead < leads; ++lead) pieces_.emplace_back(block + lead * size, size);
    return pieces_;
  }
  // Starts to copy the block that next() returned and that is filled now.
  void write() {
    const std::size_t size = pieces_[0].size();
    upload_.start(as_text({pieces_[0].data(), size * pieces_.size()}));
    begun_ += size;
    if (++started_ > 1) finish();
  }
  // Waits for the copy that was started longest ago.
  void finish() {
    const auto text = upload_.finish();
    const std::size_t bytes = text.size() / targets_.size();
    for (std::size_t lead = 0; lead < targets_.size(); ++lead)
      copy_bytes(context_, text.data() + lead * bytes, targets_[lead].data() + done_, bytes);
    done_ += bytes / sizeof(float);
  }

 private:
  std::size_t block_bytes() const { return targets_.size() * piece_ * sizeof(float); }

  Context& context_;
  const std::vector<std::span<float>> targets_;
  const std::size_t piece_;  // samples of a lead in a block
  std::span<char> staging_;
  Upload<Context> upload_;
  std::vector<std::span<float>> pieces_;
  std::size_t started_ = 0;           // blocks whose copy has been started
  std::size_t begun_ = 0, done_ = 0;  // samples of each lead whose copy has been started, and has ended
};

// Reads all samples into leads of sufficient size.
template <class Context>
void read_into(Context& context, const SampleSource& source, const BytesReport& on_bytes,
               std::vector<RecordedLead<Context>>& leads) {
  std::vector<std::span<float>> targets;
  for (auto& lead : leads) targets.push_back(lead.samples.span());
  BlockWriter<Context> writer(context, std::move(targets));
  for (std::int64_t done = 0; done < source.samples;) {
    const auto blocks = writer.next();
    source.read(blocks);
    done += std::ssize(blocks[0]);
    writer.write();
    const double share = static_cast<double>(done) / static_cast<double>(source.samples);
    if (on_bytes) on_bytes(static_cast<std::int64_t>(share * static_cast<double>(source.bytes)), source.bytes);
  }
  writer.finish();
  for (auto& lead : leads) lead.missing = count_missing(context, lead.samples);
}

}  // namespace

template <class Context>
Recording<Context> read_samples(Context& context, const SampleSource& source, const BytesReport& on_bytes) {
  auto recording = without_samples<Context>(source.signal, source.bytes);
  for (auto& lead : recording.leads) lead.samples = Buffer<float, Context>(context, source.samples);
  if (source.samples > 0) read_into(context, source, on_bytes, recording.leads);
  bridge_and_measure(context, recording, source.path);
  return recording;
}

#define BEATSCAN_READ_SAMPLES(Context) \
  template Recording<Context> read_samples(Context&, const SampleSource&, const BytesReport&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_READ_SAMPLES)

}  // namespace beatscan
