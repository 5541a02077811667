// app/evaluation/evaluate_batch.h — compares all results of a batch with reference annotations: each recording, the
// sums over all of them (gross), and the means over recordings (average), as `sumstats` of the WFDB applications has.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/evaluation/evaluate.h"

namespace beatscan {

// Says whether the request is of a batch: its folder is no result, and has some. Throws where the truth does not go
// with that: a batch has a folder of annotations, and one result has a file.
bool is_batch(const EvaluateRequest& request);

// Compares every result right below the folder, by its name. The truth of NAME is NAME.atr, NAME.truth.csv or NAME.csv
// in the truth folder, the first that is there. A result without a truth file, and a folder without results, throw
// ErrorKind::input.
std::map<std::string, Evaluation> evaluate_batch(const EvaluateRequest& request);

// {"records": {NAME: {…}, …}, "gross": {…}, "average": {…}}. An average is over the recordings where the value exists,
// and tells their number.
nlohmann::ordered_json to_json(const std::map<std::string, Evaluation>& evaluations);

}  // namespace beatscan
