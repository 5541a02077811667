#include "app/report/paper/strip.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "app/report/drawing/html.h"
#include "app/report/drawing/ranges.h"
#include "app/report/drawing/relative_path.h"
#include "app/report/stored/stored_result.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

constexpr double kDots = 40;  // units of the drawing in a millimetre, so that whole numbers are enough
constexpr double kMarks = 3;  // millimetres at the top for the marks of R peaks

// Returns the value at the middle of the paper. The paper then holds the whole signal or, where it is too high for
// that, its usual values.
double middle_of(std::span<const float> signal, double height) {
  const Extremes ends = extremes_of(signal);
  if (!ends.exist()) return 0;
  if (ends.greatest - ends.least <= height) return (ends.greatest + ends.least) / 2;
  std::vector<float> values;
  std::ranges::copy_if(signal, std::back_inserter(values), [](float value) { return std::isfinite(value); });
  const auto median = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, median);
  return *median;
}

std::string trace(const PaperScale& scale, const StripSize& size, std::span<const float> signal) {
  const double middle = middle_of(signal, (size.height_mm - kMarks) / scale.mm_per_unit);
  const double step = kDots * scale.mm_per_second / scale.samples_per_second;
  RelativePath path;
  for (std::size_t i = 0; i < signal.size(); ++i)
    if (std::isfinite(signal[i]))
      path.to(RelativePath::whole(static_cast<double>(i) * step),
              RelativePath::whole(kDots * ((size.height_mm + kMarks) / 2 - scale.mm_per_unit * (signal[i] - middle))));
    else
      path.lift();
  return "<path class=\"trace\" d=\"" + path.text() + "\"/>";
}

std::string paper_id(const StripSize& size) {
  return "paper-" + fixed(size.seconds * 10, 0) + "-" + fixed(size.height_mm, 0);
}

// Returns lines every `apart` millimetres.
std::string grid_path(double width, double height, int apart) {
  std::string path;
  for (int x = 0; x <= width + 1e-9; x += apart) path += "M" + fixed(x * kDots, 0) + " 0v" + fixed(height * kDots, 0);
  for (int y = 0; y <= height + 1e-9; y += apart) path += "M0 " + fixed(y * kDots, 0) + "h" + fixed(width * kDots, 0);
  return path;
}

constexpr double kMillimetresPerSecond = 25;

// Returns the height of a beat in a lead, or in the first lead of the same unit that has a median beat; 0 where there
// is none.
double beat_height(const StoredResult& result, std::int64_t lead) {
  std::span<const float> median = result.several_leads() ? std::span<const float>() : result.median(lead);
  for (std::int64_t other = 0; other < std::ssize(result.leads) && median.empty(); ++other)
    if (result.leads[other].unit == result.leads[lead].unit) median = result.median(other);
  if (median.empty()) return 0;
  const auto [least, greatest] = std::ranges::minmax(median);
  return greatest - least;
}

}  // namespace

PaperScale paper_scale(const StoredResult& result, std::int64_t lead) {
  PaperScale scale;
  if (result.rate_hz) scale.samples_per_second = *result.rate_hz;
  const std::string speed = result.rate_hz ? "25 mm/s, " : "250 samples as 25 mm, ";
  const std::string name = result.signal_unit(lead);
  for (const auto& [known, millivolts] : {std::pair{"mV", 1.0}, {"uV", 1e-3}, {"µV", 1e-3}, {"V", 1e3}})
    if (name == known) {
      scale.mm_per_unit = 10 * millivolts;
      scale.text = speed + "10 mm/mV";
      return scale;
    }
  const double beat = beat_height(result, lead);
  if (!(beat > 0) || (beat >= 0.05 && beat <= 20)) {
    scale.text = speed + "10 mm/mV (input unit taken as mV)";
    return scale;
  }
  double units = std::pow(10.0, std::floor(std::log10(beat / 1.5)));  // units of the input that are drawn as 10 mm
  for (const double factor : {5.0, 2.0})
    if (units * factor <= beat / 1.5 * 1.4) {
      units *= factor;
      break;
    }
  scale.mm_per_unit = 10 / units;
  scale.text = speed + "10 mm for " + significant(units, 3) + " of the input's unit, which is not known";
  return scale;
}

std::string paper_text(const StoredResult& result) {
  const std::string first = paper_scale(result).text;
  std::string all = result.several_leads() ? result.leads[0].name + ": " + first : first;
  bool alike = true;
  for (std::int64_t lead = 1; lead < std::ssize(result.leads); ++lead) {
    const std::string text = paper_scale(result, lead).text;
    all += "; " + result.leads[lead].name + ": " + text;
    alike &= text == first;
  }
  return alike ? first : all;
}

std::string strip_paper(const StripSize& size) {
  const double width = size.seconds * kMillimetresPerSecond;
  return "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><g id=\"" + paper_id(size) +
         "\"><path class=\"mm1\" d=\"" + grid_path(width, size.height_mm, 1) + "\"/><path class=\"mm5\" d=\"" +
         grid_path(width, size.height_mm, 5) + "\"/></g></defs></svg>\n";
}

std::string strip_svg(const PaperScale& scale, const StripSize& size, std::span<const float> signal,
                      std::span<const StripMark> marks, const std::string& description) {
  const double width = size.seconds * kMillimetresPerSecond;
  std::string svg = "<svg class=\"strip\" role=\"img\" aria-label=\"" + escaped(description) + "\" width=\"" +
                    fixed(width, 0) + "mm\" height=\"" + fixed(size.height_mm, 0) + "mm\" viewBox=\"0 0 " +
                    fixed(width * kDots, 0) + " " + fixed(size.height_mm * kDots, 0) + "\"><use href=\"#" +
                    paper_id(size) + "\"/>" + trace(scale, size, signal);
  for (const auto& mark : marks) {
    const std::string x = fixed(mark.seconds * kMillimetresPerSecond * kDots, 0);
    if (mark.abnormal)
      svg += "<path class=\"mark abnormal\" d=\"M" + x + " " + (mark.centre ? "128l-52-112h104z" : "88l-36-72h72z") +
             "\"/>";
    else
      svg += "<path class=\"mark normal\" d=\"M" + x + (mark.centre ? " 16v112" : " 16v72") + "\"/>";
  }
  return svg + "</svg>";
}

}  // namespace beatscan
