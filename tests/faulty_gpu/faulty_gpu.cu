// A library to be preloaded into the program. It counts the kernels that the program launches on a GPU. At the N-th it
// has the GPU fail, or this launch alone. The environment sets it:
//   BEATSCAN_GPU_FAULT     trap: a kernel before this one fails, and the process cannot use the GPU any more; or the
//                          number of a CUresult, which this launch returns
//   BEATSCAN_GPU_FAULT_AT  N, from 1
//   BEATSCAN_GPU_FAULT_ON  the device, from 0
//   BEATSCAN_GPU_FAULT_IN  all: processes that are copies of the first count and fail, too; otherwise only the first
// The program asks the runtime for the driver's function that launches kernels. This library answers in its place.
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

decltype(&cuLaunchKernel) launch = nullptr;

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

const pid_t first_process = getpid();  // when the library is loaded

bool is_the_one() {
  static const bool in_all = setting("BEATSCAN_GPU_FAULT_IN") == "all";
  if (!in_all && getpid() != first_process) return false;
  static std::atomic<long> launches = 0;
  static const long at = std::atol(setting("BEATSCAN_GPU_FAULT_AT").c_str());
  static const int on = std::atoi(setting("BEATSCAN_GPU_FAULT_ON").c_str());
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess && device == on && ++launches == at;
}

__global__ void fails() { __trap(); }

CUresult launch_or_fail(CUfunction function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                        unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared_bytes,
                        CUstream stream, void** arguments, void** extra) {
  static const std::string fault = setting("BEATSCAN_GPU_FAULT");
  if (!fault.empty() && is_the_one()) {
    if (fault != "trap") return static_cast<CUresult>(std::atoi(fault.c_str()));
    fails<<<1, 1, 0, stream>>>();
  }
  return launch(function, blocks_x, blocks_y, blocks_z, threads_x, threads_y, threads_z, shared_bytes, stream,
                arguments, extra);
}

}  // namespace

extern "C" cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** found, unsigned version,
                                                        unsigned long long flags,
                                                        cudaDriverEntryPointQueryResult* result) {
  using Function = decltype(&cudaGetDriverEntryPointByVersion);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "cudaGetDriverEntryPointByVersion"));
  const cudaError_t error = real(symbol, found, version, flags, result);
  if (error != cudaSuccess || !*found || std::strcmp(symbol, "cuLaunchKernel") != 0) return error;
  launch = reinterpret_cast<decltype(launch)>(*found);
  *found = reinterpret_cast<void*>(&launch_or_fail);
  return error;
}
