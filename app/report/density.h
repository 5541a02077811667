// app/report/density.h — many points as hexagons, the darker the more of them.
#pragma once

#include <span>
#include <string>

#include "app/report/chart.h"

namespace beatscan {

// Points in the chart's units; those that are not finite are left out, those beyond its axes are at their ends.
// `width`: of a hexagon in pixels.
std::string hexagons(const Chart& chart, std::span<const Point> points, double width);

}  // namespace beatscan
