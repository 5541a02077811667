// app/report/page_data.h — what the page's script works on: the signal, the beats, the strips around the most abnormal.
#pragma once

#include <string>

#include "app/report/page.h"

namespace beatscan {

// JSON that may stand in a <script> element:
//   facts    rate_hz, samples, length, bin_samples, threshold, row …
//   paper    mm_per_second, samples_per_second, mm_per_unit, text
//   tables   data of the figures that are drawn here, {id: {columns, data}}
//   poor     [[from, to, what], …]
//   reasons  [why, …] of the gallery's beats
//   arrays   packed (pack.h); signal values are integers, times `step`, plus `offset`
std::string page_data(const Page& page);

}  // namespace beatscan
