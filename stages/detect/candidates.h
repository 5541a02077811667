// stages/detect/candidates.h — finds candidate beats, and measures what distinguishes beats from other waves.
#pragma once

#include <vector>

#include "kernels/detect/detect.h"
#include "stages/detect/fused_envelope.h"

namespace beatscan {

struct EnvelopeRequest;
template <class Context>
struct Detection;
template <class Context>
struct SearchedLead;

// The candidates [C] of the whole recording, in all leads together.
template <class Context>
struct CandidateBuffers {
  Buffer<std::int64_t, Context> at;
  Buffer<float, Context> height, sharpness;
  Buffer<float, Context> noise;  // [B] share of noise in each block
  bool is_noisy = false;         // whether any block has noise
  FusedLeads<Context> fused;     // empty for one lead
  Candidates view() const { return {at, height, sharpness}; }
};

// Searches each lead, and the leads together where there are several. Keeps the envelope in `detection` if
// `keep_envelope`.
template <class Context>
CandidateBuffers<Context> find_candidates(Context&, std::vector<SearchedLead<Context>>& leads,
                                          const EnvelopeRequest& request, bool keep_envelope,
                                          Detection<Context>& detection);

}  // namespace beatscan
