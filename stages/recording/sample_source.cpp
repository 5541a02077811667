#include "stages/recording/sample_source.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/runtime/upload.h"

namespace beatscan {
namespace {

constexpr std::int64_t kBlockSamples = 256 << 10;

std::span<const char> as_text(std::span<const float> block) {
  return {reinterpret_cast<const char*>(block.data()), block.size_bytes()};
}

// Copies samples to the context through two blocks of page-locked memory: one is filled while the other is copied.
template <class Context>
class BlockWriter {
 public:
  BlockWriter(Context& context, std::span<float> target)
      : context_(context),
        target_(target),
        staging_(context.staging(2 * kBlockSamples * sizeof(float))),
        upload_(context, kBlockSamples * static_cast<std::int64_t>(sizeof(float))) {}

  // Returns the block to fill next.
  std::span<float> next() {
    const auto size = std::min<std::size_t>(kBlockSamples, target_.size() - begun_);
    return {reinterpret_cast<float*>(staging_.data()) + started_ % 2 * kBlockSamples, size};
  }
  // Starts to copy the block that next() returned and that is filled now.
  void write(std::span<const float> block) {
    upload_.start(as_text(block));
    begun_ += block.size();
    if (++started_ > 1) finish();
  }
  // Waits for the copy that was started longest ago.
  void finish() {
    const auto text = upload_.finish();
    copy_bytes(context_, text.data(), target_.data() + done_, text.size());
    done_ += text.size() / sizeof(float);
  }

 private:
  Context& context_;
  std::span<float> target_;
  std::span<char> staging_;
  Upload<Context> upload_;
  std::int64_t started_ = 0;          // blocks whose copy has been started
  std::size_t begun_ = 0, done_ = 0;  // samples whose copy has been started, and has ended
};

}  // namespace

template <class Context>
Recording<Context> read_samples(Context& context, const SampleSource& source, const BytesReport& on_bytes) {
  auto recording = with_one_lead<Context>({.name = source.signal.name, .unit = source.signal.unit});
  recording.signal = source.signal;
  recording.bytes = source.bytes;
  auto& lead = recording.leads.front();
  lead.samples = Buffer<float, Context>(context, source.samples);
  if (source.samples > 0) {
    BlockWriter<Context> writer(context, lead.samples);
    std::int64_t done = 0;
    while (done < source.samples) {
      const auto block = writer.next();
      source.read(block);
      lead.missing += std::ranges::count_if(block, [](float value) { return std::isnan(value); });
      writer.write(block);
      done += std::ssize(block);
      const double share = static_cast<double>(done) / static_cast<double>(source.samples);
      if (on_bytes) on_bytes(static_cast<std::int64_t>(share * static_cast<double>(source.bytes)), source.bytes);
    }
    writer.finish();
  }
  bridge_and_measure(context, recording, source.path);
  return recording;
}

#define BEATSCAN_READ_SAMPLES(Context) \
  template Recording<Context> read_samples(Context&, const SampleSource&, const BytesReport&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_READ_SAMPLES)

}  // namespace beatscan
