// stages/common/on_contexts.h — one line that instantiates a template on every context of this build.
//
//   #define BEATSCAN_ADD(Context) template void add(Context&, std::span<const float>);
//   BEATSCAN_INSTANTIATE_ON_CONTEXTS(BEATSCAN_ADD)
//
// A .cpp file that defines a template of a stage ends with such lines. The build without CUDA has no Cuda instances.
#pragma once

#ifdef BEATSCAN_WITH_CUDA
#define BEATSCAN_INSTANTIATE_ON_CONTEXTS(instantiate) instantiate(Cpu) instantiate(Cuda)
#else
#define BEATSCAN_INSTANTIATE_ON_CONTEXTS(instantiate) instantiate(Cpu)
#endif
