// app/python/operators.h — the program's stages as functions of a caller's arrays. docs/python.md documents arguments
// and results.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/common/json.h"
#include "app/python/arrays.h"

namespace beatscan::operators {

// Returns the declarations of the operators in PyTorch's language of schemas.
std::vector<std::string> schemas();

struct Call {
  std::string name;                     // find_beats, or score.parameters
  const Json& arguments;                // those that are no arrays, as in the schema; null does not change an option
  std::map<std::string, Array> arrays;  // of `score.parameters` also the model's, as "parameters.NAME"
  Place place;
};

using Results = std::vector<std::pair<const char*, OwnedArray>>;  // by name, in the schema's order

// Runs an operator. On a GPU the work is queued. Throws Error.
//
// ricker_response without the memory of x returns an array without memory, of the response's shape and type.
Results run_operator(const Call& call);

}  // namespace beatscan::operators
