#include "app/output/shown_gaps.h"

#include <algorithm>
#include <limits>

#include "app/output/report_data.h"
#include "kernels/runtime/buffer.h"
#include "stages/io/recording/recording.h"

namespace beatscan {

template <class Context>
std::vector<GapList> drawn_gaps(Context& context, const Recording<Context>& recording, double bridge_s,
                                std::optional<double> rate) {
  const double rate_hz = rate.value_or(kStripSamplesWithoutRate / kStrip_s);
  std::vector<GapList> gaps;
  for (const auto& lead : recording.leads)
    gaps.push_back(long_gaps({to_host(context, lead.gap_firsts), to_host(context, lead.gap_lasts)}, bridge_s, rate_hz));
  return gaps;
}

void show_gaps_in_bins(const GapList& gaps, std::int64_t bin_samples, std::int64_t samples, std::span<float> bins) {
  const std::int64_t values = values_of_bin(bin_samples);
  for (std::size_t g = 0; g < gaps.firsts.size(); ++g) {
    const std::int64_t begin = (gaps.firsts[g] + bin_samples - 1) / bin_samples, behind = gaps.lasts[g] + 1;
    const std::int64_t end = behind >= samples ? std::ssize(bins) / values : behind / bin_samples;
    if (begin < end)
      std::ranges::fill(bins.subspan(values * begin, values * (end - begin)), std::numeric_limits<float>::quiet_NaN());
  }
}

void show_gaps_in_strip(const GapList& gaps, std::int64_t first, std::span<float> strip) {
  const std::int64_t end = first + std::ssize(strip);
  for (auto g = std::ranges::lower_bound(gaps.lasts, first) - gaps.lasts.begin();
       g < std::ssize(gaps.firsts) && gaps.firsts[g] < end; ++g) {
    const std::int64_t from = std::max(gaps.firsts[g], first), to = std::min(gaps.lasts[g] + 1, end);
    std::ranges::fill(strip.subspan(from - first, to - from), std::numeric_limits<float>::quiet_NaN());
  }
}

#define BEATSCAN_DRAWN_GAPS(Context) \
  template std::vector<GapList> drawn_gaps(Context&, const Recording<Context>&, double, std::optional<double>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_DRAWN_GAPS)

}  // namespace beatscan
