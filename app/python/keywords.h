// app/python/keywords.h — the configuration's options as keyword arguments of operators: detect.keep is detect_keep.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"

namespace beatscan::operators {

// Returns ", float? detect_band_hz=None, …", a part of an operator's schema, for the options of some sections
// ("detect.") and for single ones ("method"). None, the default, does not change an option.
std::string keywords_of(const std::vector<std::string_view>& sections);

// Returns the argument of a name; None if it was not given, or the operator has none of that name.
using Given = std::function<c10::IValue(const std::string& name)>;

// Applies the options given as keywords. Throws ErrorKind::usage for an invalid value, with `source` and the option.
void apply_keywords(Config& config, const Given& given, const std::string& source);

}  // namespace beatscan::operators
