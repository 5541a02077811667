// The section on the whole recording: envelope, heart rate, abnormal beats and signal quality over time.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/drawing/ranges.h"
#include "app/report/sections/envelopes.h"
#include "app/report/sections/episodes.h"
#include "app/report/sections/page.h"
#include "app/report/sections/timeline.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

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

// Tells how the bins of a lead are drawn.
std::string bins_note(std::int64_t bin_samples, const std::string& what) {
  if (bin_samples == 1) return what + " drawn at full rate";
  return what + " drawn as the least and the greatest value of every " + std::to_string(bin_samples) + " samples";
}

std::string note_of(const StoredResult& result, bool cut, const std::string& width_text) {
  const bool alike = !result.several_leads() || result.bin_samples == result.other_bin_samples;
  std::string note = bins_note(result.bin_samples, alike ? "The signal is" : "The first lead is");
  if (!alike) note += "; " + bins_note(result.other_bin_samples, "the other leads are");
  note += ".";
  if (cut) note += " Where the signal reaches beyond the axis, as artefacts do, it is cut off.";
  if (has_rate_panel(result))
    note += " The line of the heart rate is the mean of each " + width_text +
            "; the band reaches from the slowest to the fastest " + std::to_string(kRateIntervals) +
            " intervals in a row.";
  const auto is_poor = [](const StoredLead& lead) { return !lead.poor.empty(); };
  if (std::ranges::any_of(result.leads, is_poor))
    note += result.several_leads() ? " Orange marks at the top of a lead show where that lead is poor."
                                   : " Orange marks at the top show poor signal.";
  if (result.several_leads() && !result.poor.empty()) note += " Where no lead is good, all of them are shaded.";
  return note;
}

// The window that shows the chosen beat or stretch as a strip; the script fills it.
constexpr const char* kViewerControls = R"html(<div id="strip-home" class="live">
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
<span class="group leads" role="group" aria-label="Leads"></span>
)html";
constexpr const char* kWavesButton = R"html(<span class="group">
<button type="button" data-act="waves" aria-pressed="true" aria-label="Mark P, QRS and T waves">P QRS T</button>
</span>
)html";
constexpr const char* kViewerPaper = R"html(<span class="group">
<button type="button" data-act="print">Print strip</button>
<a class="csv" role="button" tabindex="0" data-table="strip" aria-label="Strip: data as CSV">CSV</a>
</span>
<button type="button" class="close" data-act="close" aria-label="Close the strip">✕</button>
</div>
<div class="paper"></div>
)html";
constexpr const char* kViewerTexts = R"html(<p class="chosen-text" aria-live="polite"></p>
<p class="note source"></p>
</div>
</div>
)html";

// Returns the window. Where the result has waves, a button marks them, and a legend says which is which.
std::string viewer_html(const StoredResult& result) {
  const bool has_waves = !result.beats.waves.empty();
  std::string html = kViewerControls;
  if (has_waves) html += kWavesButton;
  html += kViewerPaper;
  if (has_waves)
    html +=
        "<div class=\"wave-legend\">" +
        legend({{"wave-p", "P wave"}, {"wave-qrs", "QRS complex"}, {"wave-t", "T wave, from its peak to its end"}}) +
        "</div>\n";
  return html + kViewerTexts;
}

}  // namespace

void add_recording(Page& page) {
  const StoredResult& result = page.result;
  const double width = window_width(result, 160);
  const auto windows = windows_of(result, width);
  const std::string width_text = result.rate_hz ? duration(width) : grouped(std::llround(width)) + " samples";
  page.open_section("recording", "Recording", "The whole recording");
  const Envelopes envelopes = draw_envelopes(result);
  std::string body =
      "<p class=\"hint live\">Drag over a stretch or click on a time to see it as a strip below. <span id=\"read-out\" "
      "aria-live=\"off\"></span> <button type=\"button\" id=\"whole\" hidden>Whole recording</button></p><div "
      "class=\"static\">" +
      envelopes.svg;
  if (has_rate_panel(result)) body += rate_chart(result, windows);
  body += episode_lane(result);
  body += abnormal_chart(result, windows, width_text) + "</div><div class=\"live\"></div>";
  const std::string note = note_of(result, envelopes.cut, width_text);
  page.figure(
      {"overview", has_rate_panel(result) ? "Signal, heart rate and abnormal beats" : "Signal and abnormal beats", body,
       note, "wide", "envelope"},
      table_of_strip(windows));
  page.html += viewer_html(result);
  page.close_section();
}

}  // namespace beatscan
