// app/report/page_options.h — the options of a result that differ from their defaults.
#pragma once

#include "app/common/json.h"

namespace beatscan {

struct StoredResult;

// Returns [[option, value, default, meaning], …], all as text.
Json changed_options(const StoredResult& result);

}  // namespace beatscan
