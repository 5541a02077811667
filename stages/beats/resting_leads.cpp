#include "stages/beats/resting_leads.h"

#include <algorithm>
#include <span>

#include "kernels/signal/part_maxima.h"
#include "stages/beats/beat_heights.h"
#include "stages/beats/detect.h"
#include "stages/beats/envelope_around.h"
#include "stages/common/robust.h"
#include "stages/quality/quality.h"
#include "stages/quality/quality_at.h"

namespace beatscan {
namespace {

constexpr std::int64_t kFewestSilent = 3, kBeatsBeside = 5, kShownBeside = 3;
constexpr double kShortestRest_s = 3, kBesideShown_s = 0.3;

// Says at which beats no lead but one speaks, [L][K].
std::vector<std::vector<std::uint8_t>> beats_alone(const std::vector<std::vector<Quality>>& quality) {
  const std::size_t beats = quality.front().size();
  std::vector<std::vector<std::uint8_t>> alone(quality.size(), std::vector<std::uint8_t>(beats));
  for (std::size_t k = 0; k < beats; ++k) {
    std::size_t good = 0;
    for (const auto& lead : quality) good += lead[k] == Quality::good;
    for (std::size_t l = 0; l < quality.size(); ++l) alone[l][k] = good == (quality[l][k] == Quality::good ? 1 : 0);
  }
  return alone;
}

std::vector<std::int64_t> parts_at(const std::vector<double>& r_peaks, int width) {
  std::vector<std::int64_t> parts;
  for (const double peak : r_peaks) parts.push_back(static_cast<std::int64_t>(peak) / width);
  return parts;
}

// The beats of one lead, and the limits of their heights.
struct LeadBeats {
  const std::vector<double>& r_peaks;
  const std::vector<float>& heights;
  const std::vector<std::uint8_t>& alone;
  float silent, shown;
  double rate_hz, longest_s;  // samples a second; the longest rest
  std::int64_t count() const { return std::ssize(r_peaks); }
  bool is_silent(std::int64_t beat) const { return alone[beat] && heights[beat] < silent; }
  std::int64_t shown_of(std::int64_t first, std::int64_t last) const {
    return std::count_if(heights.begin() + std::max<std::int64_t>(first, 0), heights.begin() + std::min(last, count()),
                         [this](float its) { return its >= shown; });
  }
};

// Says whether the beats [first, last) may be those of a rest, by the beats beside them and the time they take.
bool may_rest(const LeadBeats& lead, std::int64_t first, std::int64_t last, double end) {
  if (last - first < kFewestSilent || first == 0 || lead.shown_of(first - 1, first) == 0) return false;
  const bool is_last = last == lead.count();
  if (!is_last && lead.shown_of(last, last + 1) == 0) return false;
  const double seconds = (end - lead.r_peaks[first - 1]) / lead.rate_hz;
  if (seconds < kShortestRest_s || seconds > lead.longest_s) return false;
  return lead.shown_of(first - kBeatsBeside, first) >= kShownBeside &&
         (is_last || lead.shown_of(last, last + kBeatsBeside) >= kShownBeside);
}

// Says whether beats stand out of what a lead shows between them, however small they are.
bool stand_out(const std::vector<float>& heights, const EnvelopeAround& lead) {
  return !lead.parts.empty() && quantile(std::span<const float>(heights), 0.5) >=
                                    kPlainOver * quantile(std::span<const float>(lead.parts), 0.5);
}

// Finds where a lead rests.
template <class Context>
std::vector<RestingLead> rests_of(Context& context, const Detection<Context>& detection, std::size_t lead,
                                  const LeadBeats& beats, std::int64_t samples) {
  std::vector<RestingLead> rests;
  const auto& parts = detection.profile.leads[lead];
  const auto beside = static_cast<std::int64_t>(kBesideShown_s * beats.rate_hz);
  for (std::int64_t first = 0, last = 0; first < beats.count(); first = std::max(last, first + 1)) {
    for (last = first; last < beats.count() && beats.is_silent(last);) ++last;
    const bool is_last = last == beats.count();
    const double end = is_last ? static_cast<double>(samples) : beats.r_peaks[last];
    if (last == first || !may_rest(beats, first, last, end)) continue;
    const Stretch its{static_cast<std::int64_t>(beats.r_peaks[first - 1]), static_cast<std::int64_t>(end)};
    const auto around = envelope_around(context, parts, detection.profile.width,
                                        {its.first + beside, is_last ? its.last : its.last - beside});
    const std::vector<float> heights(beats.heights.begin() + first, beats.heights.begin() + last);
    if (!stand_out(heights, around)) rests.push_back({lead, its, last - first});
  }
  return rests;
}

}  // namespace

template <class Context>
std::vector<RestingLead> resting_leads(Context& context, const Detection<Context>& detection, std::int64_t samples,
                                       double rate_hz, double longest_s) {
  const auto leads = likely_places(detection.quality);
  if (leads.size() < 2 || detection.r_peaks.size() <= kFewestSilent) return {};
  const auto r_peaks = to_host(context, detection.r_peaks);
  std::vector<std::vector<Quality>> quality;
  for (const std::size_t l : leads) {
    auto& own = quality.emplace_back();
    for (const double peak : r_peaks) own.push_back(quality_at(detection.quality[l], peak));
  }
  const auto alone = beats_alone(quality);
  std::vector<RestingLead> rests;
  Buffer<std::int64_t, Context> places;
  for (std::size_t i = 0; i < leads.size(); ++i) {
    if (std::ranges::count(alone[i], 1) < kFewestSilent) continue;
    if (places.empty()) places = from_host(context, parts_at(r_peaks, detection.profile.width));
    Buffer<float, Context> found(context, places.size());
    largest_beside(context, detection.profile.leads[leads[i]], places, found);
    const auto heights = to_host(context, found);
    const float usual = usual_height(heights, quality[i]);
    for (const RestingLead& rest :
         rests_of(context, detection, leads[i],
                  {r_peaks, heights, alone[i], kFaintShare * usual, kShownShare * usual, rate_hz, longest_s}, samples))
      rests.push_back(rest);
  }
  return rests;
}

#define BEATSCAN_RESTING_LEADS(Context) \
  template std::vector<RestingLead> resting_leads(Context&, const Detection<Context>&, std::int64_t, double, double);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_RESTING_LEADS)

}  // namespace beatscan
