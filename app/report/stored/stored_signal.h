// app/report/stored/stored_signal.h — the signal at full rate, as far as the folder of a result holds it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace beatscan {

struct StoredResult;

// Returns a lead's samples from `first` to before `end`, NaN beyond the recording's ends. Returns nothing where the
// folder does not hold all of them: of a long recording it holds the strips around some beats alone.
std::optional<std::vector<float>> stored_signal(const StoredResult& result, std::int64_t lead, std::int64_t first,
                                                std::int64_t end);

}  // namespace beatscan
