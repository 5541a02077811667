// tests/fuzz/samples.h — what holds for every source of samples.
#pragma once

#include <functional>

#include "stages/recording/sample_source.h"
#include "tests/fuzz/support.h"

namespace beatscan::fuzz {

// Read as a whole and in small pieces, a source gives the same bits; and it claims no more than its bytes may hold.
void check_source(std::int64_t bytes, const std::function<SampleSource()>& open);

}  // namespace beatscan::fuzz
