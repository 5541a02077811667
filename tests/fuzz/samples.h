// tests/fuzz/samples.h — checks every source of samples.
#pragma once

#include <functional>
#include <vector>

#include "stages/io/recording/leads.h"
#include "stages/io/recording/sample_source.h"
#include "tests/fuzz/support.h"

namespace beatscan::fuzz {

// The choices of leads with which every file is read.
inline const std::vector<LeadChoice> kLeadChoices = {{}, {.one = "1"}, {.several = {"1", "0"}}, {.first_alone = true}};

// Requires that a source gives the same bits read as a whole and in small pieces, and that it claims no more samples
// than its bytes can hold.
void check_source(std::int64_t bytes, const std::function<SampleSource()>& open);

}  // namespace beatscan::fuzz
