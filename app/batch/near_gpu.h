// app/batch/near_gpu.h — keeps the threads of each GPU on the processors near it.
//
// On a host with several memory nodes a GPU is connected to one of them. Copies from memory of another node, and
// commands from processors there, take a longer way.
#pragma once

#include <vector>

#include "kernels/machine/processor_set.h"

namespace beatscan {

struct Gpu;

// Decides which processors the threads of each GPU stay on. Returns a set for each GPU; all are empty if threads may
// run anywhere. Threads stay if it costs nothing: the GPUs are near different processors, and each group of these has
// enough for the threads of its GPUs.
//   near     for each GPU the processors near it; empty: unknown
//   allowed  the processors that the process may run on
//   threads  the number of threads that the process works on
std::vector<ProcessorSet> processors_to_stay_on(std::vector<ProcessorSet> near, const ProcessorSet& allowed,
                                                int threads);

// The same for the GPUs of this host.
std::vector<ProcessorSet> processors_to_stay_on(const std::vector<Gpu>& gpus);

}  // namespace beatscan
