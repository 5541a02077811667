// app/batch/near_gpu.h — binds the threads of each GPU to the processors near it.
//
// On a host with several NUMA nodes, a GPU is attached to one of them. Copies from another node's memory, and commands
// from its processors, take longer.
#pragma once

#include <vector>

#include "kernels/machine/processor_set.h"

namespace beatscan {

struct Gpu;

// Selects the processors that the threads of each GPU are bound to. Returns one set for each GPU; all are empty if
// threads may run anywhere. Threads are bound only if that costs nothing: the GPUs are near different processors, and
// each group has enough processors for its threads.
//   near     for each GPU the processors near it; empty: unknown
//   allowed  the processors that the process may run on
//   threads  the number of threads of the process
std::vector<ProcessorSet> processors_to_stay_on(std::vector<ProcessorSet> near, const ProcessorSet& allowed,
                                                int threads);

// The same for the GPUs of this host.
std::vector<ProcessorSet> processors_to_stay_on(const std::vector<Gpu>& gpus);

}  // namespace beatscan
