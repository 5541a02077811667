// app/report/drawing/chart.h — charts as SVG that need no script: axes with units, lines, areas, bars, dots.
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
  enum class Kind {
    linear,
    whole,  // labels at whole numbers only
    log,
    time,    // values in seconds, labels as on a clock
    symlog,  // linear around 0, logarithmic on either side
    none,    // without labels
  };
  double from, to;
  std::string label;  // with the unit
  Kind kind = Kind::linear;
  double linear = 1;  // the distance from 0 up to which a symlog axis is about linear
};

struct ChartSize {
  double width, height;
  double left = 52, right = 14, top = 26, bottom = 42;
};
inline constexpr ChartSize kWide{1120, 190};
inline constexpr ChartSize kHalf{540, 300};

// Appends an SVG path command with its two coordinates, rounded to tenths.
void append_xy(std::string& path, char command, double x, double y);

// A line of a chart's grid with its label.
struct Tick {
  double value;
  std::string text;  // empty: a line without a label
};
// Returns ticks at round values, at least about `pixels_apart` from each other on an axis that is `pixels` long.
std::vector<Tick> ticks_of(const Axis& axis, double pixels_apart, double pixels);

class Chart {
 public:
  // `description` is what a screen reader says about the figure.
  Chart(ChartSize size, Axis x, Axis y, std::string description);

  // These return places in pixels. A value beyond an end of the axis is placed at that end.
  double x(double value) const;
  double y(double value) const;
  double left() const { return size_.left; }
  double right() const { return size_.width - size_.right; }
  double top() const { return size_.top; }
  double bottom() const { return size_.height - size_.bottom; }

  Chart& line(std::string_view css, std::span<const Point> points);  // the line is broken where y is NaN
  Chart& area(std::string_view css, std::span<const Point> low, std::span<const Point> high);
  Chart& bar(std::string_view css, double x_from, double x_to, double y_from, double y_to, std::string_view title = "");
  Chart& dots(std::string_view css, std::span<const Point> points, double diameter);
  Chart& vertical(std::string_view css, double at, std::string_view text = "");
  Chart& horizontal(std::string_view css, double at, std::string_view text = "");
  Chart& raw(std::string_view svg);  // adds SVG in pixels, cut off at the axes

  std::string svg() const;

 private:
  std::string x_axis() const;
  std::string y_axis() const;

  // Holds an axis' ends on its scale. They are computed once, because some charts place 100,000 points.
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

// Returns at most one point for each square of `pixel` by `pixel` pixels. Points that are not finite are left out.
std::vector<Point> thinned(const Chart& chart, std::span<const Point> points, double pixel);

}  // namespace beatscan
