// The section on the shapes of beats: each template has a card with its mean beat, the strip around its most typical
// beat, how many beats it has, why they are of their kind, and when they occur.
#include <algorithm>
#include <cmath>

#include "app/report/drawing/html.h"
#include "app/report/drawing/ranges.h"
#include "app/report/drawing/relative_path.h"
#include "app/report/paper/strip.h"
#include "app/report/sections/findings_html.h"
#include "app/report/sections/page.h"
#include "app/report/stored/stored_signal.h"
#include "app/report/words/findings_words.h"
#include "app/report/words/kind_words.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr std::int64_t kShapesShown = 9;  // the others are behind a button
constexpr double kShapeStrip_s = 3.6;
constexpr StripSize kShapeStrip{kShapeStrip_s, 30};
constexpr int kTimes = 113;  // columns of the drawing that tells when a shape occurs

// Draws the mean beat of a template over that of the usual one. A pixel is 10 units of the drawing.
std::string mean_drawing(const StoredResult& result, std::int64_t k, std::int64_t lead) {
  constexpr int kWidth = 340, kHeight = 90, kMargin = 7;
  const auto mean = result.template_mean(lead, k), usual = result.template_mean(lead, result.usual_template());
  if (mean.empty()) return "";
  const auto range = extremes_of(mean).with(extremes_of(usual));
  const double scale = (kHeight - 2 * kMargin) / std::max<double>(range.greatest - range.least, 1e-30);
  const auto path = [&](const char* css, std::span<const float> values) {
    RelativePath d;
    for (std::size_t i = 0; i < values.size(); i += 2)
      if (std::isfinite(values[i]))
        d.to(RelativePath::whole(10.0 * kWidth * static_cast<double>(i) / static_cast<double>(values.size() - 1)),
             RelativePath::whole(10 * (kMargin + scale * (range.greatest - values[i]))));
    return std::string("<path class=\"") + css + "\" d=\"" + d.text() + "\"/>";
  };
  return "<svg class=\"beat\" role=\"img\" aria-label=\"Mean beat of morphology " + std::to_string(k) +
         ", and of the dominant morphology\" viewBox=\"0 0 " + std::to_string(kWidth * 10) + " " +
         std::to_string(kHeight * 10) + "\">" + path("median", usual) + path("signal", mean) + "</svg>";
}

// Draws when the beats of a template occur, from the recording's start to its end.
std::string when_drawing(const StoredResult& result, std::int64_t k) {
  std::vector<std::int64_t> counts(kTimes);
  for (std::int64_t i = 0; i < result.beats.size(); ++i)
    if (result.beats.shape[i] == k)
      ++counts[std::min<std::int64_t>(kTimes * result.beats.sample[i] / result.samples, kTimes - 1)];
  const auto most = static_cast<double>(std::max<std::int64_t>(std::ranges::max(counts), 1));
  std::string bars;
  for (int i = 0; i < kTimes; ++i)
    if (counts[i] > 0)
      bars += "M" + std::to_string(3 * i) + " 16v-" + fixed(3 + 12 * static_cast<double>(counts[i]) / most, 1);
  return "<svg class=\"when\" role=\"img\" aria-label=\"When this morphology occurs, from start to end\" viewBox=\"-2 "
         "0 343 "
         "16\" preserveAspectRatio=\"none\"><path d=\"" +
         bars + "\"/></svg>";
}

// Draws the strip around the most typical beat; nothing where the result does not hold it.
std::string typical_strip(const StoredResult& result, std::int64_t k, std::int64_t lead) {
  const auto beat = result.templates[k].typical;
  if (beat < 0) return "";
  const PaperScale scale = paper_scale(result, lead);
  const auto length = std::llround(kShapeStrip_s * scale.samples_per_second);
  const auto first = result.beats.sample[beat] - length / 2;
  const auto signal = stored_signal(result, lead, first, first + length);
  if (!signal) return "";
  std::vector<StripMark> marks;
  const auto begin = std::ranges::lower_bound(result.beats.sample, first) - result.beats.sample.begin();
  for (auto i = begin; i < result.beats.size() && result.beats.sample[i] < first + length; ++i)
    marks.push_back({static_cast<double>(result.beats.sample[i] - first) / scale.samples_per_second,
                     result.beats.kind[i] != 'N', i == beat});
  return strip_svg(scale, kShapeStrip, *signal, marks,
                   "ECG strip around the most typical beat of morphology " + std::to_string(k));
}

std::string beat_link(const StoredResult& result, const char* words, std::int64_t beat) {
  if (beat < 0) return "";
  const double at = result.beat_position(beat);
  return finding_link({std::string(words) + " " + clock_time(at, 1), at, at});
}

// Names the beat in the middle of the card's strip for the script; empty where there is none.
std::string beat_attribute(std::int64_t beat) { return beat < 0 ? "" : " data-beat=\"" + std::to_string(beat) + "\""; }

std::string shape_card(const StoredResult& result, std::int64_t k) {
  const StoredTemplate& shape = result.templates[k];
  const auto place = most_telling_lead(result, k);
  const auto lead = result.reference_leads[place];
  const std::string kind(1, shape.kind);
  std::string facts = std::isfinite(shape.rate_bpm) ? "heart rate before it " + fixed(shape.rate_bpm, 0) + " · " : "";
  const std::string first = clock_time(shape.first_s), last = clock_time(shape.last_s);
  facts += first == last ? "at " + first : first + " to " + last;
  for (const auto& link :
       {beat_link(result, "most typical", shape.typical), beat_link(result, "most atypical", shape.oddest)})
    if (!link.empty()) facts += " · " + link;
  return "<li class=\"shape-card\" id=\"shape-" + std::to_string(k) + "\"" + beat_attribute(shape.typical) +
         "><header><span><b>Morphology " + std::to_string(k) + "</b> <span class=\"kind kind-" + kind + "\">" + kind +
         " " + kind_name(shape.kind) + "</span></span>" +
         (result.several_leads() ? "<span class=\"lead-tag\">in <b>" + escaped(result.leads[lead].name) + "</b></span>"
                                 : "") +
         "<span class=\"score\"><b>" + grouped(shape.beats) + (shape.beats == 1 ? "</b> beat, " : "</b> beats, ") +
         percent(shape.share) + "</span></header>" + typical_strip(result, k, lead) + mean_drawing(result, k, place) +
         when_drawing(result, k) + "<p class=\"why\">" + escaped(template_reason(result, k)) +
         "</p><p class=\"why facts-line\">" + facts + "</p></li>\n";
}

}  // namespace

void add_shapes(Page& page) {
  const StoredResult& result = page.result;
  if (!result.has_kinds()) return;
  const auto count = std::ssize(result.templates);
  page.open_section(
      "shapes", "Morphologies", "Beat morphologies",
      "Each card is a group of beats of similar morphology and the same class, the largest first: the ECG around the "
      "most typical beat, the mean beat with that of the dominant morphology in grey, and when it occurs. The dominant "
      "morphology is that of the largest group of normal beats (N).");
  page.html += strip_paper(kShapeStrip);
  const auto cards = [&](std::int64_t first, std::int64_t last) {
    page.html += "<ul class=\"cards\">\n";
    for (auto k = first; k < last; ++k) page.html += shape_card(result, k);
    page.html += "</ul>\n";
  };
  cards(0, std::min(kShapesShown, count));
  if (count > kShapesShown) {
    page.html += "<details class=\"more\"><summary>Show " + std::to_string(count - kShapesShown) + " more</summary>\n";
    cards(kShapesShown, count);
    page.html += "</details>\n";
  }
  page.close_section();
}

}  // namespace beatscan
