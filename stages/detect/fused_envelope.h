// stages/detect/fused_envelope.h — the envelope of a lead, in which R peaks are searched, and that of all leads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kernels/detect/fuse_leads.h"
#include "kernels/runtime/buffer.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

struct EnvelopeRequest;
template <class Context>
struct SearchedLead;

// The envelope of a band of the signal, whose peaks are beats: |band-passed signal|, smoothed. It is computed as a
// whole if memory allows, else in overlapping windows, with the same bits.

struct EnvelopeFilters {
  std::vector<double> band, smooth;  // taps of the two filters; both have an odd number and are symmetric
};

// Returns the envelope of the wanted stretch of the signal.
template <class Context>
Buffer<float, Context> envelope_part(Context&, std::span<const float> signal, const EnvelopeFilters& filters,
                                     Stretch wanted);

// Divides a recording into windows. Each sample belongs to one window; a window also holds margins.
struct WindowLayout {
  std::int64_t samples;        // samples of the recording
  std::int64_t block, blocks;  // samples of a block of the local level, and number of blocks; the last takes the rest
  std::int64_t window_blocks;  // blocks of every window but the last; a multiple of 32, so windows begin with a word
  std::int64_t margin;         // samples that a window holds beyond its own on either side; a multiple of 32

  std::int64_t windows() const { return (blocks + window_blocks - 1) / window_blocks; }
  Stretch blocks_of(std::int64_t window) const;
  Stretch own(std::int64_t window) const;   // the window's own samples
  Stretch held(std::int64_t window) const;  // its own samples and the margins
};

// Lays out windows of at most `most_samples` samples, and of at least 32 blocks.
WindowLayout window_layout(std::int64_t samples, std::int64_t block, std::int64_t blocks, std::int64_t margin,
                           std::int64_t most_samples);

// Computes an envelope window by window, and keeps the window that was requested last.
template <class Context>
class EnvelopeWindows {
 public:
  // Returns a stretch of the envelope.
  using Make = std::function<Buffer<float, Context>(Stretch)>;

  EnvelopeWindows(const WindowLayout& layout, Make make) : layout_(layout), make_(std::move(make)) {}

  const WindowLayout& layout() const { return layout_; }
  // Returns the envelope of the samples that the window holds.
  SignalPart held(std::int64_t window);
  // Returns the envelope of the window's own samples.
  std::span<const float> own(std::int64_t window);
  // Hands over the whole envelope. The layout must have one window, which must have been requested.
  Buffer<float, Context> take() {
    window_ = -1;
    return std::move(values_);
  }
  // Frees the window that is kept.
  void forget() { take(); }

 private:
  WindowLayout layout_;
  Make make_;
  std::int64_t window_ = -1;  // the window that values_ holds
  Buffer<float, Context> values_;
};

// Returns the largest window, in samples, that fits into the context's memory.
template <class Context>
std::int64_t roomy_window_samples(const Context& context);

// The leads' shares in their common envelope.
template <class Context>
struct FusedLeads {
  Buffer<float, Context> weights;      // [L][B]; they add up to 1, or to 0 where no lead moves
  Buffer<float, Context> levels;       // [L][B]
  Buffer<float, Context> heard_still;  // [L][B] see Silence
  std::int64_t reference = 0;          // the lead of the largest mean weight
  bool any_silent = false;             // whether any lead is silent anywhere
};
// Computes the weights of the leads. A lead that may be no ECG hardly counts if another one may be an ECG.
template <class Context>
FusedLeads<Context> weigh_leads(Context& context, const std::vector<SearchedLead<Context>>& leads,
                                const EnvelopeRequest& request);

// Returns a lead's part.
template <class Context>
WeightedLevels share_of(const FusedLeads<Context>& fused, const std::vector<SearchedLead<Context>>& leads,
                        std::int64_t lead, const EnvelopeRequest& request);

// Computes the common envelope of all leads.
template <class Context>
typename EnvelopeWindows<Context>::Make fused_envelope(Context& context,
                                                       const std::vector<SearchedLead<Context>>& leads,
                                                       const FusedLeads<Context>& fused,
                                                       const EnvelopeRequest& request);

// Returns how much each lead counts at some samples, [L][C]; the sum over the leads is 1.
template <class Context>
Buffer<float, Context> shares_at(Context& context, const Buffer<std::int64_t, Context>& at,
                                 const std::vector<SearchedLead<Context>>& leads, const FusedLeads<Context>& fused,
                                 const EnvelopeRequest& request);

}  // namespace beatscan
