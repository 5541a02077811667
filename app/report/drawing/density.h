// app/report/drawing/density.h — draws many points as hexagons, in a stronger colour where there are more points.
#pragma once

#include <span>
#include <string>

namespace beatscan {

class Chart;
struct Point;

// Returns SVG. Points are in the chart's units: those that are not finite are left out, and those beyond an axis count
// at its end. `width` is that of one hexagon, in pixels.
std::string hexagons(const Chart& chart, std::span<const Point> points, double width);

}  // namespace beatscan
