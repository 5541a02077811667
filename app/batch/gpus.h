// app/batch/gpus.h — chooses the GPUs to work on.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace beatscan {

class Log;
struct Config;
struct CudaAvailability;

// One GPU: its number for CUDA, and the number that the user knows it by.
struct Gpu {
  int device = 0, number = 0;
};

// Returns how many GPUs a process may see, without starting CUDA; nothing where that cannot be told.
std::optional<int> visible_gpus();

// Tells whether all GPUs of the machine are of one model. The folder is the driver's, /proc/driver/nvidia/gpus.
bool of_one_model(const std::filesystem::path& folder);

// Hides the GPUs that will not be used, by CUDA_VISIBLE_DEVICES: CUDA starts in 0.75 s where it sees one of four, and
// in 1.8 s where it sees all. It must be called before CUDA is started and before there are other threads. Returns the
// users' numbers of those that are left, in CUDA's order; empty where nothing was hidden. Nothing is hidden where the
// first GPU may be older than others, and the configuration names none.
//   one_recording  whether there is only one recording, for which one GPU is used
std::vector<int> hide_other_gpus(const Config& config, bool one_recording);

// Has CUDA load all kernels when it starts, by CUDA_MODULE_LOADING: that takes less time than to load each at its first
// use, which is in the middle of a stage. A value that the user has set is kept. It must be called before CUDA is
// started and before there are other threads.
void load_kernels_at_start();

// Has CUDA make one channel to the GPU instead of eight, by CUDA_DEVICE_MAX_CONNECTIONS. Its start and its end take
// less time then (docs/performance.md). Work on one stream waits for what the other has queued, which costs
// less than that for one recording. A value that the user has set is kept. It must be called before CUDA is started and
// before there are other threads.
void use_one_channel();

// Returns the GPUs that the configuration asks for, among `left`, which is what hide_other_gpus returned. If it returns
// none, the CPU does the work; where a build with CUDA finds no GPU, a message says so. GPUs that are too old for this
// build are left out, and a message says so. Throws ErrorKind::device where the configuration insists on a GPU that is
// not there, or names one that is too old, or where the published method lacks cuFFT.
std::vector<Gpu> gpus_to_use(const Config& config, const std::vector<int>& left, const Log& log);

// The same where this is what CUDA has.
std::vector<Gpu> gpus_among(const CudaAvailability& cuda, const Config& config, const std::vector<int>& left,
                            const Log& log);

// The same as gpus_to_use for one recording.
std::optional<Gpu> gpu_to_use(const Config& config, const Log& log);

}  // namespace beatscan
