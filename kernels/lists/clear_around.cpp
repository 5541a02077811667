#include "kernels/lists/clear_around.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// Clears the values around place i. Places that are near each other write the same value.
struct ClearAround {
  const std::int64_t* places;
  std::int64_t reach;
  float* values;
  std::int64_t count;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const std::int64_t from = places[i] - reach;
    for (std::int64_t at = from < 0 ? 0 : from; at <= places[i] + reach && at < count; ++at) values[at] = 0;
  }
};

}  // namespace

void clear_around(BackEnd& context, std::span<const std::int64_t> places, std::int64_t reach, std::span<float> values) {
  BEATSCAN_EXPECTS(reach >= 0, "clear_around: negative reach");
  each(context, std::ssize(places), ClearAround{places.data(), reach, values.data(), std::ssize(values)});
}

}  // namespace beatscan
