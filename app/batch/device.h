// app/batch/device.h — decides what becomes of a recording at which a GPU has failed.
#pragma once

namespace beatscan {

enum class AfterGpuFailure {
  again_alone,        // the GPU works: the recording is tried once more with the GPU to itself
  by_a_stand_in,      // this process cannot use the GPU any more: another process tries it
  on_another_device,  // the GPU works no more: others take its recordings
  on_cpu,             // the CPU stands in for this recording
  all_on_cpu,         // the CPU stands in for this recording and those after it
  fails               // the recording fails
};

struct GpuFailure {
  bool gpu_works;          // after lack of memory yes, after an error of CUDA no
  bool was_alone;          // no other recording was on the GPU
  bool stand_in = false;   // another process may try it
  bool others_left;        // other GPUs of this run still work
  bool may_use_cpu;        // `--device auto`
  bool only_this = false;  // other recordings can still be done on a GPU
};

constexpr AfterGpuFailure after(const GpuFailure& failure) {
  if (failure.gpu_works && !failure.was_alone) return AfterGpuFailure::again_alone;
  if (failure.stand_in) return AfterGpuFailure::by_a_stand_in;
  if (!failure.gpu_works && failure.others_left) return AfterGpuFailure::on_another_device;
  if (!failure.may_use_cpu) return AfterGpuFailure::fails;
  return failure.gpu_works || failure.only_this ? AfterGpuFailure::on_cpu : AfterGpuFailure::all_on_cpu;
}

}  // namespace beatscan
