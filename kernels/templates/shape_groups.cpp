#include "kernels/templates/shape_groups.h"

#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"

namespace beatscan {

void near_groups(BackEnd& context, std::span<const std::uint8_t> nearest, std::span<const float> distances,
                 std::span<const std::uint8_t> counting, float within, std::span<std::uint8_t> groups) {
  BEATSCAN_EXPECTS(
      nearest.size() == groups.size() && distances.size() == groups.size() && counting.size() == groups.size(),
      "near_groups: bad shape");
  each(context, std::ssize(groups),
       [=, nearest = nearest.data(), distances = distances.data(), counting = counting.data(),
        groups = groups.data()] BEATSCAN_DEVICE(std::int64_t b) {
         groups[b] = counting[b] && distances[b] < within ? nearest[b] : kNoGroup;
       });
}

}  // namespace beatscan
