#include "stages/waves/averaging_groups.h"

#include "kernels/runtime/error.h"

namespace beatscan {

std::vector<std::int32_t> averaging_groups(std::span<const std::uint8_t> template_of,
                                           std::span<const std::int64_t> kept,
                                           std::span<const std::uint8_t> premature) {
  BEATSCAN_EXPECTS(template_of.size() == kept.size(), "averaging_groups: bad shape");
  std::vector<std::int32_t> groups(premature.size(), -1);
  for (std::size_t b = 0; b < kept.size(); ++b) groups[kept[b]] = 2 * template_of[b] + premature[kept[b]];
  return groups;
}

}  // namespace beatscan
