// kernels/runtime/each_width.h — compiles a function once for each kind of processor that is named, as in
// BEATSCAN_EACH_WIDTH("default", "avx2"). The program takes the clone for the processor it runs on. Other processors
// than x86-64 have one width, for which the function is compiled once.
#pragma once

#ifdef __x86_64__
#define BEATSCAN_EACH_WIDTH(...) __attribute__((target_clones(__VA_ARGS__)))
#else
#define BEATSCAN_EACH_WIDTH(...)
#endif
