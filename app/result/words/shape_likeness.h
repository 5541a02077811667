// app/result/words/shape_likeness.h — how like the templates' mean beats are to those of usual beats.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "app/result/template_shapes.h"

namespace beatscan {

struct RunResult;

inline constexpr std::int64_t kFewBeatsOfShape = 10;  // a template of fewer beats is not looked at

// The mean beats of a result's templates.
struct ComparedShapes {
  ShapeMeans shapes;
  std::span<const double> lead_weights;  // [C]
  std::vector<std::int64_t> usual;       // templates of kind N with 2 % of the beats or more
  double before_s, after_s;              // a mean beat goes from before the R peak to after it
};

// Returns what the result's templates look like; nothing where they were not drawn, or none is usual.
std::optional<ComparedShapes> compared_shapes(const RunResult& result);

// Returns the greatest correlation of each template with a usual one, in all leads together, [T]. Each lead is taken
// around its own mean, over the size of the first usual template in it, and counts by its weight; none in which that
// one is flat.
//   from_s, to_s  the part of the mean beats that counts; the R peak is at 0
std::vector<double> likeness_to_usual(const ComparedShapes& compared, double from_s, double to_s);

}  // namespace beatscan
