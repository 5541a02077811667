// app/operators/keywords.h — the configuration's options as keyword arguments of operators: detect.keep is detect_keep.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/config/config.h"

namespace beatscan::operators {

// ", float? detect_band_hz=None, …" for the options of some sections ("detect."), or single ones ("method"), as a part
// of an operator's schema. None, the default, leaves an option as it is.
std::string keywords_of(const std::vector<std::string_view>& sections);

// What was given for a name; None where nothing was, or the operator has no such argument.
using Given = std::function<c10::IValue(const std::string& name)>;

// Overlays the options that were given as keywords. Throws ErrorKind::usage, naming the option, for a value that does
// not serve; `source` stands before it.
void apply_keywords(Config& config, const Given& given, const std::string& source);

}  // namespace beatscan::operators
