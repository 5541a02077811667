// stages/detect/detect.h — finds R peaks where cardiologists mark them. Definition in numpy:
// tests/reference/detection.py.
//
//   envelope    |QRS band of the signal|, smoothed by a Gaussian
//   silence     gaps, and stretches at an end of the amplifier's range, hold no beats: a straight line replaces them
//   level       of a block: the median of the envelope's positive maxima in the blocks around it
//   candidates  local maxima of the envelope; the height of one is its envelope divided by the level there
//   beats       candidates that are high enough and no T wave of a candidate before
//   search      weak beats are searched for in gaps that are long for the rhythm around them; those that are sharper
//               than other beats may be weaker, and nearer to the previous beat
//   noise       beats are rejected by height and neighbours in blocks whose envelope never falls to a noise floor
//   R peak      of a beat: the largest value of a slower band near it
//
// Several leads share one envelope. Each lead is weighted block by block by its signal-to-noise ratio, and is left out
// where it is silent. Lengths are in seconds, so that they mean the same at any sampling rate. Heights are relative, so
// that gain, polarity and offset of the signal do not matter.
#pragma once

#include <span>
#include <vector>

#include "kernels/detect/detect.h"
#include "kernels/runtime/buffer.h"
#include "stages/quality/signal_quality.h"

namespace beatscan {

struct DetectOptions;
struct QualityOptions;

// The envelope of each lead before a second band is blended in, as the largest values of short parts.
template <class Context>
struct EnvelopeProfile {
  std::vector<Buffer<float, Context>> leads;  // [L][P], see kernels/signal/parts.h
  int width = 1;                              // samples of a part

  static constexpr double kPart_s = 0.040;
};

template <class Context>
struct Detection {
  Buffer<double, Context> r_peaks;     // [K] in samples, with fraction, ascending; K may be 0
  std::vector<SignalQuality> quality;  // [L] of each lead
  EnvelopeProfile<Context> profile;
  Buffer<float, Context> envelope;  // [N] that the beats were found in; empty unless DetectRequest::keep_envelope
};

// One lead of a recording, in the context's memory.
struct LeadSignal {
  std::span<const float> samples;  // [N] finite, gaps bridged
  Gaps gaps = {};                  // they hold no beats
};

struct DetectRequest {
  bool keep_envelope = false;            // whether Detection::envelope is wanted
  std::int64_t most_window_samples = 0;  // samples of a window; 0: as many as the memory holds
};

// Finds R peaks in all leads together, and determines each lead's quality. The R peaks of a single lead without noise
// are those of its own envelope. Noise in one of several leads adds no beat.
//   leads  at least one, all of N >= 1 samples
template <class Context>
Detection<Context> detect_r_peaks(Context&, std::span<const LeadSignal> leads, const DetectOptions& options,
                                  const QualityOptions& quality, double sample_rate_hz,
                                  const DetectRequest& request = {});

// Returns the length of a quality block in samples; only the last block may have another.
int quality_block_samples(const DetectOptions& options, double sample_rate_hz);

}  // namespace beatscan
