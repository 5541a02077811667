#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/machine/cuda_version.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/buffer.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/current_device.h"
#include "kernels/runtime/describe_gpu.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/page_locked.h"
#include "kernels/runtime/pool.h"

namespace beatscan {
namespace {

// Returns the device's compute capability as a number: 900 for 9.0.
int compute_capability(int device) {
  int major = 0, minor = 0;
  BEATSCAN_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  BEATSCAN_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 100 * major + 10 * minor;
}

int lowest_architecture() {
  constexpr int kArchitectures[] = {__CUDA_ARCH_LIST__};  // those that this build is for
  return *std::min_element(std::begin(kArchitectures), std::end(kArchitectures));
}

std::string shown(int capability) {
  return std::to_string(capability / 100) + "." + std::to_string(capability / 10 % 10);
}

std::string too_old(int capability) {
  return "its compute capability is " + shown(capability) + ", and this build is for " + shown(lowest_architecture()) +
         " and later";
}

std::string why_none(cudaError_t error) {
  int driver = 0;
  cudaDriverGetVersion(&driver);
  if (driver == 0) return "no NVIDIA driver";
  if (error == cudaErrorInsufficientDriver) return driver_too_old(driver, CUDART_VERSION);
  return cudaGetErrorString(error);
}

std::string why_not(int device) {
  const int capability = compute_capability(device);
  return capability < lowest_architecture() ? too_old(capability) : "";
}

int made_current(int device) {
  if (const std::string reason = why_not(device); !reason.empty())
    fail(ErrorKind::device, "cuda:" + std::to_string(device), reason);
  BEATSCAN_CUDA_CHECK(cudaSetDevice(device));
  return device;
}

// Returns whether the environment makes CUDA or NVTX load a tool, such as a profiler, which may use CUDA until the
// process ends.
bool is_watched() { return std::getenv("CUDA_INJECTION64_PATH") || std::getenv("NVTX_INJECTION64_PATH"); }

// Returns whether memory is the host's and not page-locked.
bool is_pageable(const void* memory) {
  cudaPointerAttributes attributes{};
  BEATSCAN_CUDA_CHECK(cudaPointerGetAttributes(&attributes, memory));
  return attributes.type == cudaMemoryTypeUnregistered;
}

// Asks the driver once for each device: it takes milliseconds.
const cudaDeviceProp& properties_of(int device) {
  static std::mutex mutex;
  static std::map<int, cudaDeviceProp> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(device);
  if (found != known.end()) return found->second;
  cudaDeviceProp properties{};
  BEATSCAN_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  return known.emplace(device, properties).first->second;
}

}  // namespace

CudaAvailability cuda_availability() {
  CudaAvailability availability;
  availability.built = true;
  int seen = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&seen); error != cudaSuccess) {
    cudaGetLastError();  // clears the error, so that no later call reports it
    availability.reason = why_none(error);
    return availability;
  }
  for (int device = 0; device < seen; ++device) availability.why_not.push_back(why_not(device));
  availability.devices = static_cast<int>(std::ranges::count(availability.why_not, ""));
  if (availability.devices == 0) availability.reason = seen == 0 ? "no CUDA device" : availability.why_not.front();
  return availability;
}

Cuda::Cuda(int device) : Cuda(device, PoolOptions{}) {}

Cuda::Cuda(int device, const PoolOptions& options)
    : device_(made_current(device)), stream_(device), pool_(std::make_unique<DevicePool>(device, stream_, options)) {}

Cuda::Cuda(int device, CUstream_st* stream, std::shared_ptr<DeviceMemory> memory)
    : device_(device), stream_(stream), pool_(std::make_unique<DevicePool>(device, stream, std::move(memory))) {}

Cuda::Cuda(int device, const DevicePool& pool)
    : device_(made_current(device)), stream_(device), pool_(pool.for_stream(stream_)) {}

Cuda::~Cuda() {
  beside_.reset();
  cudaStreamSynchronize(stream_);
  for (CUevent_st* event : {mark_, asleep_})
    if (event) cudaEventDestroy(event);
  epoch_graphs_.reset();
  fft_plans_.reset();
  release_staging();
  if (!bounce_.empty()) release_page_locked(bounce_.data());
  pool_.reset();
}

void make_current(const Cuda& cuda) { BEATSCAN_CUDA_CHECK(cudaSetDevice(cuda.device())); }

void end_cuda(std::optional<Cuda>& context) noexcept {
  const int device = context->device();
  const bool works = cudaSetDevice(device) == cudaSuccess;
  context.reset();
  forget_shared_memory(device);
  if (works && cudaDeviceReset() == cudaSuccess && !is_watched()) release_driver_files();
}

void Cuda::synchronize() {
  BEATSCAN_CUDA_CHECK(cudaStreamSynchronize(stream_));
  bounce_used_ = 0;
}

void Cuda::wait_asleep() {
  if (shares_processors()) {
    if (!asleep_)
      BEATSCAN_CUDA_CHECK(cudaEventCreateWithFlags(&asleep_, cudaEventDisableTiming | cudaEventBlockingSync));
    BEATSCAN_CUDA_CHECK(cudaEventRecord(asleep_, stream_));
    BEATSCAN_CUDA_CHECK(cudaEventSynchronize(asleep_));
  }
  synchronize();
}

void Cuda::mark() {
  if (!mark_) BEATSCAN_CUDA_CHECK(cudaEventCreateWithFlags(&mark_, cudaEventDisableTiming));
  BEATSCAN_CUDA_CHECK(cudaEventRecord(mark_, stream_));
}

void Cuda::wait_for_mark() {
  if (mark_) BEATSCAN_CUDA_CHECK(cudaEventSynchronize(mark_));
}

void Cuda::release_staging() noexcept {
  if (staging_.empty()) return;
  release_page_locked(staging_.data());
  staging_ = {};
}

// Locking more memory takes a millisecond, and releasing the old waits for the device. So staging_ has all that
// page_locked() has locked.
std::span<char> Cuda::staging(std::size_t bytes) {
  if (staging_.size() < bytes) {
    release_staging();
    char* memory = page_locked(bytes);
    if (!memory)
      throw Error(ErrorKind::device, std::to_string(bytes) +
                                         " bytes of the host's memory cannot be page-locked for device " +
                                         std::to_string(device_));
    staging_ = {memory, rounded_to_page_locked(bytes)};
  }
  return staging_.first(bytes);
}

void* Cuda::allocate(std::size_t bytes) {
  void* memory = pool_->allocate(bytes);
  pool_->count_held(static_cast<std::int64_t>(bytes));
  return memory;
}

void Cuda::deallocate(void* memory, std::size_t bytes) noexcept {
  pool_->deallocate(memory, bytes);
  pool_->count_held(-static_cast<std::int64_t>(bytes));
}

std::int64_t Cuda::room_bytes() const { return pool_->room_bytes(); }

void Cuda::hand_over(std::size_t bytes) { pool_->count_held(-static_cast<std::int64_t>(bytes)); }

Cuda& Cuda::beside() {
  if (!beside_) beside_.reset(new Cuda(device_, *pool_));
  return *beside_;
}

// CUDA copies host memory that is not page-locked under a lock, and waits for the stream meanwhile: threads that work
// on other streams wait, too. So this program copies such memory through page-locked memory of its own.
std::span<char> Cuda::bounce() {
  constexpr std::size_t kBytes = 2 << 20;
  if (bounce_.empty())
    if (char* memory = page_locked(kBytes)) bounce_ = {memory, kBytes};
  return bounce_;
}

// Pieces lie one after the other in the bounce memory until it is full. Then the stream's work is waited for.
void Cuda::copy_from_pageable(const char* source, char* target, std::size_t bytes) {
  constexpr std::size_t kAligned = 256;
  const auto room = bounce();
  while (bytes > 0) {
    if (room.size() - bounce_used_ < std::min(bytes, room.size())) synchronize();
    const std::size_t some = std::min(bytes, room.size() - bounce_used_);
    char* const piece = room.data() + bounce_used_;
    std::memcpy(piece, source, some);
    BEATSCAN_CUDA_CHECK(cudaMemcpyAsync(target, piece, some, cudaMemcpyDefault, stream_));
    bounce_used_ = std::min((bounce_used_ + some + kAligned - 1) / kAligned * kAligned, room.size());
    source += some, target += some, bytes -= some;
  }
}

void Cuda::copy_to_pageable(const char* source, char* target, std::size_t bytes) {
  const auto room = bounce();
  while (bytes > 0) {
    const std::size_t some = std::min(bytes, room.size());
    BEATSCAN_CUDA_CHECK(cudaMemcpyAsync(room.data(), source, some, cudaMemcpyDefault, stream_));
    synchronize();
    std::memcpy(target, room.data(), some);
    source += some, target += some, bytes -= some;
  }
}

void copy_bytes(Cuda& cuda, const void* source, void* target, std::size_t bytes) {
  if (bytes == 0) return;
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(target);
  const bool to_pageable = is_pageable(to);
  if ((to_pageable || is_pageable(from)) && !cuda.bounce().empty())
    return to_pageable ? cuda.copy_to_pageable(from, to, bytes) : cuda.copy_from_pageable(from, to, bytes);
  if (to_pageable) cuda.synchronize();  // no memory can be page-locked: CUDA waits less long within its lock
  BEATSCAN_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cuda.stream()));
}

void zero_bytes(Cuda& cuda, void* target, std::size_t bytes) {
  if (bytes > 0) BEATSCAN_CUDA_CHECK(cudaMemsetAsync(target, 0, bytes, cuda.stream()));
}

std::int64_t device_memory_bytes(int device) { return static_cast<std::int64_t>(properties_of(device).totalGlobalMem); }

DeviceDescription describe(const Cuda& cuda) { return describe_gpu(cuda.device()); }

DeviceDescription describe_gpu(int device) {
  const cudaDeviceProp& properties = properties_of(device);
  int driver = 0, runtime = 0;
  BEATSCAN_CUDA_CHECK(cudaDriverGetVersion(&driver));
  BEATSCAN_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  return {.name = properties.name,
          .compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor),
          .memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem),
          .multiprocessors = properties.multiProcessorCount,
          .driver_version = cuda_version(driver),
          .runtime_version = cuda_version(runtime)};
}

}  // namespace beatscan
