// app/report/page_arrays.h — arrays of values as whole numbers, for the page's script.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/common/json.h"
#include "app/report/drawing/pack.h"

namespace beatscan {

// Turns values into whole numbers of steps from an offset. Most are below 32,768 and take two bytes. Those of a signal
// far from 0, or of an artefact, take more. The differences between any two of them fit into 32 bits.
struct ArraySteps {
  double offset, step;
  static constexpr std::int32_t kMost = 1 << 29;
  static constexpr std::int32_t kNone = -(1 << 30);  // stands for no value
  bool operator==(const ArraySteps&) const = default;
  std::int32_t operator()(float value) const {
    if (!std::isfinite(value)) return kNone;
    const double steps = std::clamp((value - offset) / step, -1.0 * kMost, 1.0 * kMost);
    if (std::isnan(steps)) return kNone;
    return nearest(steps);
  }
  static std::int32_t nearest(double steps) { return static_cast<std::int32_t>(steps + std::copysign(0.5, steps)); }
};

// Returns the steps of each value.
std::vector<std::int32_t> in_steps(std::span<const float> values, const ArraySteps& steps);

// The packed arrays of a page, with the scales that they are in.
class PageArrays {
 public:
  // Adds an array. The values must outlive this object.
  void scaled(const std::string& name, std::span<const float> values, const ArraySteps& steps, bool smooth = false) {
    scaled(name, steps, smooth, [values, steps] { return in_steps(values, steps); });
  }
  void scaled(const std::string& name, const ArraySteps& steps, bool smooth, PackedArrays::Integers whole) {
    smooth ? packed.differences(name, std::move(whole)) : packed.integers(name, std::move(whole));
    scales[name] = json_of(steps);
  }
  // Adds an array of equal parts, each of which has steps of its own.
  void in_parts(const std::string& name, std::vector<ArraySteps> steps, PackedArrays::Integers whole) {
    packed.differences(name, std::move(whole));
    scales[name] = Json::array();
    for (const ArraySteps& part : steps) scales[name].push_back(json_of(part));
  }
  static Json json_of(const ArraySteps& steps) { return {{"offset", steps.offset}, {"step", steps.step}}; }
  PackedArrays packed;
  Json scales = Json::object();
};

}  // namespace beatscan
