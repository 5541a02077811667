// Compiles fuse_leads.cpp a second time, for Cuda: see kernels/runtime/each.h.
#include "kernels/detection/fuse_leads.cpp"  // NOLINT(bugprone-suspicious-include)
