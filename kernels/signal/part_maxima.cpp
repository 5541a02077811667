#include "kernels/signal/part_maxima.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/largest_part.h"

namespace beatscan {

void part_maxima(BackEnd& context, const SignalPart& x, int width, std::int64_t first, std::span<float> maxima) {
  if (maxima.empty()) return;
  const Stretch held = stretch_of(x);
  BEATSCAN_EXPECTS(width > 0 && first >= 0 && first * width >= held.first &&
                       (first + std::ssize(maxima) - 1) * width < x.size &&
                       ((first + std::ssize(maxima)) * width <= held.last || held.last == x.size),
                   "part_maxima: bad shape");
  each(context, std::ssize(maxima),
       [=, values = x.values.data(), begin = x.first, size = x.size,
        maxima = maxima.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t from = (first + i) * width, to = from + width < size ? from + width : size;
         float largest = values[from - begin];
         for (std::int64_t j = from + 1; j < to; ++j)
           if (values[j - begin] > largest) largest = values[j - begin];
         maxima[i] = largest;
       });
}

void largest_beside(BackEnd& context, std::span<const float> parts, std::span<const std::int64_t> places,
                    std::span<float> largest) {
  BEATSCAN_EXPECTS(places.size() == largest.size(), "largest_beside: bad shape");
  each(context, std::ssize(places),
       [parts = parts.data(), count = std::ssize(parts), places = places.data(),
        largest = largest.data()] BEATSCAN_DEVICE(std::int64_t k) {
         largest[k] = largest_part(parts, count, places[k] - 1, places[k] + 2);
       });
}

}  // namespace beatscan
