// app/report/cohort_page.h — the list of a batch for a browser, DIR/index.html.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace beatscan {

struct CohortRow;

// The most recordings that the page shows. If there are more, it shows those that are not complete, and then those with
// the largest share of abnormal beats.
inline constexpr std::size_t kMostPageRows = 10'000;

// Returns the page, which is self-contained: a template with JSON, of which its script makes the table. Rows link to
// `NAME/report.html`, or to the folder where there is no such page.
std::string cohort_page(const std::vector<CohortRow>& rows);

}  // namespace beatscan
