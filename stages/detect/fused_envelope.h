// stages/detect/fused_envelope.h — the common envelope of several leads, in which beats are searched for.
#pragma once

#include <vector>

#include "kernels/detect/fuse_leads.h"
#include "stages/detect/envelope.h"

namespace beatscan {

struct EnvelopeRequest;
template <class Context>
struct SearchedLead;

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
