// app/result/words/own_shapes.h — warns of early beats that are called S, though they look unlike the usual beats.
#pragma once

#include <string>

namespace beatscan {

struct RunResult;

// Returns a warning of the templates of kind S whose mean QRS complex is unlike that of each frequent template of kind
// N; empty where there are none, or few beats. In 122 leads of two databases, each looked at alone, there were such
// templates in 17; in 12 of these most of their beats were V, N or none (docs/method.md, Warnings).
std::string own_shapes_warning(const RunResult& result);

}  // namespace beatscan
