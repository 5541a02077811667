#include "kernels/signal/parts.h"

#include "kernels/lists/bits.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/signal_part.h"

namespace beatscan {

void clamp(BackEnd& context, std::span<const float> signal, float low, float high, std::span<float> clamped) {
  BEATSCAN_EXPECTS(signal.size() == clamped.size() && low <= high, "clamp: bad shape or limits");
  each(context, std::ssize(signal),
       [=, signal = signal.data(), clamped = clamped.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const float x = signal[i];
         clamped[i] = x < low ? low : x > high ? high : x;
       });
}

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

namespace {

// Returns whether a stretch of equal samples begins at i and continues in steps of `step` for `least` samples. Most
// samples differ from the next one, which is compared first. Within a stretch the previous sample is equal.
BEATSCAN_HOST_DEVICE bool begins_at(const float* x, std::int64_t n, std::int64_t i, std::int64_t step,
                                    std::int64_t least) {
  const std::int64_t before = i - step, end = i + (least - 1) * step;
  if (end < 0 || end >= n || x[i + step] != x[i]) return false;
  if (before >= 0 && before < n && x[before] == x[i]) return false;
  for (std::int64_t j = i + step; j != end; j += step)
    if (x[j + step] != x[i]) return false;
  return true;
}

}  // namespace

void mark_still(BackEnd& context, std::span<const float> x, std::int64_t least, std::span<std::uint32_t> firsts,
                std::span<std::uint32_t> lasts) {
  const std::int64_t n = std::ssize(x);
  BEATSCAN_EXPECTS(std::ssize(firsts) == words_for(n) && firsts.size() == lasts.size() && least >= 2,
                   "mark_still: bad shape or length");
  each(context, n, [=, x = x.data(), firsts = firsts.data(), lasts = lasts.data()] BEATSCAN_DEVICE(std::int64_t i) {
    if (begins_at(x, n, i, 1, least)) set_bit(firsts, i);
    if (begins_at(x, n, i, -1, least)) set_bit(lasts, i);
  });
}

void cut_strips(BackEnd& context, std::span<const float> values, std::span<const std::int64_t> firsts,
                std::span<float> strips) {
  BEATSCAN_EXPECTS(firsts.empty() ? strips.empty() : strips.size() % firsts.size() == 0, "cut_strips: bad shape");
  if (strips.empty()) return;
  const std::int64_t count = std::ssize(values), length = std::ssize(strips) / std::ssize(firsts);
  each(context, std::ssize(strips),
       [=, values = values.data(), firsts = firsts.data(), strips = strips.data()] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int64_t at = firsts[i / length] + i % length;
         strips[i] = 0 <= at && at < count ? values[at] : __builtin_nanf("");
       });
}

}  // namespace beatscan
