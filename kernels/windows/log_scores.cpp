#include "kernels/windows/log_scores.h"

#include <cmath>

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

namespace {

struct NeighbourhoodMedian {
  const float* latents;
  int latent_count;
  const std::int32_t* usual;
  std::int64_t usual_count;
  int count;
  float* around;

  // Item i is latent z of a row: i = row * latent_count + z.
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t row = i / latent_count, z = i % latent_count, place = first_not_below(usual, usual_count, row);
    const bool is_usual = place < usual_count && usual[place] == row;
    const std::int64_t last_first = usual_count - is_usual - count;  // of the others, so that `count` follow it
    std::int64_t first = place - count / 2;
    if (first > last_first) first = last_first;
    if (first < 0) first = 0;
    float sorted[kMostNeighbours];
    int size = 0;
    for (std::int64_t j = first; size < count && j < usual_count; ++j) {
      if (usual[j] == row) continue;
      const float value = latents[usual[j] * latent_count + z];
      int at = size++;
      for (; at > 0 && sorted[at - 1] > value; --at) sorted[at] = sorted[at - 1];
      sorted[at] = value;
    }
    around[i] = size == 0 ? 0 : 0.5f * (sorted[(size - 1) / 2] + sorted[size / 2]);
  }
};

}  // namespace

void neighbourhood_medians(BackEnd& context, std::span<const float> latents, int latent_count,
                           std::span<const std::int32_t> usual, int count, std::span<float> around) {
  BEATSCAN_EXPECTS(latent_count > 0 && std::ssize(latents) % latent_count == 0 && around.size() == latents.size() &&
                       1 <= count && count <= kMostNeighbours,
                   "neighbourhood_medians: bad shape");
  each(context, std::ssize(latents),
       NeighbourhoodMedian{latents.data(), latent_count, usual.data(), std::ssize(usual), count, around.data()});
}

namespace {

struct WeightedSum {
  struct Term {
    const float* values;
    float middle, weight;
  } terms[kMostTerms] = {};
  int count;
  float* sums;

  WeightedSum(std::span<const StandardTerm> given, std::span<float> out)
      : count(static_cast<int>(given.size())), sums(out.data()) {
    BEATSCAN_EXPECTS(1 <= given.size() && given.size() <= kMostTerms, "weighted_sum: 1 to 3 terms");
    for (int k = 0; k < count; ++k) {
      BEATSCAN_EXPECTS(given[k].values.size() == out.size(), "weighted_sum: bad shape");
      terms[k] = {given[k].values.data(), given[k].middle, given[k].weight};
    }
  }
  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    float sum = 0;
    for (int k = 0; k < count; ++k) sum += terms[k].weight * (terms[k].values[i] - terms[k].middle);
    sums[i] = sum;
  }
};

}  // namespace

void take_logs(BackEnd& context, float least, std::span<float> values) {
  BEATSCAN_EXPECTS(least > 0, "take_logs: least must be positive");
  each(context, std::ssize(values), [=, values = values.data()] BEATSCAN_DEVICE(std::int64_t i) {
    constexpr float kMost = 3e38f;  // stands for what is too large for a float, and for what is no number
    values[i] = logf((values[i] <= kMost ? values[i] : kMost) + least);
  });
}

void weighted_sum(BackEnd& context, std::span<const StandardTerm> terms, std::span<float> sums) {
  each(context, std::ssize(sums), WeightedSum(terms, sums));
}

void add(BackEnd& context, std::span<const float> a, std::span<const float> b, std::span<float> sums) {
  BEATSCAN_EXPECTS(a.size() == sums.size() && b.size() == sums.size(), "add: bad shape");
  each(context, std::ssize(sums),
       [a = a.data(), b = b.data(), sums = sums.data()] BEATSCAN_DEVICE(std::int64_t i) { sums[i] = a[i] + b[i]; });
}

void score_sums(BackEnd& context, std::span<const float> waveform, std::span<const float> rhythm, float below,
                std::span<float> scores) {
  BEATSCAN_EXPECTS(waveform.size() == scores.size() && rhythm.size() == scores.size(), "score_sums: bad shape");
  each(context, std::ssize(scores),
       [=, waveform = waveform.data(), rhythm = rhythm.data(), scores = scores.data()] BEATSCAN_DEVICE(std::int64_t i) {
         scores[i] = rhythm[i] + (waveform[i] > 0 ? waveform[i] : below * waveform[i]);
       });
}

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
