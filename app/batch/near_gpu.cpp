#include "app/batch/near_gpu.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "app/batch/gpus.h"
#include "kernels/machine/host_threads.h"
#ifdef BEATSCAN_WITH_CUDA
#include "kernels/runtime/pci_name.h"
#endif

namespace beatscan {
namespace {

ProcessorSet common(const ProcessorSet& one, const ProcessorSet& other) {
  ProcessorSet both;
  std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
  return both;
}

}  // namespace

std::vector<ProcessorSet> processors_to_stay_on(std::vector<ProcessorSet> near, const ProcessorSet& allowed,
                                                int threads) {
  const std::vector<ProcessorSet> anywhere(near.size());
  std::map<ProcessorSet, std::size_t> groups;  // multiplied by the number of GPUs
  ProcessorSet taken;
  for (auto& processors : near) {
    processors = common(processors, allowed);
    if (groups[processors]++ > 0) continue;
    if (!common(processors, taken).empty()) return anywhere;  // the groups overlap
    taken.insert(processors.begin(), processors.end());
  }
  if (groups.size() < 2) return anywhere;
  for (const auto& [processors, gpus] : groups)
    if (processors.size() * near.size() < static_cast<std::size_t>(threads) * gpus) return anywhere;
  return near;
}

std::vector<ProcessorSet> processors_to_stay_on(const std::vector<Gpu>& gpus) {
  std::vector<ProcessorSet> near(gpus.size());
#ifdef BEATSCAN_WITH_CUDA
  for (std::size_t i = 0; i < gpus.size(); ++i)
    near[i] = processors_near(pci_name(gpus[i].device), "/sys/bus/pci/devices");
#endif
  return processors_to_stay_on(std::move(near), processors_of_process(), process_threads());
}

}  // namespace beatscan
