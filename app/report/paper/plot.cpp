#include "app/report/paper/plot.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/common/build_info.h"
#include "app/common/numbers.h"
#include "app/report/drawing/html.h"
#include "app/report/paper/strip.h"
#include "app/report/stored/beat_table.h"
#include "app/report/stored/stored_result.h"
#include "kernels/runtime/error.h"
#include "stages/common/duration.h"

namespace beatscan {
namespace {

// Sizes in millimetres.
constexpr double kLine_s = 10;  // seconds on a line, if the stretch does not fit on one
constexpr double kLongestLine_s = 13;
constexpr double kPulse = 15;       // room for the calibration pulse in front of the signal
constexpr double kHead = 12;        // room for title and scale
constexpr double kBeatsAbove = 10;  // room for the beats above the first lead
constexpr double kTimesBelow = 5;   // room for the times below the last lead
constexpr double kBetweenLines = 5;
constexpr double kRight = 8;           // room for the last time
constexpr double kLeastPicture = 175;  // width, in which the scale can be read
constexpr double kLeastLead = 15, kMostLead = 60;
constexpr double kGapWords = 15;  // width of a gap in which there is room for words

// One lead: its scale, the height of its lane, and the value at the lane's middle.
struct PlotLane {
  PaperScale scale;
  std::string name;
  std::span<const float> samples;
  double height = kLeastLead, middle = 0;
};

// The drawing of the whole picture. `line_s` seconds are on a line.
struct PlotLayout {
  const StoredResult& result;
  const PlotStretch& stretch;
  std::int64_t first;  // sample
  const PlotWaves& waves;
  std::vector<PlotLane> lanes;
  double per_s;   // samples
  double line_s;  // seconds

  double width() const { return kPulse + 25 * line_s; }
  double lanes_height() const {
    double height = 0;
    for (const auto& lane : lanes) height += lane.height;
    return height;
  }
  double line_height() const { return kBeatsAbove + lanes_height() + kTimesBelow; }
  // Millimetres from the left of a sample on a line that begins at `begin`.
  double x(double sample, double begin) const { return kPulse + 25 * (sample - begin) / per_s; }
};

std::string mm(double value) { return fixed(value, 2); }

std::string text_at(double x, double y, double size, const std::string& text, const char* more = "") {
  return "<text x=\"" + mm(x) + "\" y=\"" + mm(y) + "\" font-size=\"" + mm(size) + "\"" + more + ">" + escaped(text) +
         "</text>\n";
}

PlotLane lane_of(const StoredResult& result, std::int64_t lead, std::span<const float> samples) {
  PlotLane lane{paper_scale(result, lead), result.leads[lead].name, samples};
  double least = INFINITY, greatest = -INFINITY;
  for (const float value : samples)
    if (std::isfinite(value)) least = std::min<double>(least, value), greatest = std::max<double>(greatest, value);
  if (least > greatest) return lane;
  lane.middle = (least + greatest) / 2;
  const double needed = (greatest - least) * lane.scale.mm_per_unit + 4;
  lane.height = std::clamp(5 * std::ceil(needed / 5), kLeastLead, kMostLead);
  return lane;
}

std::string grid(double x, double y, double width, double height) {
  std::string svg;
  for (const auto& [apart, colour, stroke] : {std::tuple{1, "#f6dcd9", "0.08"}, std::tuple{5, "#e8aaa4", "0.14"}}) {
    std::string path;
    for (double at = 0; at <= width + 1e-9; at += apart) path += "M" + mm(x + at) + " " + mm(y) + "v" + mm(height);
    for (double at = 0; at <= height + 1e-9; at += apart) path += "M" + mm(x) + " " + mm(y + at) + "h" + mm(width);
    svg += std::string("<path stroke=\"") + colour + "\" stroke-width=\"" + stroke + "\" fill=\"none\" d=\"" + path +
           "\"/>\n";
  }
  return svg;
}

// Draws the gaps of a lead on one line as grey paper: no bridge is taken for a signal.
std::string gaps_svg(const PlotLayout& layout, const PlotLane& lane, double begin, double end, double top) {
  std::string svg;
  const auto last = std::min<std::int64_t>(std::llround(end), layout.first + std::ssize(lane.samples));
  const auto missing = [&](std::int64_t i) { return !std::isfinite(lane.samples[i - layout.first]); };
  for (auto i = std::llround(begin); i < last; ++i) {
    if (!missing(i)) continue;
    const auto from = i;
    while (i < last && missing(i)) ++i;
    const double left = layout.x(static_cast<double>(from), begin),
                 width = layout.x(static_cast<double>(i), begin) - left;
    svg += "<rect class=\"gap\" fill=\"#d5d9dd\" x=\"" + mm(left) + "\" y=\"" + mm(top) + "\" width=\"" + mm(width) +
           "\" height=\"" + mm(lane.height) + "\"/>\n";
    if (width >= kGapWords)
      svg += text_at(left + width / 2, top + lane.height / 2 + 1, 3, "no signal",
                     " text-anchor=\"middle\" fill=\"#5c6873\"");
  }
  return svg;
}

// Draws a lead on one line. Values beyond the lane by more than 5 mm are cut off.
std::string lane_svg(const PlotLayout& layout, const PlotLane& lane, double begin, double end, double top) {
  const double centre = top + lane.height / 2;
  const auto y = [&](double value) {
    return std::clamp(centre - lane.scale.mm_per_unit * (value - lane.middle), top - 5, top + lane.height + 5);
  };
  std::string path;  // in hundredths of a millimetre
  bool is_down = false;
  const auto last = std::min<std::int64_t>(std::llround(end), layout.first + std::ssize(lane.samples));
  for (auto i = std::llround(begin); i < last; ++i) {
    const float value = lane.samples[i - layout.first];
    if (std::isfinite(value))
      path += (is_down ? "L" : "M") + fixed(100 * layout.x(static_cast<double>(i), begin), 0) + " " +
              fixed(100 * y(value), 0);
    is_down = std::isfinite(value);
  }
  const std::string stroke = " fill=\"none\" stroke=\"#15191d\" stroke-linejoin=\"round\" ";
  return "<path transform=\"scale(.01)\"" + stroke + "stroke-width=\"25\" d=\"" + path + "\"/>\n<path" + stroke +
         "stroke-width=\"0.25\" d=\"M2 " + mm(centre + 5) + "h2v-10h5v10h2\"/>\n" +
         text_at(1, top + 4, 3.2, lane.name, " font-weight=\"bold\"");
}

// Draws a mark at each R peak, the class of a beat that is not normal, and the intervals in milliseconds.
std::string beats_svg(const PlotLayout& layout, double begin, double end, double top) {
  const auto& beats = layout.result.beats;
  std::string svg;
  auto i = std::ranges::lower_bound(beats.sample, std::llround(begin)) - beats.sample.begin();
  for (; i < beats.size() && static_cast<double>(beats.sample[i]) < end; ++i) {
    const double x = layout.x(static_cast<double>(beats.sample[i]), begin);
    const char beat_class = beats.beat_class[i];
    const bool plain = beat_class == 'N' || beat_class == BeatTable::kNoClass;
    svg += "<path stroke=\"" + std::string(plain ? "#0072b2" : "#d55e00") + "\" stroke-width=\"0.35\" d=\"M" + mm(x) +
           " " + mm(top + 6.5) + "v3\"/>\n";
    if (beat_class != BeatTable::kNoClass)
      svg += text_at(x, top + 5.6, 3, std::string(1, beat_class),
                     plain ? " text-anchor=\"middle\" fill=\"#5c6873\""
                           : " text-anchor=\"middle\" fill=\"#d55e00\" font-weight=\"bold\"");
    if (i + 1 >= beats.size() || !std::isfinite(beats.rr_next[i])) continue;
    const double between = (x + layout.x(static_cast<double>(beats.sample[i + 1]), begin)) / 2;
    const std::string interval = layout.result.rate_hz ? fixed(1000 * beats.rr_next[i], 0) : fixed(beats.rr_next[i], 0);
    if (between < layout.x(end, begin) - 3)
      svg += text_at(between, top + 9, 2.5, interval, " text-anchor=\"middle\" fill=\"#5c6873\"");
  }
  return svg;
}

// Draws ticks at whole seconds, with their times below.
std::string times_svg(const PlotLayout& layout, double begin, double end, double bottom) {
  std::string svg;
  const bool timed = layout.result.rate_hz.has_value();
  for (double second = std::ceil(begin / layout.per_s - 1e-9); second * layout.per_s <= end; ++second) {
    const double x = layout.x(second * layout.per_s, begin);
    svg += "<path stroke=\"#5c6873\" stroke-width=\"0.25\" d=\"M" + mm(x) + " " + mm(bottom - 1.5) + "v1.5\"/>\n" +
           text_at(x, bottom + 3.6, 2.7, timed ? clock_time(second) : grouped(std::llround(second * layout.per_s)),
                   " text-anchor=\"middle\" fill=\"#5c6873\"");
  }
  return svg;
}

std::string shade_svg(const PlotLayout& layout, double begin, double end, double top) {
  if (!layout.stretch.shade) return "";
  const double per = layout.result.rate_hz ? layout.per_s : 1;
  const double from = std::max(layout.stretch.shade->first * per, begin),
               to = std::min(layout.stretch.shade->second * per, end);
  if (from >= to) return "";
  return "<rect fill=\"#fff1cf\" x=\"" + mm(layout.x(from, begin)) + "\" y=\"" + mm(top) + "\" width=\"" +
         mm(layout.x(to, begin) - layout.x(from, begin)) + "\" height=\"" + mm(layout.lanes_height()) + "\"/>\n";
}

// Draws a wash over each wave of a lead on one line. Letters stand at the lane's lower edge where the waves are the
// lead's own; those over leads have letters in the first lead alone.
std::string waves_svg(const PlotLayout& layout, std::int64_t lead, double begin, double end, double top) {
  struct Ink {
    const char *letter, *colour;
  };
  constexpr Ink kInks[] = {{"P", "#009e73"}, {"QRS", "#56646f"}, {"T", "#aa4499"}};
  const double height = layout.lanes[lead].height;
  const bool has_letters = lead == 0 || layout.waves.of_leads.contains(lead);
  std::string svg;
  for (const PlotWave& wave : layout.waves.of(lead)) {
    const auto& [letter, colour] = kInks[static_cast<int>(wave.letter)];
    const auto x = [&](double seconds) { return layout.x(std::clamp(seconds * layout.per_s, begin, end), begin); };
    const double left = x(wave.from), right = x(wave.to), peak = wave.peak * layout.per_s;
    if (left >= right) continue;
    svg += std::string("<rect class=\"wave\" fill=\"") + colour + "\" fill-opacity=\"0.16\" x=\"" + mm(left) +
           "\" y=\"" + mm(top) + "\" width=\"" + mm(right - left) + "\" height=\"" + mm(height) + "\"/>\n";
    if (has_letters && peak >= begin && peak < end)
      svg += text_at(layout.x(peak, begin), top + height - 0.8, 1.9, letter,
                     (std::string(" text-anchor=\"middle\" fill=\"") + colour + "\"").c_str());
  }
  return svg;
}

// Draws one line of the picture.
std::string line_svg(const PlotLayout& layout, double begin, double end, double top) {
  const double paper = top + kBeatsAbove;
  std::string svg = shade_svg(layout, begin, end, paper);
  double lane_top = paper;
  for (std::int64_t lead = 0; lead < std::ssize(layout.lanes); lane_top += layout.lanes[lead++].height)
    svg += waves_svg(layout, lead, begin, end, lane_top);
  svg += grid(0, paper, layout.width(), layout.lanes_height());
  lane_top = paper;
  for (const auto& lane : layout.lanes) {
    svg += gaps_svg(layout, lane, begin, end, lane_top) + lane_svg(layout, lane, begin, end, lane_top);
    lane_top += lane.height;
  }
  return svg + beats_svg(layout, begin, end, top) + times_svg(layout, begin, end, lane_top);
}

// Names the recording, what is shown and when it was.
std::string title_of(const StoredResult& result, const PlotStretch& stretch) {
  const bool timed = result.rate_hz.has_value();
  std::string title = result.title();
  if (!stretch.name.empty()) title += " · " + stretch.name;
  title += " · " + position_text(stretch.from, timed, 1) + " – " + position_text(stretch.to, timed, 1);
  if (const auto day = result.day_time(stretch.from); !day.empty()) title += " (" + day + ")";
  return title;
}

bool is_png(const std::filesystem::path& out) { return out.extension() == ".png"; }

}  // namespace

Drawing plot_drawing(const StoredResult& result, const PlotStretch& stretch, std::int64_t first,
                     const std::vector<std::vector<float>>& leads, const PlotWaves& waves) {
  PlotLayout layout{result, stretch, first, waves, {}, result.rate_hz.value_or(250), kLine_s};
  for (std::int64_t lead = 0; lead < std::ssize(leads); ++lead)
    layout.lanes.push_back(lane_of(result, lead, leads[lead]));
  const double samples = leads.empty() ? 0 : static_cast<double>(leads[0].size()), seconds = samples / layout.per_s;
  if (seconds <= kLongestLine_s) layout.line_s = std::max(seconds, 1.0);
  const int lines = std::max(1, static_cast<int>(std::ceil(seconds / layout.line_s - 1e-6)));
  const double height_mm = kHead + lines * (layout.line_height() + kBetweenLines),
               width_mm = std::max(layout.width() + kRight, kLeastPicture);
  const std::string width = mm(width_mm), height = mm(height_mm);
  std::string svg = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                    width + "mm\" height=\"" + height + "mm\" viewBox=\"0 0 " + width + " " + height +
                    "\" font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"#1b2127\">\n<title>" +
                    escaped(title_of(result, stretch)) + "</title>\n<rect fill=\"#ffffff\" width=\"" + width +
                    "\" height=\"" + height + "\"/>\n" +
                    text_at(1, 5, 4, title_of(result, stretch), " font-weight=\"bold\"") +
                    text_at(1, 9.5, 2.9,
                            paper_text(result) + ". Intervals in " + (result.rate_hz ? "ms" : "samples") +
                                ". beatscan " + BEATSCAN_VERSION + ", for research use; not a diagnosis.",
                            " fill=\"#5c6873\"");
  for (int line = 0; line < lines; ++line) {
    const double begin = static_cast<double>(first) + line * layout.line_s * layout.per_s,
                 end = std::min(begin + layout.line_s * layout.per_s, static_cast<double>(first) + samples);
    svg += line_svg(layout, begin, end, kHead + line * (layout.line_height() + kBetweenLines));
  }
  return {svg + "</svg>\n", width_mm, height_mm};
}

std::string picture_file(const Drawing& drawing, const PlotRequest& request) {
  if (!is_png(request.out)) return drawing.svg;
  return png_of(drawing, request.dpi.value_or(kPictureDpi), request.out.string());
}

void check_picture(const PlotRequest& request) {
  if (request.out.extension() != ".svg" && !is_png(request.out))
    fail(ErrorKind::usage, request.out.string(), "give a name that ends in .svg or in .png");
  if (!request.dpi) return;
  if (!is_png(request.out))
    fail(ErrorKind::usage, "--dpi", "an SVG has no pixels; leave it out, or give --out a name that ends in .png");
  if (!(*request.dpi >= kLeastDpi && *request.dpi <= kMostDpi))
    fail(ErrorKind::usage, "--dpi", "is not from " + fixed(kLeastDpi, 0) + " to " + fixed(kMostDpi, 0));
}

}  // namespace beatscan
