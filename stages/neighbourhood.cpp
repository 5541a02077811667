#include "stages/neighbourhood.h"

#include <algorithm>

#include "kernels/check.h"
#include "kernels/parallel.h"
#include "stages/sorted_window.h"

namespace beatscan {
namespace {

// The median of sorted values without one of them, at `left_out` (their number: none is left out).
float median_without(const std::vector<float>& sorted, std::size_t left_out) {
  const std::size_t count = sorted.size() - (left_out < sorted.size());
  const auto at = [&](std::size_t i) { return sorted[i < left_out ? i : i + 1]; };
  return count == 0 ? 0 : 0.5f * (at((count - 1) / 2) + at(count / 2));
}

}  // namespace

std::vector<float> neighbourhood_latents(const Cpu& cpu, std::span<const float> latents, int latent_count,
                                         std::span<const std::int32_t> usual, int count) {
  BEATSCAN_EXPECTS(latent_count > 0 && std::ssize(latents) % latent_count == 0 && count > 0,
                   "neighbourhood_latents: bad shape");
  const auto rows = std::ssize(latents) / latent_count, usual_rows = std::ssize(usual);
  std::vector<float> around(latents.size()), of_usual(usual.size());
  for (int z = 0; z < latent_count; ++z) {
    for (std::int64_t i = 0; i < usual_rows; ++i) of_usual[i] = latents[usual[i] * latent_count + z];
    parallel_for(cpu, rows, 4096, [&](std::int64_t first_row, std::int64_t last_row) {
      SortedWindow<float> window(of_usual);
      std::int64_t place = std::ranges::lower_bound(usual, first_row) - usual.begin();
      for (std::int64_t row = first_row; row < last_row; ++row) {
        while (place < usual_rows && usual[place] < row) ++place;
        // Of the usual rows without the row itself, `count` with its place in their middle.
        const bool is_usual = place < usual_rows && usual[place] == row;
        const std::int64_t last_first = std::max<std::int64_t>(usual_rows - is_usual - count, 0);
        const std::int64_t first = std::clamp<std::int64_t>(place - count / 2, 0, last_first);
        window.move_to(first, std::min(first + count + is_usual, usual_rows));
        const auto& sorted = window.sorted();
        const auto own =
            is_usual ? std::ranges::lower_bound(sorted, of_usual[place]) - sorted.begin() : std::ssize(sorted);
        around[row * latent_count + z] = median_without(sorted, static_cast<std::size_t>(own));
      }
    });
  }
  return around;
}

}  // namespace beatscan
