// The section on the most abnormal beats. Each has a card with the strip around it, the beat as the model sees it, and
// why it ranks here.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/report/drawing/html.h"
#include "app/report/drawing/ranges.h"
#include "app/report/drawing/relative_path.h"
#include "app/report/paper/strip.h"
#include "app/report/sections/page.h"
#include "app/report/words/reasons.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr std::int64_t kShown = 24;  // the others are behind a button
constexpr double kStripSeconds = 3.6;

struct Gallery {
  const StoredResult& result;
  std::vector<PaperScale> scales;  // of each lead
  StripSize size;

  // The scale of the lead that the k-th beat is shown in.
  const PaperScale& scale(std::int64_t k) const { return scales[result.row_lead(k)]; }
};

// Returns the middle of the k-th strip, which is what the card shows.
std::span<const float> signal_of(const Gallery& gallery, std::int64_t k) {
  const auto strip = gallery.result.strip(gallery.result.row_lead(k), k);
  const auto length =
      std::min<std::int64_t>(std::llround(kStripSeconds * gallery.scale(k).samples_per_second), strip.size());
  return strip.subspan((strip.size() - length) / 2, length);
}

// Returns a height in millimetres that is enough for nine of ten cards.
double paper_height(const Gallery& gallery) {
  std::vector<float> heights;
  for (std::int64_t k = 0; k < gallery.result.arrays.strip_beats.shape[0]; ++k) {
    const Extremes ends = extremes_of(signal_of(gallery, k));
    heights.push_back((ends.greatest - ends.least) * static_cast<float>(gallery.scale(k).mm_per_unit));
  }
  if (heights.empty()) return 30;
  std::ranges::sort(heights);
  const double needed = heights[heights.size() * 9 / 10] + 5;  // 5 mm for the marks
  return std::clamp(5 * std::ceil(needed / 5), 25.0, 40.0);
}

std::vector<StripMark> marks_of(const Gallery& gallery, std::int64_t k, std::size_t length) {
  const auto& beats = gallery.result.beats;
  const auto beat = gallery.result.arrays.strip_beats.values[k];
  const auto whole = gallery.result.arrays.strips.shape.back();
  const auto first = beats.sample[beat] - whole / 2 + (whole - static_cast<std::int64_t>(length)) / 2;
  const auto begin = std::ranges::lower_bound(beats.sample, first) - beats.sample.begin();
  std::vector<StripMark> marks;
  for (auto i = begin; i < beats.size() && beats.sample[i] < first + static_cast<std::int64_t>(length); ++i)
    marks.push_back({static_cast<double>(beats.sample[i] - first) / gallery.scale(k).samples_per_second,
                     beats.anomalous[i] != 0, i == beat});
  return marks;
}

// Draws a beat's row, its reconstruction and the median beat, and below them the residual (row less reconstruction) on
// the same scale. A pixel is 10 units of the drawing.
class BeatDrawing {
 public:
  static constexpr int kWidth = 340, kHeight = 120, kLabels = 14, kMargin = 7;
  static constexpr float kModelReach = 0.3f;  // share of the beat's height by which the model may overshoot
  explicit BeatDrawing(const StoredResult& result, std::int64_t k)
      : row_(result.arrays.rows.row(k)), decoded_(result.arrays.decoded.row(k)), median_(result.row_median(k)) {
    for (const auto& values : {row_, median_})
      for (const float value : values) least_ = std::min(least_, value), greatest_ = std::max(greatest_, value);
    // Far from its training beats a model may decode anything. It is cut off, so that the beat stays visible.
    const float reach = kModelReach * (greatest_ - least_), floor = least_ - reach, ceiling = greatest_ + reach;
    for (const float value : decoded_) {
      decoded_shown_.push_back(std::clamp(value, floor, ceiling));
      least_ = std::min(least_, decoded_shown_.back()), greatest_ = std::max(greatest_, decoded_shown_.back());
    }
    for (std::size_t i = 0; i < row_.size(); ++i) {
      residual_.push_back(row_[i] - decoded_shown_[i]);
      if (!std::isfinite(residual_.back())) continue;  // the model decodes nothing where the lead has no signal
      residual_low_ = std::min(residual_low_, residual_.back());
      residual_high_ = std::max(residual_high_, residual_.back());
    }
  }
  std::string svg(const std::string& ticks, const std::string& description) const {
    const double above_span = greatest_ - least_, below_span = residual_high_ - residual_low_;
    const double scale = (kHeight - kLabels - 3 * kMargin) / std::max(above_span + below_span, 1e-30);
    const double zero = kMargin + scale * above_span + kMargin + scale * residual_high_;
    const auto above = [&](float value) { return kMargin + scale * (greatest_ - value); };
    const auto below = [&](float value) { return zero - scale * value; };
    return "<svg class=\"beat\" role=\"img\" aria-label=\"" + escaped(description) + "\" viewBox=\"0 0 " +
           std::to_string(kWidth * 10) + " " + std::to_string(kHeight * 10) + "\">" + ticks +
           path("median", median_, above) + path("signal", row_, above) + path("model", decoded_shown_, above) +
           (decoded()
                ? "<path class=\"zero\" d=\"M0 " + fixed(zero * 10, 0) + "h" + std::to_string(kWidth * 10) + "\"/>"
                : "") +
           path("residual", residual_, below) + "</svg>";
  }

 private:
  // Without a model nothing is decoded.
  bool decoded() const {
    return std::ranges::any_of(decoded_, [](float value) { return std::isfinite(value); });
  }
  template <class Place>
  std::string path(const char* css, std::span<const float> values, Place&& place) const {
    RelativePath d;
    for (std::size_t i = 0; i < values.size(); i += 2)
      if (std::isfinite(values[i]))
        d.to(RelativePath::whole(10.0 * kWidth * static_cast<double>(i) / static_cast<double>(values.size() - 1)),
             RelativePath::whole(10 * place(values[i])));
    return std::string("<path class=\"") + css + "\" d=\"" + d.text() + "\"/>";
  }
  std::span<const float> row_, decoded_, median_;
  std::vector<float> decoded_shown_, residual_;
  float least_ = std::numeric_limits<float>::infinity(), greatest_ = -least_;
  float residual_low_ = 0, residual_high_ = 0;  // 0 is drawn, too
};

// Returns marks every 100 ms around the R peak, or nothing where the times of a row are unknown.
std::string row_ticks(const StoredResult& result) {
  const Json& report = result.summary.at("report");
  const Json before = report.value("row_before_s", Json()), after = report.value("row_after_s", Json());
  if (!before.is_number() || !after.is_number()) return "";
  const double from = -before.get<double>(), to = after.get<double>();
  std::string lines, texts;
  for (double tick = std::ceil(from * 10 - 1e-9); tick / 10 <= to + 1e-9; ++tick) {
    const std::string x = fixed(BeatDrawing::kWidth * 10 * (tick / 10 - from) / (to - from), 0);
    lines += "M" + x + " 0v" + std::to_string((BeatDrawing::kHeight - BeatDrawing::kLabels) * 10);
    if (tick / 10 > to - 0.02) continue;  // there is no room for its text
    texts += "<text x=\"" + x + "\" y=\"" + std::to_string(BeatDrawing::kHeight * 10 - 10) + "\">" +
             signed_text(fixed(tick * 100, 0)) + (tick == 0 ? " ms" : "") + "</text>";
  }
  return "<path class=\"grid\" d=\"" + lines + "\"/>" + texts;
}

std::string chips(const Reason& reason, double waveform, double rhythm, double learned) {
  const auto chip = [](const char* name, double part) {
    return std::string("<span class=\"chip\">") + name + " <b>" + fixed(part, 1) + "</b></span>";
  };
  if (!std::isfinite(rhythm)) return "<span class=\"chip\">waveform</span>";
  return (reason.waveform ? chip("waveform", waveform) : "") + (reason.rhythm ? chip("rhythm", rhythm) : "") +
         (learned > 0 ? chip("class", learned) : "");
}

bool in_good_signal(const StoredResult& result, std::int64_t k) {
  return result.beats.quality[result.arrays.strip_beats.values[k]] == Quality::good;
}

// Shows a beat's kind; empty where beats have none.
std::string kind_chip(char kind) {
  if (kind == BeatTable::kNoKind) return "";
  return std::string("<span class=\"kind kind-") + kind + "\">" + kind + "</span> ";
}

// Names the lead that a card shows, which is the one that says most for the beat.
std::string lead_tag(const StoredResult& result, std::int64_t k) {
  const bool most = result.beats.lead[result.arrays.strip_beats.values[k]] == result.row_lead(k);
  return std::string("<span class=\"lead-tag\">") + (most ? "most in <b>" : "in <b>") +
         escaped(result.leads[result.row_lead(k)].name) + "</b></span>";
}

// Shows the time of day beside the time in the recording; empty where it is not known.
std::string day_time_tag(const std::string& time) {
  return time.empty() ? "" : " <span class=\"day-time\" title=\"time of day\">" + time + "</span>";
}

std::string card(const Gallery& gallery, std::int64_t k, const std::string& ticks) {
  const auto& result = gallery.result;
  const auto beat = result.arrays.strip_beats.values[k];
  const auto& beats = result.beats;
  const std::string place = position_text(result.beat_position(beat), result.rate_hz.has_value(), 2),
                    score = fixed(beats.score[beat], 1), id = std::to_string(beat);
  const Reason reason = reason_of(result, k);
  const std::string in_lead = result.several_leads() ? " in lead " + result.leads[result.row_lead(k)].name : "";
  const std::string rank = in_good_signal(result, k) ? std::to_string(k + 1) : "–";  // as in beats.csv
  const auto signal = signal_of(gallery, k);
  const auto marks = marks_of(gallery, k, signal.size());
  return "<li class=\"card\" id=\"beat-" + id + "\" data-beat=\"" + id + "\"><header><a class=\"go\" href=\"#beat-" +
         id + "\"><span class=\"rank\">" + rank + "</span> <span class=\"time\">" + place + "</span>" +
         day_time_tag(result.day_time(result.beat_position(beat))) + "</a>" +
         (result.several_leads() ? lead_tag(result, k) : "") + "<span class=\"score\">score <b>" + score +
         "</b></span></header>" +
         strip_svg(gallery.scale(k), gallery.size, signal, marks, "ECG strip around the beat at " + place + in_lead) +
         BeatDrawing(result, k).svg(
             ticks, "Beat at " + place + in_lead + ": signal, reconstruction, median beat; below, residual") +
         "<p class=\"why\">" + kind_chip(beats.kind[beat]) +
         chips(reason, waveform_part(result, beat), beats.rhythm_score[beat], beats.learned_score[beat]) + " " +
         escaped(reason.words) + "</p></li>\n";
}

std::vector<std::pair<std::string_view, std::string_view>> card_legend(const StoredResult& result) {
  std::vector<std::pair<std::string_view, std::string_view>> entries = {
      {"abnormal-mark", "abnormal"},
      {"normal-mark", "normal"},
      {"signal", "beat"},
      {"median", result.published ? "mean beat" : "median beat"}};
  if (!result.why_no_model().empty()) return entries;
  entries.emplace_back("model", "reconstruction");
  entries.emplace_back("residual", "residual");
  return entries;
}

std::string lower_drawing_words(const StoredResult& result) {
  const std::string usual = result.published ? "mean beat" : "median beat";
  if (!result.why_no_model().empty()) return "The lower one is the beat, with the " + usual + ".";
  return "The lower one is the beat as the model is given it, with the model’s reconstruction and the " + usual +
         ". The line below these is the residual, beat less reconstruction, on the same scale. A reconstruction that "
         "goes far beyond the beat is cut off.";
}

void add_cards(Page& page, const Gallery& gallery, std::int64_t first, std::int64_t last) {
  const std::string ticks = row_ticks(page.result);
  page.html += "<ol class=\"cards\" start=\"" + std::to_string(first + 1) + "\">\n";
  for (auto k = first; k < last; ++k) page.html += card(gallery, k, ticks);
  page.html += "</ol>\n";
}

// Adds the cards of the beats [first, last). A button shows those after the first kShown.
void add_cards_and_more(Page& page, const Gallery& gallery, std::int64_t first, std::int64_t last) {
  add_cards(page, gallery, first, std::min(first + kShown, last));
  if (last - first <= kShown) return;
  page.html += "<details class=\"more\"><summary>Show " + std::to_string(last - first - kShown) + " more</summary>\n";
  add_cards(page, gallery, first + kShown, last);
  page.html += "</details>\n";
}

}  // namespace

void add_gallery(Page& page) {
  const StoredResult& result = page.result;
  const auto count = result.arrays.strip_beats.shape[0];
  Gallery gallery{result, {}, {kStripSeconds, 30}};
  for (std::int64_t lead = 0; lead < std::ssize(result.leads); ++lead)
    gallery.scales.push_back(paper_scale(result, lead));
  gallery.size.height_mm = paper_height(gallery);
  page.open_section(
      "gallery", "Beats", "The most abnormal beats",
      "These beats in good signal have the highest scores, whether or not they are above the threshold. Abnormal beats "
      "in poor signal come last. Each card shows two drawings. "
      "The upper one is the ECG around the beat, with marks at the R peaks: " +
          escaped(paper_text(result)) + ". " + lower_drawing_words(result) +
          (result.several_leads()
               ? " A beat is shown in the lead that says most for it. The strip of the section above "
                 "shows it in all leads."
               : ""));
  page.html += "<div class=\"above-cards\">" + legend(card_legend(result)) + "<span class=\"tools\">" +
               csv_link("rows", "Rows of the most abnormal beats", "Rows as CSV") +
               csv_link("gallery", "The most abnormal beats", "CSV") + "</span></div>\n";
  page.html += strip_paper(gallery.size);
  std::int64_t good = 0;
  while (good < count && in_good_signal(result, good)) ++good;
  add_cards_and_more(page, gallery, 0, good);
  if (good < count) {
    page.html +=
        "<h3 id=\"poor-beats\">In poor signal</h3>\n<p class=\"note\">Artifacts, ventricular "
        "flutter and fast ventricular tachycardia look alike here: please verify.</p>\n";
    add_cards_and_more(page, gallery, good, count);
  }
  page.close_section();
}

}  // namespace beatscan
