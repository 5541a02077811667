/* app/python/embedded/stages.h: the stages as functions of arrays in the memory of another program, on the CPU or a
   GPU. libbeatscan_embedded.so has these functions, with C's calling convention. beatscan/operators.py makes PyTorch's
   operators of them, which docs/python.md documents. */
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/* A dense array. Types: 0 float32, 1 float64, 2 int64, 3 uint8, 4 bool. An array has at most 4 dimensions. */
struct beatscan_array {
  const char* name;
  void* data;
  std::int64_t sizes[4];
  std::int32_t dimensions, type;
};

/* Where arrays are: in the host's memory (device -1), or in that of a GPU, where work is queued on the stream.
 * `threads` are those of the host that work; 0: as many as the program takes. */
struct beatscan_place {
  std::int32_t device, threads;
  void* stream;
};

/* Returns a JSON object: "operators", their declarations in PyTorch's language of schemas, and "cuda", whether they run
 * on GPUs. */
__attribute__((visibility("default"))) const char* beatscan_operators() noexcept;

/* Runs an operator, and returns the program's exit status. Calls may be concurrent.
 *   arguments  a JSON object of the schema's arguments that are no arrays
 *   arrays     those that are, by the schema's names, which are only read; the parameters of `score.parameters` are on
 *              the host, and named "parameters.NAME"
 *   results    gets at most `*results_count` arrays, and `*results_count` their number. The caller frees their data: by
 *              beatscan_free() on the host, by itself on a GPU
 *   message    gets the error as beatscan_run() writes it */
__attribute__((visibility("default"))) int beatscan_operate(const char* name, const char* arguments,
                                                            const beatscan_array* arrays, std::int32_t arrays_count,
                                                            const beatscan_place* place, beatscan_array* results,
                                                            std::int32_t* results_count, char* message,
                                                            std::size_t size) noexcept;

/* Frees the data of a result on the host. */
__attribute__((visibility("default"))) void beatscan_free(void* data) noexcept;

/* Sets where operators take a GPU's memory from, before the first of them runs there. Any thread may call these.
 *   allocate    returns memory for work on the stream, or a null pointer if it does not fit
 *   deallocate  takes it back; work may be queued there still
 *   used_bytes  how much of the device's memory the process uses */
__attribute__((visibility("default"))) void beatscan_use_allocator(void* (*allocate)(std::size_t bytes, int device,
                                                                                     void* stream),
                                                                   void (*deallocate)(void* memory),
                                                                   std::int64_t (*used_bytes)(int device)) noexcept;
}
