// app/report/page_data.h — what the page's script works on: the signal, the beats, the strips around the most abnormal.
#pragma once

#include <string>

#include "app/report/page.h"

namespace beatscan {

// JSON that may stand in a <script> element:
//   facts    rate_hz, samples, length, bin_samples, threshold …
//   paper    mm_per_second, samples_per_second, mm_per_unit, text
//   tables   data of the figures that are drawn here, {id: {columns, data}}
//   poor     [[from, to, what], …]
//   strip_beats, reasons   of the gallery's beats
//   arrays   packed (pack.h), as whole numbers; `scales` says of what: {name: {offset, step}}. Scores are in
//   hundredths,
//            rounded upwards: score > n / 100 exactly where the number is > n.
std::string page_data(const Page& page);

}  // namespace beatscan
