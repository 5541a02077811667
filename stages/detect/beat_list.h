// stages/detect/beat_list.h — detected beats, on the device and as a list on the host.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "kernels/detect/quality_class.h"
#include "kernels/runtime/buffer.h"
#include "stages/detect/detect.h"
#include "stages/quality/quality_at.h"

namespace beatscan {

struct QualityIndex;
template <class Context>
struct Recording;

// The same beats on the host.
struct BeatList {
  std::vector<double> r_peaks;
  std::vector<Quality> quality;
  std::vector<Outcome> outcomes;
  std::vector<std::uint8_t> trusted, broken;
};

// The judgements of K beats, in one lead or in all.
template <class Context>
struct JudgedBeats {
  Buffer<Quality, Context> quality;       // [K] of the block of signal that the R peak is in
  Buffer<Outcome, Context> outcomes;      // [K] in_gap where the row touches a gap that is not bridged, else kept
  Buffer<std::uint8_t, Context> trusted;  // [K] kept, and in signal that is no worse than worst_trusted
  Buffer<std::uint8_t, Context> broken;   // [K - 1] between this R peak and the next is a gap that is not bridged or a
                                          // flat stretch
  Buffer<std::uint8_t, Context> clear = {};  // [K - 1] see BeatJudgement; for several leads only
};

// Beats in the context's memory. A beat is kept, and in good signal, if that is true in any lead that counts.
// settle_intervals determines which RR intervals are invalid. A lead counts if it has at least two trusted beats, in
// signal as poor as necessary, and may be an ECG. If no lead may be an ECG, that condition does not apply. A beat is
// trusted if it is trusted in a lead whose own worst trusted signal is no worse than worst_trusted.
template <class Context>
struct BeatBuffers : JudgedBeats<Context> {
  Buffer<double, Context> r_peaks;  // [K] samples
  // [L] the judgement in each lead, without items for a lead that does not count; empty if there is only one lead
  std::vector<JudgedBeats<Context>> leads = {};
  // [K - 1] 1 where a long interval is a pause; empty: every long interval that is known may be a pause
  Buffer<std::uint8_t, Context> pauses = {};
};

template <class Context>
BeatList to_host(Context& context, const BeatBuffers<Context>& beats) {
  BeatList list;
  std::tie(list.r_peaks, list.quality, list.outcomes, list.trusted, list.broken) =
      to_hosts(context, beats.r_peaks, beats.quality, beats.outcomes, beats.trusted, beats.broken);
  return list;
}

// Updates beats in blocks that are no longer noisy, such as those in a pause of the heart: they are in good signal, and
// trusted if they are kept.
template <class Context>
void renew_quality(Context& context, const SignalQuality& quality, BeatBuffers<Context>& beats, BeatList& list) {
  bool changes = false;
  for (std::size_t i = 0; i < list.r_peaks.size(); ++i) {
    if (list.quality[i] != Quality::noisy || quality_at(quality, list.r_peaks[i]) != Quality::good) continue;
    changes = true;
    list.quality[i] = Quality::good;
    list.trusted[i] |= list.outcomes[i] == Outcome::kept;
  }
  if (!changes) return;
  beats.quality = from_host(context, list.quality);
  beats.trusted = from_host(context, list.trusted);
}

// Seconds that a row covers before and after its R peak.
struct RowReach {
  double before_s, after_s;
};

// The trusted beats of a lead are those in good signal, if there are enough of them. Otherwise beats in noise are
// trusted too, and if these are too few, those in clipped signal as well. Two are enough for the only lead. Each of
// several leads needs a tenth of its beats, from 2 to 30, so that a lead does not count because of a few good moments.
template <class Context>
struct FoundBeats {
  BeatBuffers<Context> beats;
  std::vector<SignalQuality> leads;       // [L] quality of each lead
  SignalQuality quality;                  // in each block that of the best lead that counts
  Quality worst_trusted = Quality::good;  // the worst signal whose beats are trusted, in the best lead
};

// Judges the R peaks of a detection in each lead, and marks the blocks of missing samples, and of noise by the index,
// in its quality. A gap of up to `bridge_s` drops no beat and breaks no interval.
template <class Context>
FoundBeats<Context> list_beats(Context&, const Recording<Context>& recording, Detection<Context> detection,
                               const QualityIndex& index, RowReach reach, double bridge_s, double sample_rate_hz);

}  // namespace beatscan
