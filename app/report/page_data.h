// app/report/page_data.h — what the page's script works on: the signal, the beats, the strips around the most abnormal.
#pragma once

#include <string>

#include "app/report/page.h"

namespace beatscan {

// The numbers of the whole result: JSON text of packed arrays (pack.h) and of what their whole numbers stand for,
// {name: {offset, step}}. Scores are in hundredths, rounded upwards: score > n / 100 exactly where the number is > n.
struct PackedResult {
  std::string arrays;
  Json scales;
};
PackedResult packed_result(const StoredResult& result);

// JSON that may stand in a <script> element:
//   facts    rate_hz, samples, length, bin_samples, threshold …
//   paper    mm_per_second, samples_per_second, mm_per_unit, text
//   tables   data of the figures that are drawn here, {id: {columns, data}}
//   poor     [[from, to, what], …]
//   strip_beats, reasons   of the gallery's beats
//   scales, arrays         see above
std::string page_data(const StoredResult& result, const Json& tables, const PackedResult& packed);

}  // namespace beatscan
