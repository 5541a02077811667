// app/report/page_signal.h — the signal for the page's script: leads over the whole recording, strips, and beats.
#pragma once

#include <cstdint>

namespace beatscan {

class PageArrays;
struct StoredResult;

// Adds these arrays, in each lead's unit. N is "" for the first lead, and "_1", "_2" … for the others:
//   lowN, spanN  the least value of each bin, and how far above it the greatest is; no span where a bin is a sample
//   stripsN      the strips around the gallery's beats and the findings' places, where the page has no full rate
//   rows, decoded, reference, templates, grid, generated  beats, as stored_arrays.h has them
void add_signal(const StoredResult& result, PageArrays& arrays);

// Returns the samples of a strip that a page holds of a lead, in the middle of those that the result has.
std::int64_t page_strip_samples(const StoredResult& result, std::int64_t lead);

}  // namespace beatscan
