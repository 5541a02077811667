// app/report/sections/findings_html.h — the findings as HTML: sentences whose parts lead to their strips.
#pragma once

#include <string>

namespace beatscan {

struct Finding;
struct StoredResult;

// Returns the words as a link to the strip that shows them; plain words where there is none. `label` is the episode's
// label, which the strip names.
std::string finding_link(const Finding& finding, const std::string& label = "");

// Returns the verdict's first sentence as a paragraph; empty where beats have no kinds.
std::string findings_paragraph(const StoredResult& result);

// Returns a list entry for each question that the recording left open; empty where beats have no kinds.
std::string not_told_entries(const StoredResult& result);

}  // namespace beatscan
