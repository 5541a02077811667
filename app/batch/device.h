// app/batch/device.h — decides what happens to a recording after a GPU failure.
#pragma once

namespace beatscan {

enum class AfterGpuFailure {
  again_alone,          // the GPU works: retry with the GPU to itself
  by_a_worker_process,  // this process can no longer use the GPU: retry in a worker process
  on_another_device,    // the GPU is lost: other devices take its recordings
  on_cpu,               // the CPU takes this recording
  all_on_cpu,           // the CPU takes this recording and all later ones
  fails                 // the recording fails
};

struct GpuFailure {
  bool gpu_works;               // true after lack of memory, false after a CUDA error
  bool was_alone;               // no other recording was on the GPU
  bool worker_process = false;  // a worker process may try it
  bool others_left;             // other GPUs of this run still work
  bool may_use_cpu;             // `--device auto`
  bool only_this = false;       // later recordings can still use a GPU
};

constexpr AfterGpuFailure after(const GpuFailure& failure) {
  if (failure.gpu_works && !failure.was_alone) return AfterGpuFailure::again_alone;
  if (failure.worker_process) return AfterGpuFailure::by_a_worker_process;
  if (!failure.gpu_works && failure.others_left) return AfterGpuFailure::on_another_device;
  if (!failure.may_use_cpu) return AfterGpuFailure::fails;
  return failure.gpu_works || failure.only_this ? AfterGpuFailure::on_cpu : AfterGpuFailure::all_on_cpu;
}

}  // namespace beatscan
