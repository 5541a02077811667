// kernels/runtime/context.h — where work runs and where its memory comes from.
//
// A context is the first parameter of every launcher and stage. Each kernel header declares two overloads, on Cpu& and
// on Cuda&; overload resolution is the dispatch. Work on a Cuda context is queued on its stream and the call returns
// before it is done, unless the function returns a value to the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct CUstream_st;  // cudaStream_t and cudaEvent_t are pointers to these; the CPU-only build has no CUDA headers
struct CUevent_st;

namespace beatscan {

class Cpu {
 public:
  explicit Cpu(int threads = 0);  // 0: as many as this process may use
  int threads() const { return threads_; }
  void synchronize() {}
  void mark() {}
  void wait_for_mark() {}

  // Host memory that the context copies from at full speed (page-locked for Cuda). Kept for the next use, which ends
  // the one before: for one user at a time.
  std::span<char> staging(std::size_t bytes);
  void* allocate(std::size_t bytes);
  void deallocate(void* memory, std::size_t bytes) noexcept;
  void hand_over(std::size_t) {}  // see Cuda's
  std::int64_t room_bytes() const { return std::numeric_limits<std::int64_t>::max(); }

 private:
  int threads_;
  std::vector<char> staging_;
};

class DevicePool;
struct PoolOptions;
class FftPlans;

class Cuda {
 public:
  explicit Cuda(int device);  // throws ErrorKind::device where the device cannot be used
  Cuda(int device, const PoolOptions& options);
  // On a stream of somebody else's, who keeps it longer than this; `device` is, and stays, the current one.
  Cuda(int device, CUstream_st* stream);
  ~Cuda();
  Cuda(Cuda&&) = delete;

  int device() const { return device_; }
  CUstream_st* stream() const { return stream_; }
  DevicePool& pool() { return *pool_; }
  FftPlans& fft_plans();  // kept for transforms of the same length, see fft.cu
  void synchronize();
  void mark();           // the end of what is queued so far
  void wait_for_mark();  // for the work up to the last mark, not for what was queued since

  std::span<char> staging(std::size_t bytes);
  void* allocate(std::size_t bytes);
  void deallocate(void* memory, std::size_t bytes) noexcept;
  std::int64_t room_bytes() const;    // see DevicePool's
  void hand_over(std::size_t bytes);  // memory of this size is somebody else's from now on, who frees it

 private:
  void release_staging() noexcept;
  int device_;
  CUstream_st* stream_ = nullptr;
  CUevent_st* mark_ = nullptr;
  std::unique_ptr<DevicePool> pool_;
  std::span<char> staging_;
  std::shared_ptr<FftPlans> fft_plans_;  // shared: deletable where it is incomplete
};

// What this build and this machine offer.
struct CudaAvailability {
  bool built = false;  // this program contains the CUDA back end
  int devices = 0;     // devices found
  std::string reason;  // why there is none, for people
};
CudaAvailability cuda_availability();

struct DeviceDescription {
  std::string name;  // "NVIDIA H200", or the processor's name
  std::string compute_capability;
  std::int64_t memory_bytes = 0;
  int multiprocessors = 0;
  std::string driver_version, runtime_version;  // empty for Cpu
};
DeviceDescription describe(const Cpu&);
DeviceDescription describe(const Cuda&);

}  // namespace beatscan

// Expands INSTANTIATE(Cpu) and, in a build with CUDA, INSTANTIATE(Cuda). For the explicit instantiations of a template
// on the context, which are written once this way:
//   #define BEATSCAN_INSTANTIATE(Context) template Output stage(Context&, const Input<Context>&);
//   BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_INSTANTIATE)
#ifdef BEATSCAN_WITH_CUDA
#define BEATSCAN_FOR_EACH_CONTEXT(INSTANTIATE) INSTANTIATE(Cpu) INSTANTIATE(Cuda)
#else
#define BEATSCAN_FOR_EACH_CONTEXT(INSTANTIATE) INSTANTIATE(Cpu)
#endif
