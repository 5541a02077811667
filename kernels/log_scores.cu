#include "kernels/log_scores.h"

#include "kernels/check.h"
#include "kernels/launch.cuh"
#include "kernels/log_scores_common.h"

namespace beatscan {

void take_logs(Cuda& cuda, float factor, float least, std::span<float> values) {
  BEATSCAN_EXPECTS(least > 0, "take_logs: least must be positive");
  each(cuda, static_cast<std::int64_t>(values.size()), TakeLog{factor, least, values.data()});
}

void gather(Cuda& cuda, std::span<const float> values, std::span<const std::int64_t> indices, std::span<float> chosen) {
  BEATSCAN_EXPECTS(indices.size() == chosen.size(), "gather: bad shape");
  each(cuda, static_cast<std::int64_t>(indices.size()), Gather{values.data(), indices.data(), chosen.data()});
}

void add_weighted(Cuda& cuda, std::span<const float> values, float middle, float weight, std::span<float> sums) {
  BEATSCAN_EXPECTS(values.size() == sums.size(), "add_weighted: bad shape");
  each(cuda, static_cast<std::int64_t>(values.size()), AddWeighted{values.data(), middle, weight, sums.data()});
}

}  // namespace beatscan
