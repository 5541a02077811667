// stages/windows/embedded_beats.h — beats as rows, in all leads.
//
// L leads, B beats that are kept, D points of a row.
#pragma once

#include <vector>

#include "stages/common/rows.h"
#include "stages/windows/centred_beats.h"
#include "stages/windows/rhythm.h"

namespace beatscan {

struct EmbeddingOptions;
template <class Context>
struct BeatBuffers;
template <class Context>
struct Recording;

// One lead's part of the beats.
template <class Context>
struct EmbeddedLead {
  std::int64_t lead = 0;                  // its number in the recording
  CentredBeats<Context> beats;            // its rows are a part of EmbeddedBeats::rows
  Buffer<std::uint8_t, Context> present;  // [B] 1 where the lead has signal at the beat; empty: everywhere
  Buffer<std::uint8_t, Context> heard;    // [B] 1 where that signal is as good as the best lead's; empty: everywhere
  Buffer<float, Context> noise;           // [B] noise_of
};

template <class Context>
struct EmbeddedBeats {
  // [L B][D] the rows of the first lead, then those of the second, and so on: the input of the model. Its trainable
  // rows are the dominant ones. rows.kept is [B], because all leads have the same beats.
  Rows<Context> rows;
  std::vector<EmbeddedLead<Context>> leads;  // [L] one at least around R peaks; none as published
  RhythmBuffers<Context> rhythm;             // around R peaks
  Buffer<std::uint8_t, Context> trusted;     // [B] around R peaks
  Buffer<std::int64_t, Context> measured;    // rows of some regular beats, from which scales are computed

  std::int64_t beats() const { return rows.kept.size(); }  // B
};

// Cuts rows of the beats that are kept, in each lead that counts. A lead that embed_r_peaks refuses is left out. Throws
// ErrorKind::unanalysable if fewer than two beats are regular, or if embed_r_peaks refuses all leads.
template <class Context>
EmbeddedBeats<Context> embed_leads(Context&, const Recording<Context>& recording, const BeatBuffers<Context>& beats,
                                   const EmbeddingOptions& options, double sample_rate_hz);

}  // namespace beatscan
