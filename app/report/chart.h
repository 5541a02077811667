// app/report/chart.h — charts as SVG that need no script: axes with units, lines, areas, bars, dots.
//
// Colours and strokes are those of the classes in page.css. The SVG carries its scales as data attributes, so that a
// script can find the value under the pointer.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace beatscan {

struct Point {
  double x, y;
};

struct Axis {
  // whole: labels at whole numbers alone; time: in seconds, labelled as a clock; symlog: linear around 0, logarithmic
  // on either side; none: without labels
  enum class Kind { linear, whole, log, time, symlog, none };
  double from, to;
  std::string label;  // with the unit
  Kind kind = Kind::linear;
  double linear = 1;  // symlog: so far it is about linear
};

struct ChartSize {
  double width, height;
  double left = 52, right = 14, top = 26, bottom = 42;
};
inline constexpr ChartSize kWide{1120, 190};
inline constexpr ChartSize kHalf{540, 300};

// Appends numbers to a path, rounded to tenths.
void append_xy(std::string& path, char command, double x, double y);

// Places for labels between the ends, at round values.
struct Tick {
  double value;
  std::string text;  // empty: a line without a label
};
std::vector<Tick> ticks_of(const Axis& axis, double pixels_apart, double pixels);

class Chart {
 public:
  // `description` is what a screen reader says of the figure.
  Chart(ChartSize size, Axis x, Axis y, std::string description);

  // In pixels; beyond the axis at its end.
  double x(double value) const;
  double y(double value) const;
  double left() const { return size_.left; }
  double right() const { return size_.width - size_.right; }
  double top() const { return size_.top; }
  double bottom() const { return size_.height - size_.bottom; }

  Chart& line(std::string_view css, std::span<const Point> points);  // broken where y is NaN
  Chart& area(std::string_view css, std::span<const Point> low, std::span<const Point> high);
  Chart& bar(std::string_view css, double x_from, double x_to, double y_from, double y_to, std::string_view title = "");
  Chart& dots(std::string_view css, std::span<const Point> points, double diameter);
  Chart& vertical(std::string_view css, double at, std::string_view text = "");
  Chart& horizontal(std::string_view css, double at, std::string_view text = "");
  Chart& raw(std::string_view svg);  // in pixels, cut off at the axes

  std::string svg() const;

 private:
  std::string x_axis() const;
  std::string y_axis() const;

  // An axis' ends on its scale, taken once: some charts place 100,000 points.
  struct Ends {
    explicit Ends(const Axis& axis);
    double share(const Axis& axis, double value) const;
    double from, length;
  };
  ChartSize size_;
  Axis x_axis_, y_axis_;
  Ends x_ends_, y_ends_;
  std::string description_, marks_, texts_;
};

// A range that holds all but the outermost `apart` of the values on either side, a little wider. NaN are left out.
struct Range {
  double from, to;
};
Range range_of(std::vector<float> values, double apart);

// Of a signal: all of it; where a few artefacts reach more than twice as far as all else, what is left without them.
struct SignalRange {
  Range range;
  bool cut;
};
SignalRange signal_range(const std::vector<float>& envelope);

// Of points closer than `pixel` in the chart one is enough.
std::vector<Point> thinned(const Chart& chart, std::span<const Point> points, double pixel);

}  // namespace beatscan
