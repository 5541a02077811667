// app/evaluation/evaluate_batch.h — compares all results of a batch with reference annotations: each recording, the
// sums over all of them (gross), and the means over recordings (average), like `sumstats` of the WFDB applications.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "app/evaluation/evaluate.h"

namespace beatscan {

// Returns whether the request is for a batch: its folder is not a result but contains results. Throws if the truth does
// not fit: a batch needs a folder of annotations, and a single result a file.
bool is_batch(const EvaluateRequest& request);

// Returns the request for every result directly below the folder, by its name. The truth of NAME is the first that
// exists of NAME.atr, NAME.truth.csv and NAME.csv in the truth folder. Throws ErrorKind::input for a result without a
// truth file, and for a folder without results.
//   excluded  names that are left out; ErrorKind::usage for one that is not there
std::map<std::string, EvaluateRequest> requests_of_batch(const EvaluateRequest& request,
                                                         std::span<const std::string> excluded = {});

// Compares every result of the batch.
std::map<std::string, Evaluation> evaluate_batch(const EvaluateRequest& request);

// {"records": {NAME: {…}, …}, "gross": {…}, "average": {…}}. An average is over the recordings that have the value, and
// includes their number.
nlohmann::ordered_json to_json(const std::map<std::string, Evaluation>& evaluations);

}  // namespace beatscan
