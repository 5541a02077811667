// app/cli/print_json.h — JSON on standard output.
#pragma once

#include <cstdio>

#include "app/common/json.h"

namespace beatscan {

inline void print_json(const Json& document) { std::printf("%s\n", text_of(document).c_str()); }

}  // namespace beatscan
