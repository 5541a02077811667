// stages/beats/envelope_around.h — a piece of one lead's envelope, on the host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "kernels/lists/gather.h"
#include "kernels/runtime/buffer.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

// The envelope as the largest values of parts, see EnvelopeProfile.
struct EnvelopeAround {
  std::vector<float> parts;
  std::int64_t first = 0;  // the part that parts[0] is
  int width = 1;           // samples of a part
  std::int64_t last() const { return first + std::ssize(parts); }
  // Returns the largest of the parts from `from` up to, but not including, `to`; 0 where there is none.
  float largest(std::int64_t from, std::int64_t to) const {
    float value = 0;
    for (auto p = std::max(from, first); p < std::min(to, last()); ++p) value = std::max(value, parts[p - first]);
    return value;
  }
  std::int64_t part_of(double sample) const { return static_cast<std::int64_t>(sample) / width; }
  // Returns the envelope at an R peak: the largest of its part and those beside it.
  float at(double r_peak) const { return largest(part_of(r_peak) - 1, part_of(r_peak) + 2); }
};

// Returns the parts that have these samples, as far as the lead goes.
//   parts  EnvelopeProfile of the lead, `width` samples each
template <class Context>
EnvelopeAround envelope_around(Context& context, const Buffer<float, Context>& parts, int width, Stretch samples) {
  EnvelopeAround around{.first = std::max<std::int64_t>(samples.first, 0) / width, .width = width};
  std::vector<std::int64_t> places(
      std::max<std::int64_t>(std::min(samples.last / width + 1, parts.size()) - around.first, 0));
  std::iota(places.begin(), places.end(), around.first);
  around.parts = to_host(context, gathered(context, parts, from_host(context, places)));
  return around;
}

}  // namespace beatscan
