// app/output/cut_rows.h — copies the signal and the beat windows that the report shows to the host.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/strips.h"
#include "stages/common/rows.h"

namespace beatscan {

// Cuts pieces of `length` samples, each starting at one of `firsts`: [pieces][length]; NaN outside of the signal.
template <class Context>
std::vector<float> cut_to_host(Context& context, std::span<const float> values, const std::vector<std::int64_t>& firsts,
                               std::int64_t length) {
  Buffer<float, Context> strips(context, std::ssize(firsts) * length);
  cut_strips(context, values, from_host(context, firsts), strips);
  return to_host(context, strips);
}

// Copies rows to the host, [rows][D].
template <class Context>
std::vector<float> rows_at(Context& context, const Rows<Context>& rows, std::vector<std::int64_t> indices) {
  for (std::int64_t& index : indices) index *= rows.points;
  return cut_to_host(context, rows.values, indices, rows.points);
}

}  // namespace beatscan
