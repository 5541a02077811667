#include "app/report/drawing/chart.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/report/drawing/html.h"
#include "app/report/drawing/relative_path.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

void append_tenths(std::string& text, double value) {
  const auto tenths = std::llround(value * 10);
  char digits[24];
  char* end = std::to_chars(digits, digits + sizeof digits, tenths / 10).ptr;
  if (tenths < 0 && tenths > -10) end = std::copy_n("-0", 2, digits);
  text.append(digits, end);
  if (tenths % 10 != 0) text += {'.', static_cast<char>('0' + std::abs(tenths % 10))};
}

std::string attribute(const char* name, double value) {
  std::string text = std::string(" ") + name + "=\"";
  append_tenths(text, value);
  return text + "\"";
}

// Returns the smallest step that is at least `least` and 1, 2 or 5 times a power of ten.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

double clock_step(double least) {
  for (const double step : {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200})
    if (step >= least) return step;
  return 86400 * std::ceil(least / 86400);
}

// Returns ticks at 0 and, on either side where there is room, at powers of ten and three times these.
std::vector<Tick> symlog_ticks(const Axis& axis, double pixels_apart, double pixels) {
  std::vector<Tick> ticks;
  if (axis.from <= 0 && axis.to >= 0) ticks.push_back({0, "0"});
  const auto at = [&](double value) { return std::asinh(value / axis.linear); };
  const double pixel = (at(axis.to) - at(axis.from)) / pixels;
  double last = 0;
  for (double power = std::pow(10.0, std::floor(std::log10(axis.linear))); power < std::max(-axis.from, axis.to);
       power *= 10)
    for (const double size : {power, 3 * power}) {
      if (at(size) - last < pixels_apart * pixel) continue;
      last = at(size);
      for (const double value : {-size, size})
        if (value >= axis.from && value <= axis.to) ticks.push_back({value, signed_text(significant(value, 3))});
    }
  return ticks;
}

std::string log_text(double value) {
  if (value < 0.0005 || value > 5e6) return significant(value, 1);
  return value >= 1 ? grouped(std::llround(value)) : significant(value, 1);
}

// Returns ticks at powers of ten; where these are few, also at 2 and 5 times these.
std::vector<Tick> log_ticks(const Axis& axis) {
  std::vector<Tick> ticks;
  const double decades = std::log10(axis.to / axis.from);
  const int every = std::max(1, static_cast<int>(decades / 6));  // powers of ten from one label to the next
  const std::vector<double> factors = decades < 2.3 ? std::vector{1.0, 2.0, 5.0} : std::vector{1.0};
  const int first = static_cast<int>(std::floor(std::log10(axis.from)));
  for (int power = first; power <= std::ceil(std::log10(axis.to)); ++power)
    for (const double factor : factors) {
      const double value = factor * std::pow(10.0, power);
      if (value >= axis.from * (1 - 1e-9) && value <= axis.to * (1 + 1e-9))
        ticks.push_back({value, (power - first) % every == 0 ? log_text(value) : ""});
    }
  return ticks;
}

}  // namespace

void append_xy(std::string& path, char command, double x, double y) {
  path += command;
  append_tenths(path, x);
  path += ' ';
  append_tenths(path, y);
}

std::vector<Tick> ticks_of(const Axis& axis, double pixels_apart, double pixels) {
  if (axis.kind == Axis::Kind::none) return {};
  if (axis.kind == Axis::Kind::log) return log_ticks(axis);
  if (axis.kind == Axis::Kind::symlog) return symlog_ticks(axis, pixels_apart, pixels);
  const double least = (axis.to - axis.from) * pixels_apart / pixels;
  const double step = axis.kind == Axis::Kind::time    ? clock_step(least)
                      : axis.kind == Axis::Kind::whole ? std::max(round_step(least), 1.0)
                                                       : round_step(least);
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  const auto text = [&](double value) {
    if (axis.kind == Axis::Kind::time) return axis.to >= 3600 && step >= 60 ? hours_minutes(value) : clock_time(value);
    return std::abs(value) >= 9999.5 ? grouped(std::llround(value)) : signed_text(fixed(value, decimals));
  };
  std::vector<Tick> ticks;
  for (double i = std::ceil(axis.from / step - 1e-9); i * step <= axis.to * (1 + 1e-12) + step * 1e-9; ++i)
    ticks.push_back({i * step, text(i * step)});
  return ticks;
}

namespace {

Axis with_length(Axis axis) {
  if (!(axis.to > axis.from)) axis.to = axis.from + (axis.from != 0 ? std::abs(axis.from) : 1);
  return axis;
}

double on_scale(const Axis& axis, double value) {
  return axis.kind == Axis::Kind::log      ? std::log10(std::max(value, 1e-300))
         : axis.kind == Axis::Kind::symlog ? std::asinh(value / axis.linear)
                                           : value;
}

}  // namespace

Chart::Ends::Ends(const Axis& axis) : from(on_scale(axis, axis.from)), length(on_scale(axis, axis.to) - from) {}

double Chart::Ends::share(const Axis& axis, double value) const {
  return std::clamp((on_scale(axis, value) - from) / length, 0.0, 1.0);
}

Chart::Chart(ChartSize size, Axis x, Axis y, std::string description)
    : size_(size),
      x_axis_(with_length(std::move(x))),
      y_axis_(with_length(std::move(y))),
      x_ends_(x_axis_),
      y_ends_(y_axis_),
      description_(std::move(description)) {}

double Chart::x(double value) const { return left() + x_ends_.share(x_axis_, value) * (right() - left()); }
double Chart::y(double value) const { return bottom() - y_ends_.share(y_axis_, value) * (bottom() - top()); }

Chart& Chart::line(std::string_view css, std::span<const Point> points) {
  std::string path;
  bool pen_down = false;
  for (const Point& point : points) {
    const bool exists = std::isfinite(point.y);
    if (exists) append_xy(path, pen_down ? 'L' : 'M', x(point.x), y(point.y));
    pen_down = exists;
  }
  return raw("<path class=\"line " + std::string(css) + "\" d=\"" + path + "\"/>");
}

Chart& Chart::area(std::string_view css, std::span<const Point> low, std::span<const Point> high) {
  std::string path;
  for (std::size_t i = 0; i < low.size(); ++i) {
    if (!std::isfinite(low[i].y)) continue;
    const std::size_t first = i;
    for (; i < low.size() && std::isfinite(low[i].y); ++i)
      append_xy(path, i == first ? 'M' : 'L', x(high[i].x), y(high[i].y));
    for (std::size_t back = i; back-- > first;) append_xy(path, 'L', x(low[back].x), y(low[back].y));
    path += 'z';
  }
  return raw("<path class=\"area " + std::string(css) + "\" d=\"" + path + "\"/>");
}

Chart& Chart::bar(std::string_view css, double x_from, double x_to, double y_from, double y_to,
                  std::string_view title) {
  const double left = x(x_from), top = y(y_to), wide = x(x_to) - left;
  const double gap = wide > 3 ? 0.6 : 0;  // keeps neighbouring bars apart
  return raw("<rect class=\"bar " + std::string(css) + "\"" + attribute("x", left) + attribute("y", top) +
             attribute("width", wide - gap) + attribute("height", std::max(y(y_from) - top, 0.0)) +
             (title.empty() ? "/>" : "><title>" + escaped(title) + "</title></rect>"));
}

Chart& Chart::dots(std::string_view css, std::span<const Point> points, double diameter) {
  RelativePath path;  // in half pixels; a dot is a line of no length with round ends
  for (const Point& point : points)
    if (std::isfinite(point.x) && std::isfinite(point.y))
      path.dot(RelativePath::whole(2 * x(point.x)), RelativePath::whole(2 * y(point.y)));
  return raw("<path class=\"dots " + std::string(css) + "\" transform=\"scale(.5)\"" +
             attribute("stroke-width", 2 * diameter) + " d=\"" + path.text() + "\"/>");
}

Chart& Chart::vertical(std::string_view css, double at, std::string_view text) {
  std::string path;
  append_xy(path, 'M', x(at), top());
  append_xy(path, 'L', x(at), bottom());
  raw("<path class=\"rule " + std::string(css) + "\" d=\"" + path + "\"/>");
  const bool turn = x(at) > (left() + right()) / 2;  // keeps the text inside the chart
  if (!text.empty())
    texts_ += "<text class=\"rule-text " + std::string(css) + "\"" + attribute("x", x(at) + (turn ? -5 : 5)) +
              attribute("y", top() + 11) + (turn ? " text-anchor=\"end\">" : ">") + escaped(text) + "</text>";
  return *this;
}

Chart& Chart::horizontal(std::string_view css, double at, std::string_view text) {
  std::string path;
  append_xy(path, 'M', left(), y(at));
  append_xy(path, 'L', right(), y(at));
  raw("<path class=\"rule " + std::string(css) + "\" d=\"" + path + "\"/>");
  if (!text.empty())
    texts_ += "<text class=\"rule-text " + std::string(css) + "\" text-anchor=\"end\"" + attribute("x", right() - 4) +
              attribute("y", y(at) + 14) + ">" + escaped(text) + "</text>";
  return *this;
}

Chart& Chart::raw(std::string_view svg) {
  marks_ += svg;
  return *this;
}

std::string Chart::x_axis() const {
  std::string grid, texts;
  for (const Tick& tick : ticks_of(x_axis_, x_axis_.kind == Axis::Kind::time ? 90 : 50, right() - left())) {
    append_xy(grid, 'M', x(tick.value), top());
    append_xy(grid, 'L', x(tick.value), bottom());
    if (size_.bottom < 20) continue;  // the chart below shares this axis and has its labels
    texts += "<text" + attribute("x", x(tick.value)) + attribute("y", bottom() + 17) + ">" + tick.text + "</text>";
  }
  return "<path class=\"grid\" d=\"" + grid + "\"/><g class=\"x-ticks\">" + texts + "</g><text class=\"x-label\"" +
         attribute("x", (left() + right()) / 2) + attribute("y", bottom() + 35) + ">" + escaped(x_axis_.label) +
         "</text>";
}

std::string Chart::y_axis() const {
  std::string grid, texts;
  for (const Tick& tick : ticks_of(y_axis_, 38, bottom() - top())) {
    append_xy(grid, 'M', left(), y(tick.value));
    append_xy(grid, 'L', right(), y(tick.value));
    texts += "<text" + attribute("x", left() - 7) + attribute("y", y(tick.value) + 4) + ">" + tick.text + "</text>";
  }
  return "<path class=\"grid\" d=\"" + grid + "\"/><g class=\"y-ticks\">" + texts +
         "</g><text class=\"y-label\" x=\"0\"" + attribute("y", top() - 12) + ">" + escaped(y_axis_.label) + "</text>";
}

std::string Chart::svg() const {
  const auto scale = [](const char* name, const Axis& axis, double low, double high) {
    return std::string(" data-") + name + "=\"" + significant(axis.from, 9) + " " + significant(axis.to, 9) + " " +
           fixed(low, 1) + " " + fixed(high, 1) +
           (axis.kind == Axis::Kind::log      ? " log\""
            : axis.kind == Axis::Kind::symlog ? " symlog " + significant(axis.linear, 9) + "\""
                                              : "\"");
  };
  const std::string box = " x=\"" + fixed(left(), 1) + "\" y=\"" + fixed(top(), 1) + "\" width=\"" +
                          fixed(right() - left(), 1) + "\" height=\"" + fixed(bottom() - top(), 1) + "\"";
  const std::string inner =
      fixed(left(), 1) + " " + fixed(top(), 1) + " " + fixed(right() - left(), 1) + " " + fixed(bottom() - top(), 1);
  return "<svg class=\"chart\" role=\"img\" aria-label=\"" + escaped(description_) + "\" viewBox=\"0 0 " +
         fixed(size_.width, 0) + " " + fixed(size_.height, 0) + "\"" + scale("x", x_axis_, left(), right()) +
         scale("y", y_axis_, bottom(), top()) + ">" + x_axis() + y_axis() + "<svg class=\"marks\"" + box +
         " viewBox=\"" + inner + "\">" + marks_ + "</svg>" + texts_ + "</svg>";
}

std::vector<Point> thinned(const Chart& chart, std::span<const Point> points, double pixel) {
  const auto columns = static_cast<std::size_t>((chart.right() - chart.left()) / pixel) + 1,
             rows = static_cast<std::size_t>((chart.bottom() - chart.top()) / pixel) + 1;
  std::vector<bool> taken(columns * rows);
  std::vector<Point> some;
  for (const Point& point : points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
    const auto column = static_cast<std::size_t>((chart.x(point.x) - chart.left()) / pixel),
               row = static_cast<std::size_t>((chart.y(point.y) - chart.top()) / pixel);
    if (taken[row * columns + column]) continue;
    taken[row * columns + column] = true;
    some.push_back(point);
  }
  return some;
}

}  // namespace beatscan
