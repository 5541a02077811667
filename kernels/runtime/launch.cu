#include "kernels/runtime/launch.cuh"

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/runtime/context.h"
#include "kernels/runtime/current_device.h"
#include "kernels/runtime/error.h"

namespace beatscan {

std::size_t shared_bytes_of_a_block(const Cuda& cuda) {
  int bytes = 0;
  BEATSCAN_CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda.device()));
  const char* most = std::getenv("BEATSCAN_SHARED_KB");
  return std::min(bytes, most ? 1024 * std::max(std::atoi(most), 99) : bytes);
}

CUfunc_st* Cuda::function_of(const void* kernel, std::size_t shared_bytes) {
  Function& function = functions_[kernel];
  if (!function.handle) {
    make_current(*this);
    BEATSCAN_CUDA_CHECK(cudaGetFuncBySymbol(&function.handle, kernel));
  }
  if (shared_bytes <= function.shared_bytes) return function.handle;
  cudaFuncAttributes found{};
  BEATSCAN_CUDA_CHECK(cudaFuncGetAttributes(&found, kernel));
  const auto bytes = static_cast<int>(shared_bytes);
  if (bytes > found.maxDynamicSharedSizeBytes)
    BEATSCAN_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  function.shared_bytes = shared_bytes;
  return function.handle;
}

namespace {

// Returns the driver's function, which the runtime knows, so that this program need not be linked with the driver. The
// version that is requested is the first of the toolkit's major version, because drivers of that age work, too.
decltype(&cuLaunchKernel) driver_launch() {
  constexpr unsigned kMajor = CUDART_VERSION / 1000 * 1000;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  BEATSCAN_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuLaunchKernel", &found, kMajor, cudaEnableDefault, &result));
  if (!found) fail(ErrorKind::device, "CUDA", "the driver has no cuLaunchKernel");
  return reinterpret_cast<decltype(&cuLaunchKernel)>(found);
}

}  // namespace

void launch_function(Cuda& cuda, const void* kernel, const Grid& grid, void** arguments) {
  static const auto driver = driver_launch();
  CUfunc_st* const function = cuda.function_of(kernel, grid.shared_bytes);
  const auto queue = [&] {
    const auto& [blocks, threads, shared_bytes] = grid;
    return driver(function, blocks.x, blocks.y, blocks.z, threads.x, threads.y, threads.z,
                  static_cast<unsigned>(shared_bytes), cuda.stream(), arguments, nullptr);
  };
  CUresult result = queue();
  // A thread that has not used CUDA yet has no current context. The runtime would give it one, but the driver does not.
  if (result == CUDA_ERROR_INVALID_CONTEXT) {
    make_current(cuda);
    result = queue();
  }
  if (result == CUDA_SUCCESS) return;
  const auto error = static_cast<cudaError_t>(result);  // the runtime's errors have the driver's numbers
  throw_cuda_error(__FILE__, __LINE__, "the launch of a kernel", cudaGetErrorString(error));
}

}  // namespace beatscan
