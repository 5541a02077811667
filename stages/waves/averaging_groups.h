// stages/waves/averaging_groups.h — which beats are averaged with each other where P, QRS and T waves are delineated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace beatscan {

// Beats of the same template are averaged, premature ones apart from the others: the P wave of a premature beat lies
// elsewhere, often within the T wave before it. Returns the group of each beat, [K]; -1 for one without a row.
//   template_of  [B] templates of shape
//   kept         [B] the beat of each row
//   premature    [K] 1 for premature beats
std::vector<std::int32_t> averaging_groups(std::span<const std::uint8_t> template_of,
                                           std::span<const std::int64_t> kept, std::span<const std::uint8_t> premature);

}  // namespace beatscan
