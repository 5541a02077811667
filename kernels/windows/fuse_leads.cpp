#include "kernels/windows/fuse_leads.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

struct FuseLeads {
  struct Lead {
    const float *distances, *noise;
    const std::uint8_t* heard;
    float factor, share;
  } leads[kMostFusedLeads] = {};
  int count;
  float* fused;
  std::uint8_t* most;

  FuseLeads(std::span<const LeadDistances> given, std::span<float> out, std::span<std::uint8_t> greatest)
      : count(static_cast<int>(given.size())), fused(out.data()), most(greatest.empty() ? nullptr : greatest.data()) {
    BEATSCAN_EXPECTS(
        1 <= given.size() && given.size() <= kMostFusedLeads && (greatest.empty() || greatest.size() == out.size()),
        "fuse_leads: 1 to 64 leads, and as many numbers of leads as beats");
    for (int l = 0; l < count; ++l) {
      const LeadDistances& lead = given[l];
      BEATSCAN_EXPECTS(lead.distances.size() == out.size() && (lead.noise.empty() || lead.noise.size() == out.size()) &&
                           (lead.heard.empty() || lead.heard.size() == out.size()) && lead.share > 0,
                       "fuse_leads: bad shape or share");
      leads[l] = {lead.distances.data(), lead.noise.empty() ? nullptr : lead.noise.data(),
                  lead.heard.empty() ? nullptr : lead.heard.data(), lead.factor, lead.share};
    }
  }

  BEATSCAN_HOST_DEVICE bool is_heard(int l, std::int64_t b) const {
    return leads[l].heard == nullptr || leads[l].heard[b] != 0;
  }
  BEATSCAN_HOST_DEVICE bool is_heard_anywhere(std::int64_t b) const {
    for (int l = 0; l < count; ++l)
      if (is_heard(l, b)) return true;
    return false;
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t b) const {
    const bool anywhere = is_heard_anywhere(b);
    float sum = 0, shares = 0, greatest = -1;
    int greatest_lead = 0;
    for (int l = 0; l < count; ++l) {
      if (anywhere && !is_heard(l, b)) continue;
      const Lead& lead = leads[l];
      const float distance = lead.factor * lead.distances[b] / (lead.noise ? lead.noise[b] : 1);
      const float part = lead.share * distance;
      sum += part;
      shares += lead.share;
      if (part > greatest) {
        greatest = part;
        greatest_lead = l;
      }
    }
    fused[b] = sum / shares;
    if (most) most[b] = static_cast<std::uint8_t>(greatest_lead);
  }
};

}  // namespace

void fuse_leads(BackEnd& context, std::span<const LeadDistances> leads, std::span<float> fused,
                std::span<std::uint8_t> most) {
  each(context, std::ssize(fused), FuseLeads(leads, fused, most));
}

}  // namespace beatscan
