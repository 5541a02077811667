#include "app/report/sections/envelopes.h"

#include <algorithm>
#include <cmath>

#include "app/report/drawing/ranges.h"
#include "app/report/sections/page.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr int kColumns = 1000;          // columns of a static envelope, each about a pixel wide
constexpr std::int64_t kHighLanes = 4;  // with more leads than these the lanes below the first one are lower

double lane_height(const StoredResult& result, std::int64_t lead) {
  if (lead == 0) return 150;
  return std::ssize(result.leads) <= kHighLanes ? 100 : 78;
}

struct Outline {
  std::vector<Point> low, high;
};

Outline outline_of(const Envelope& envelope, double length) {
  const std::int64_t count = envelope.bins(), columns = std::min<std::int64_t>(count, kColumns);
  Outline outline;
  for (std::int64_t column = 0; column < columns; ++column) {
    const auto first = column * count / columns, end = (column + 1) * count / columns;
    const Extremes extremes = extremes_of(envelope.part(first, end));
    const double at = length * (static_cast<double>(column) + 0.5) / static_cast<double>(columns);
    outline.low.push_back({at, extremes.least});
    outline.high.push_back({at, extremes.greatest});
  }
  return outline;
}

// Returns the name of a lead's axis: "V5, mV". The first lead alone tells where the unit is not known.
std::string axis_name(const StoredResult& result, std::int64_t lead) {
  const std::string unit = result.signal_unit(lead), name = result.several_leads() ? result.leads[lead].name : "signal";
  if (!unit.empty()) return name + ", " + unit;
  return lead == 0 ? name + ", unit of the file" : name;
}

std::string envelope_chart(const StoredResult& result, std::int64_t lead, Range range) {
  const bool several = result.several_leads();
  ChartSize size = kWide;
  size.height = lane_height(result, lead);
  size.bottom = 8;
  Axis time = position_axis(result);
  time.label.clear();
  Chart chart(size, time, {range.from, range.to, axis_name(result, lead)},
              "Envelope of the signal" + (several ? " in lead " + result.leads[lead].name : "") +
                  " over the whole recording, from " + significant(range.from, 3) + " to " + significant(range.to, 3));
  const auto bar = [&](const char* css, const PoorStretch& stretch, double from) {
    // At least two pixels wide, so that it is seen.
    chart.bar(css, stretch.from, std::max(stretch.to, stretch.from + result.length() / 500), from, range.to);
  };
  for (const auto& stretch : several ? result.poor : std::vector<PoorStretch>()) bar("poor-all", stretch, range.from);
  const Outline outline = outline_of(result.envelope(lead), result.length());
  chart.area("envelope", outline.low, outline.high);
  const double share = 0.03 * 150 / size.height;
  for (const auto& stretch : result.leads[lead].poor) bar("poor", stretch, range.to - share * (range.to - range.from));
  return chart.svg();
}

}  // namespace

Envelopes draw_envelopes(const StoredResult& result) {
  Envelopes envelopes;
  for (std::int64_t lead = 0; lead < std::ssize(result.leads); ++lead) {
    const SignalRange shown = signal_range(result.envelope(lead).values);
    envelopes.svg += envelope_chart(result, lead, shown.range);
    envelopes.cut |= shown.cut;
  }
  return envelopes;
}

}  // namespace beatscan
