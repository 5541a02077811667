// The section on the whole recording: envelope, heart rate, abnormal beats and signal quality over time.
#include <algorithm>
#include <cmath>

#include "app/report/page.h"
#include "app/report/timeline.h"
#include "app/result/csv_files.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr int kColumns = 1000;  // columns of a static envelope, each about a pixel wide

ChartSize panel(double height, bool last) {
  ChartSize size = kWide;
  size.height = height;
  if (!last) size.bottom = 8;
  return size;
}

Axis without_label(Axis axis) {
  axis.label.clear();
  return axis;
}

std::string unit_of(const StoredResult& result) {
  const Json unit = result.summary.at("input").value("unit", Json());
  return unit.is_string() ? unit.get<std::string>() : "unit of the file";
}

std::string envelope_chart(const StoredResult& result, Range range) {
  const auto& bins = result.arrays.bin_ranges;
  const std::int64_t count = bins.shape[0], columns = std::min<std::int64_t>(count, kColumns);
  std::vector<Point> low, high;
  for (std::int64_t column = 0; column < columns; ++column) {
    float least = INFINITY, greatest = -INFINITY;
    for (auto bin = column * count / columns; bin < (column + 1) * count / columns; ++bin) {
      least = std::min(least, bins.values[2 * bin]);
      greatest = std::max(greatest, bins.values[2 * bin + 1]);
    }
    const double at = result.length() * (static_cast<double>(column) + 0.5) / static_cast<double>(columns);
    low.push_back({at, least});
    high.push_back({at, greatest});
  }
  Chart chart(panel(150, false), without_label(position_axis(result)),
              {range.from, range.to, "signal, " + unit_of(result)},
              "Envelope of the signal over the whole recording, from " + significant(range.from, 3) + " to " +
                  significant(range.to, 3));
  chart.area("envelope", low, high);
  for (const auto& stretch : result.poor)  // at least two pixels wide, so that it is seen
    chart.bar("poor", stretch.from, std::max(stretch.to, stretch.from + result.length() / 500),
              range.to - 0.03 * (range.to - range.from), range.to);
  return chart.svg();
}

std::string rate_chart(const StoredResult& result, const std::vector<Window>& windows) {
  std::vector<Point> mean, slow, fast;
  std::vector<float> rates;
  for (const auto& window : windows) {
    const double at = (window.from + window.to) / 2;
    mean.push_back({at, window.mean_rate});
    slow.push_back({at, std::fmin(window.slowest, window.mean_rate)});
    fast.push_back({at, std::fmax(window.fastest, window.mean_rate)});
    rates.insert(rates.end(), {static_cast<float>(slow.back().y), static_cast<float>(fast.back().y)});
  }
  Range range = range_of(rates, 0);
  constexpr double kLeastSpan = 30;  // beats a minute; a smaller span would make an even rhythm look uneven
  if (const double lack = kLeastSpan - (range.to - range.from); lack > 0) range.from -= lack / 2, range.to += lack / 2;
  Chart chart(panel(130, false), without_label(position_axis(result)),
              {std::max(range.from, 0.0), range.to, "heart rate, beats a minute"},
              "Heart rate over the whole recording: mean, slowest and fastest");
  return chart.area("normal-band", slow, fast).line("normal", mean).svg();
}

std::string abnormal_chart(const StoredResult& result, const std::vector<Window>& windows, const std::string& width) {
  std::int64_t most = 1;
  for (const auto& window : windows) most = std::max(most, window.abnormal);
  Chart chart(panel(130, true), position_axis(result),
              {0, 1.08 * static_cast<double>(most), "abnormal beats per " + width, Axis::Kind::whole},
              "Abnormal beats over the whole recording");
  for (const auto& window : windows)
    if (window.abnormal > 0)
      chart.bar("abnormal", window.from, window.to, 0, static_cast<double>(window.abnormal),
                position_text(window.from, result.rate_hz.has_value()) + ": " + grouped(window.abnormal) +
                    " abnormal of " + grouped(window.beats));
  return chart.svg();
}

Columns table_of_strip(const std::vector<Window>& windows) {
  Json from = Json::array(), mean = from, slow = from, fast = from, beats = from, abnormal = from;
  const auto number = [](double value) { return std::isfinite(value) ? Json(std::round(value * 100) / 100) : Json(); };
  for (const auto& window : windows) {
    from.push_back(window.from);
    beats.push_back(window.beats);
    abnormal.push_back(window.abnormal);
    mean.push_back(number(window.mean_rate));
    slow.push_back(number(window.slowest));
    fast.push_back(number(window.fastest));
  }
  return {{"from", from},      {"beats", beats},       {"abnormal", abnormal},
          {"rate_mean", mean}, {"rate_slowest", slow}, {"rate_fastest", fast}};
}

// The window that shows the chosen beat or stretch as a strip; the script fills it.
constexpr const char* kViewer = R"html(<div id="strip-home" class="live">
<div id="strip" role="region" tabindex="0"
 aria-label="ECG strip. Arrow keys move it, n and p go to the next and the previous abnormal beat.">
<div class="bar">
<span class="where" aria-live="polite"></span>
<span class="group">
<button type="button" data-move="-1" aria-label="Previous strip">◀</button>
<button type="button" data-move="1" aria-label="Next strip">▶</button>
</span>
<span class="group">
<button type="button" data-abnormal="-1">◀ abnormal</button>
<button type="button" data-abnormal="1">abnormal ▶</button>
</span>
<span class="group" role="group" aria-label="Speed">
<button type="button" data-speed="1" aria-pressed="true">25 mm/s</button>
<button type="button" data-speed="2" aria-pressed="false">50</button>
</span>
<span class="group" role="group" aria-label="Gain">
<button type="button" data-gain="0.5" aria-pressed="false">×½</button>
<button type="button" data-gain="1" aria-pressed="true">×1</button>
<button type="button" data-gain="2" aria-pressed="false">×2</button>
</span>
<span class="group">
<button type="button" data-act="print">Print strip</button>
<a class="csv" role="button" tabindex="0" data-table="strip" aria-label="Strip: data as CSV">CSV</a>
</span>
<button type="button" class="close" data-act="close" aria-label="Close the strip">✕</button>
</div>
<div class="paper"></div>
<p class="chosen-text" aria-live="polite"></p>
<p class="note source"></p>
</div>
</div>
)html";

}  // namespace

void add_recording(Page& page) {
  const StoredResult& result = page.result;
  const double width = window_width(result, 160);
  const auto windows = windows_of(result, width);
  const std::string width_text = result.rate_hz ? duration(width) : grouped(std::llround(width)) + " samples";
  page.open_section("recording", "Recording", "The whole recording");
  const SignalRange shown = signal_range(result.arrays.bin_ranges.values);
  std::string body =
      "<p class=\"hint live\">Drag over a stretch or click on a time to see it as a strip below. <span id=\"read-out\" "
      "aria-live=\"off\"></span> <button type=\"button\" id=\"whole\" hidden>Whole recording</button></p><div "
      "class=\"static\">" +
      envelope_chart(result, shown.range);
  if (result.rate_hz) body += rate_chart(result, windows);
  body += abnormal_chart(result, windows, width_text) + "</div><div class=\"live\"></div>";
  std::string note = result.bin_samples == 1 ? "The signal is drawn at full rate."
                                             : "The signal is drawn as the least and the greatest value of every " +
                                                   std::to_string(result.bin_samples) + " samples.";
  if (shown.cut) note += " Artefacts that reach beyond the axis are cut off.";
  if (result.rate_hz)
    note += " The line of the heart rate is the mean of each " + width_text +
            "; the band reaches from the slowest to the fastest " + std::to_string(kRateIntervals) +
            " intervals in a row.";
  if (!result.poor.empty()) note += " Orange marks at the top show poor signal.";
  page.figure({"overview", result.rate_hz ? "Signal, heart rate and abnormal beats" : "Signal and abnormal beats", body,
               note, "wide", "envelope"},
              table_of_strip(windows));
  page.html += kViewer;
  page.close_section();
}

}  // namespace beatscan
