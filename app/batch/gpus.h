// app/batch/gpus.h — chooses the GPUs to work on.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace beatscan {

class Log;
struct Config;
struct CudaAvailability;

// One GPU: its CUDA device number, and the number that the user knows it by.
struct Gpu {
  int device = 0, number = 0;
};

// Returns how many GPUs a process may see, without starting CUDA; nullopt if unknown.
std::optional<int> visible_gpus();

// Returns whether all GPUs of the machine are of the same model. The folder is the driver's, /proc/driver/nvidia/gpus.
bool of_one_model(const std::filesystem::path& folder);

// Hides unused GPUs by CUDA_VISIBLE_DEVICES: CUDA starts in 0.75 s if it sees one of four GPUs, and in 1.8 s if it sees
// all. Must be called before CUDA and other threads start. Returns the user's numbers of the remaining GPUs, in CUDA's
// order; empty if none was hidden. Hides nothing if the first GPU may be older than others and the configuration names
// none.
//   one_recording  whether there is only one recording, which uses one GPU
std::vector<int> hide_other_gpus(const Config& config, bool one_recording);

// Makes CUDA load all kernels at start, by CUDA_MODULE_LOADING. That is faster than loading each one at its first use,
// in the middle of a stage. A value set by the user is kept. Must be called before CUDA and other threads start.
void load_kernels_at_start();

// Makes CUDA open one channel to the GPU instead of eight, by CUDA_DEVICE_MAX_CONNECTIONS, which shortens its start and
// its end (docs/performance.md). Work on one stream then waits for what the other has queued; for one recording that
// costs less than it saves. A value set by the user is kept. Must be called before CUDA and other threads start.
void use_one_channel();

// Returns the GPUs that the configuration requests, among `left`, the result of hide_other_gpus. If it returns none,
// the CPU does the work; a build with CUDA reports that no GPU was found. GPUs too old for this build are skipped with
// a message. Throws ErrorKind::device if a required GPU is missing, if the configuration names one that is too old, or
// if the published method lacks cuFFT.
std::vector<Gpu> gpus_to_use(const Config& config, const std::vector<int>& left, const Log& log);

// The same for an explicit list of CUDA's GPUs.
std::vector<Gpu> gpus_among(const CudaAvailability& cuda, const Config& config, const std::vector<int>& left,
                            const Log& log);

// The same as gpus_to_use for one recording.
std::optional<Gpu> gpu_to_use(const Config& config, const Log& log);

}  // namespace beatscan
