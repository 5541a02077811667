// kernels/quality/beats.h — the beats that quality is measured by: maxima of the envelope, with the values of
// `wave` around them. They are not those that beatscan reports, because quality is known before any beat.
//
// A lead is worked on in windows of blocks, from its beginning to its end, so that memory does not grow with it but for
// the correlations. M beats in the lead.
#pragma once

#include <span>

#include "kernels/quality/local_medians.h"

namespace beatscan::quality {

inline constexpr int kPeakReach = 30, kHalfBeat = 20, kBeatValues = 2 * kHalfBeat + 1;
inline constexpr int kShifts = 8, kFirstShift = -4;  // of the later of two beats
inline constexpr int kRowValues = kBeatValues + kShifts - 1;
inline constexpr int kMostBeats = kBlockValues / (kPeakReach + 1) + 1;  // of a block
inline constexpr int kBeatsAfter = 6;                                   // beats that a beat is compared with

// Values of `wave` from kHalfBeat - kFirstShift before a beat on.
struct BeatRow {
  float values[kRowValues];
  float scale[kShifts];  // 1 / root of the sum of squares around their mean, of kBeatValues values from a shift on
  float mean;            // without shift
};

// levels[b] is the level of the beats in a block: the median of `top` over seven blocks, at most the larger of the
// block's own and 0.3 of the median, at least a floor.
//   bands, levels  [K]
void beat_levels(Cpu&, std::span<const BandFacts> bands, std::span<const LocalMedians> medians,
                 std::span<float> levels);
void beat_levels(Cuda&, std::span<const BandFacts> bands, std::span<const LocalMedians> medians,
                 std::span<float> levels);

// How much the four seconds around a block are like a sine.
struct Leakage {
  float share;  // VF-filter leakage: 0 for a sine, near 1 for a spike
  float hz;     // mean frequency
};

// Finds the beats of a window, the blocks first .. first + counts.size() - 1, and the leakage of its blocks.
//   levels   [K]
//   counts   [window] beats of each block
//   rows     [window][kMostBeats] those of its beats
//   leakage  [window]
void find_beats(Cpu&, const LeadView& lead, std::span<const LocalMedians> medians, std::span<const float> levels,
                std::int64_t first, std::span<std::uint32_t> counts, std::span<BeatRow> rows,
                std::span<Leakage> leakage);
void find_beats(Cuda&, const LeadView& lead, std::span<const LocalMedians> medians, std::span<const float> levels,
                std::int64_t first, std::span<std::uint32_t> counts, std::span<BeatRow> rows,
                std::span<Leakage> leakage);

// Replaces each count by the sum of the counts before it; the last count must be 0 and becomes the sum of all.
void sum_counts(Cpu&, std::span<std::uint32_t> counts);
void sum_counts(Cuda&, std::span<std::uint32_t> counts);

// A window's beats, and the last ones before it.
struct WindowBeats {
  std::int64_t blocks;              // of the window
  const std::uint32_t* first_beat;  // [blocks + 1] number in the lead of the first beat of each block, and behind
  const BeatRow* rows;              // [blocks][kMostBeats]
  const std::uint32_t* places;      // [beats of the window] rows of the beats, see list_places
  const BeatRow* before;            // [kBeatsAfter] of the beats before the window, the last one at the end
};

// places[i] = the number among the window's rows of its i-th beat.
void list_places(Cpu&, const WindowBeats& window, std::span<std::uint32_t> places);
void list_places(Cuda&, const WindowBeats& window, std::span<std::uint32_t> places);

// pairs[j][lag - 1] = the largest correlation over shifts of the beat j of the lead, which lies in the window, with the
// beat j - lag; -1 where there is no such beat.
//   pairs  [at least M][kBeatsAfter]
void correlate(Cpu&, const WindowBeats& window, std::span<float> pairs);
void correlate(Cuda&, const WindowBeats& window, std::span<float> pairs);

// Copies the last beats of the window, and of those before it, for the next one.
//   last  [kBeatsAfter]
void keep_last(Cpu&, const WindowBeats& window, std::span<BeatRow> last);
void keep_last(Cuda&, const WindowBeats& window, std::span<BeatRow> last);

// Sums over the beats of a block, for means over beats.
struct Similarity {
  float neighbour, template_;
  std::uint32_t beats;
};

// Sums up how similar the beats of each block are to their neighbours (the larger correlation of two), and to others
// around them (the third largest of twelve). All are 0 where the lead has fewer than two beats.
//   first_beat  [K + 1]
//   sums        [K]
void sum_similarity(Cpu&, std::span<const std::uint32_t> first_beat, std::span<const float> pairs,
                    std::span<Similarity> sums);
void sum_similarity(Cuda&, std::span<const std::uint32_t> first_beat, std::span<const float> pairs,
                    std::span<Similarity> sums);

}  // namespace beatscan::quality
