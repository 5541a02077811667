// stages/beats/beat_list.h — beats before they are rows: where they are, and whether they can be trusted.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/beats/beats.h"
#include "kernels/runtime/buffer.h"
#include "stages/beats/detect.h"
#include "stages/recording/recording.h"

namespace beatscan {

// The same beats as one of several leads has them.
template <class Context>
struct LeadBeats {
  Buffer<std::uint8_t, Context> present;  // [K] the lead has signal where the row is
  Buffer<std::uint8_t, Context> trusted;  // [K] present, and in good signal
};

// Beats in the context's memory. What is said of them holds if it holds in any lead.
template <class Context>
struct BeatBuffers {
  Buffer<double, Context> r_peaks;        // [K] samples
  Buffer<Quality, Context> quality;       // [K] of the block of signal that the R peak is in
  Buffer<Fate, Context> fates;            // [K] in_gap where the row touches a gap that is not bridged, else kept
  Buffer<std::uint8_t, Context> trusted;  // [K] kept, and in signal that is no worse than worst_trusted
  Buffer<std::uint8_t, Context> broken;   // [K - 1] between this R peak and the next is a gap that is not bridged or a
                                          // flat stretch
  std::vector<LeadBeats<Context>> leads = {};  // [L]; none where one judgement is for all leads
};

// The same beats on the host.
struct BeatList {
  std::vector<double> r_peaks;
  std::vector<Quality> quality;
  std::vector<Fate> fates;
  std::vector<std::uint8_t> trusted, broken;
};

template <class Context>
BeatList to_host(Context& context, const BeatBuffers<Context>& beats) {
  BeatList list;
  std::tie(list.r_peaks, list.quality, list.fates, list.trusted, list.broken) =
      to_hosts(context, beats.r_peaks, beats.quality, beats.fates, beats.trusted, beats.broken);
  return list;
}

// Seconds that a row covers before and behind its R peak.
struct RowReach {
  double before_s, after_s;
};

// Trusted beats are in good signal, if there are two of them. Otherwise beats in noise are trusted too, and if these
// are too few, those in clipped signal as well.
template <class Context>
struct FoundBeats {
  BeatBuffers<Context> beats;
  SignalQuality quality;
  Quality worst_trusted = Quality::good;  // the worst signal whose beats are trusted
};

// Judges the R peaks of a detection, and marks the blocks of missing samples in its quality. A gap of up to `bridge_s`
// drops no beat and breaks no interval.
template <class Context>
FoundBeats<Context> list_beats(Context&, const Recording<Context>& recording, Detection<Context> detection,
                               RowReach reach, double bridge_s, double sample_rate_hz);

}  // namespace beatscan
