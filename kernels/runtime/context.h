// kernels/runtime/context.h — where work runs and where its memory comes from.
//
// A context is the first parameter of every launcher and stage. Each kernel header declares two overloads, on Cpu& and
// on Cuda&, and overload resolution chooses the back end. Work on a Cuda context is queued on its stream: a call
// returns before the work is done, unless the function returns a value to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/runtime/context_stream.h"

struct CUfunc_st;
struct CUstream_st;  // cudaStream_t and cudaEvent_t are pointers to these; the CPU-only build has no CUDA headers
struct CUevent_st;

namespace beatscan {

class Cpu {
 public:
  explicit Cpu(int threads = 0) : threads_(threads) {}  // 0: host_threads() of the thread that asks
  int threads() const;  // two calls may differ, because the share of a batch's recording changes
  void synchronize() {}
  void mark() {}
  void wait_for_mark() {}

  // Returns host memory that the context copies from and to at full speed; for Cuda it is page-locked. The memory is
  // kept for the next call, whose caller may overwrite it: it is for one user at a time.
  std::span<char> staging(std::size_t bytes);
  void* allocate(std::size_t bytes);
  void deallocate(void* memory, std::size_t bytes) noexcept;
  void hand_over(std::size_t) {}  // does nothing: only Cuda counts what it has handed out
  std::int64_t room_bytes() const { return std::numeric_limits<std::int64_t>::max(); }

 private:
  int threads_;
  std::unique_ptr<char[]> staging_;
  std::size_t staging_bytes_ = 0;
};

class DeviceMemory;
class DevicePool;
struct PoolOptions;
class FftPlans;
class EpochGraphs;

class Cuda {
 public:
  explicit Cuda(int device);  // throws ErrorKind::device if the device cannot be used
  Cuda(int device, const PoolOptions& options);
  // Works on a stream that it does not own and that must outlive the context. `device` must be, and stay, CUDA's
  // current device. Its memory comes from an allocator of the surrounding program, and is never in the host's memory.
  Cuda(int device, CUstream_st* stream, std::shared_ptr<DeviceMemory> memory);
  ~Cuda();
  Cuda(Cuda&&) = delete;

  int device() const { return device_; }
  CUstream_st* stream() const { return stream_; }
  DevicePool& pool() { return *pool_; }
  // Returns the function that a kernel is on this device, and lets its blocks have `shared_bytes` of shared memory. All
  // launches of a kernel that needs more than 48 KiB must ask for the same, because contexts of a device share its
  // limit. Throws ErrorKind::device.
  CUfunc_st* function_of(const void* kernel, std::size_t shared_bytes);
  FftPlans& fft_plans();        // plans kept for transforms of the same length, see convolve_circular.cu
  EpochGraphs& epoch_graphs();  // graphs kept for the training of models, see vae_step.cu
  void synchronize();           // waits for all queued work
  // Waits for all queued work, as synchronize() does. It is for work of a millisecond or longer: the thread sleeps if
  // others share the processors with it. Otherwise it continues faster after the wait.
  void wait_asleep();
  void mark();           // marks the end of the work that is queued so far
  void wait_for_mark();  // waits for the work before the last mark, but not for what was queued since

  std::span<char> staging(std::size_t bytes);  // see Cpu::staging; throws ErrorKind::device
  void* allocate(std::size_t bytes);           // throws ErrorKind::device if there is not enough memory
  void deallocate(void* memory, std::size_t bytes) noexcept;
  std::int64_t room_bytes() const;    // see DevicePool::room_bytes
  void hand_over(std::size_t bytes);  // stops counting memory of this size, which somebody else frees

  // Returns a context on the same device whose work overlaps that of this one. It is made at the first call and lives
  // as long as this one. It is for one thread at a time, which calls make_current first.
  Cuda& beside();
  Cuda* beside_if_made() const { return beside_.get(); }  // null before the first call of beside()

 private:
  Cuda(int device, const DevicePool& pool);  // a stream of its own and the memory of another context
  friend void copy_bytes(Cuda&, const void*, void*, std::size_t);
  void copy_from_pageable(const char* source, char* target, std::size_t bytes);
  void copy_to_pageable(const char* source, char* target, std::size_t bytes);
  std::span<char> bounce();
  void release_staging() noexcept;
  int device_;
  ContextStream stream_;
  CUevent_st* mark_ = nullptr;
  std::unique_ptr<DevicePool> pool_;
  std::span<char> staging_;
  struct Function {
    CUfunc_st* handle = nullptr;
    std::size_t shared_bytes = 0;  // known to be allowed
  };
  std::unordered_map<const void*, Function> functions_;  // by kernel
  CUevent_st* asleep_ = nullptr;                         // marks the end of what wait_asleep waits for
  std::span<char> bounce_;       // page-locked memory that copies from and to other host memory go through
  std::size_t bounce_used_ = 0;  // bytes of it that queued copies may still read
  // Unlike a unique_ptr, these can be deleted where the type is incomplete.
  std::shared_ptr<FftPlans> fft_plans_;
  std::shared_ptr<EpochGraphs> epoch_graphs_;
  std::unique_ptr<Cuda> beside_;
};

// Whether CUDA can be used by this build on this machine.
struct CudaAvailability {
  bool built = false;  // this program contains the CUDA back end
  int devices = 0;     // usable devices
  std::string reason;  // why there is none, as a message
  // For each device that CUDA sees why it cannot be used, as a message; empty for one that can.
  std::vector<std::string> why_not;

  int first_usable() const;  // the number of a usable device, of which there must be one
};
CudaAvailability cuda_availability();

// Returns the bytes of memory of a GPU. Throws ErrorKind::device if no GPU has this number. It exists only in builds
// with CUDA.
std::int64_t device_memory_bytes(int device);

struct DeviceDescription {
  std::string name;                // "NVIDIA H200", or the processor's name
  std::string compute_capability;  // "9.0"; empty for Cpu
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;                      // for Cpu its threads
  std::string driver_version, runtime_version;  // empty for Cpu
};
DeviceDescription describe(const Cpu&);
DeviceDescription describe(const Cuda&);

}  // namespace beatscan

// Expands INSTANTIATE(Cpu) and, in a build with CUDA, INSTANTIATE(Cuda). With it the explicit instantiations of a
// template on the context are written once:
//   #define BEATSCAN_INSTANTIATE(Context) template Output stage(Context&, const Input<Context>&);
//   BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_INSTANTIATE)
#ifdef BEATSCAN_WITH_CUDA
#define BEATSCAN_FOR_EACH_CONTEXT(INSTANTIATE) INSTANTIATE(Cpu) INSTANTIATE(Cuda)
#else
#define BEATSCAN_FOR_EACH_CONTEXT(INSTANTIATE) INSTANTIATE(Cpu)
#endif
