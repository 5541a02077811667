#include "app/batch/gpus.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "app/common/log.h"
#include "app/config/config.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#ifdef BEATSCAN_WITH_CUDA
#include "kernels/signal/fft.h"
#endif

namespace beatscan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";
constexpr const char* kGpus = "/proc/driver/nvidia/gpus";

// Returns the GPU names in CUDA_VISIBLE_DEVICES: numbers or UUIDs. CUDA stops at the first name that is not a GPU.
std::vector<std::string> names_left(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream parts(list);
  for (std::string name; std::getline(parts, name, ',');) {
    if (name.empty() || name.starts_with('-')) break;
    names.push_back(name);
  }
  return names;
}

// Returns the names of the GPUs that CUDA would see; empty if unknown.
std::vector<std::string> names_of_visible() {
  if (const char* list = std::getenv(kVisible)) return names_left(list);
  std::error_code none;
  std::vector<std::string> names;
  for (fs::directory_iterator gpu(kGpus, none), end; !none && gpu != end; gpu.increment(none))
    names.push_back(std::to_string(names.size()));
  return names;
}

[[noreturn]] void refuse_number(int number, std::size_t count) {
  throw Error(ErrorKind::device, "no GPU cuda:" + std::to_string(number) +
                                     ": the last one is cuda:" + std::to_string(static_cast<std::int64_t>(count) - 1));
}

// Returns the GPUs that CUDA sees and the configuration requests, including those that are too old.
std::vector<Gpu> seen_gpus(const Config& config, const std::vector<int>& left, const CudaAvailability& cuda) {
  const std::size_t seen = cuda.why_not.size();
  std::vector<Gpu> gpus;
  if (seen > 0 && left.empty() && !config.gpus.empty()) {  // the count is unknown, and none was hidden
    for (const int number : config.gpus) {
      if (static_cast<std::size_t>(number) >= seen) refuse_number(number, seen);
      gpus.push_back({number, number});
    }
    return gpus;
  }
  for (int device = 0; std::cmp_less(device, seen); ++device)
    gpus.push_back({device, std::cmp_less(device, left.size()) ? left[device] : device});
  if (seen > 0 && seen < left.size()) refuse_number(left[seen], seen);
  return gpus;
}

}  // namespace

bool of_one_model(const fs::path& folder) {
  std::set<std::string> models;
  std::error_code none;
  for (fs::directory_iterator gpu(folder, none), end; !none && gpu != end; gpu.increment(none)) {
    std::ifstream information(gpu->path() / "information");
    for (std::string line; std::getline(information, line);)
      if (line.starts_with("Model:")) models.insert(line);
  }
  return models.size() <= 1;
}

std::optional<int> visible_gpus() {
  const auto names = names_of_visible();
  if (names.empty() && !std::getenv(kVisible)) return std::nullopt;
  return static_cast<int>(names.size());
}

std::vector<int> hide_other_gpus(const Config& config, bool one_recording) {
  const auto names = names_of_visible();
  if (config.device == DeviceChoice::cpu || names.empty() || (config.gpus.empty() && !one_recording)) return {};
  if (config.gpus.empty() && !of_one_model(kGpus)) return {};  // the first GPU may be too old for this build
  std::vector<int> wanted = config.gpus;
  if (wanted.empty()) wanted = {0};
  for (const int number : wanted)
    if (static_cast<std::size_t>(number) >= names.size()) refuse_number(number, names.size());
  if (one_recording) wanted.resize(1);
  std::string list;
  for (const int number : wanted) list += (list.empty() ? "" : ",") + names[number];
  setenv(kVisible, list.c_str(), 1);
  return wanted;
}

void load_kernels_at_start() { setenv("CUDA_MODULE_LOADING", "EAGER", 0); }

void use_one_channel() { setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); }

std::vector<Gpu> gpus_among(const CudaAvailability& cuda, const Config& config, const std::vector<int>& left,
                            const Log& log) {
  auto gpus = seen_gpus(config, left, cuda);
  std::erase_if(gpus, [&](const Gpu& gpu) {
    const std::string& why_not = cuda.why_not[gpu.device];
    if (why_not.empty()) return false;
    const std::string name = "cuda:" + std::to_string(gpu.number);
    if (!config.gpus.empty()) throw Error(ErrorKind::device, name + ": " + why_not);
    if (cuda.devices > 0) log.info(name + " is left out: " + why_not);
    return true;
  });
  if (!gpus.empty()) return gpus;
  if (config.device == DeviceChoice::cuda)
    throw Error(ErrorKind::device, "no GPU: " + cuda.reason + "; --device cpu works without one");
  if (cuda.built) log.info("no GPU (" + cuda.reason + "): working on the CPU");
  return {};
}

std::vector<Gpu> gpus_to_use(const Config& config, const std::vector<int>& left, const Log& log) {
  if (config.device == DeviceChoice::cpu) return {};
  auto gpus = gpus_among(cuda_availability(), config, left, log);
#ifdef BEATSCAN_WITH_CUDA
  if (!gpus.empty() && config.method == Method::published) load_cufft();  // otherwise each recording would fail
#endif
  return gpus;
}

std::optional<Gpu> gpu_to_use(const Config& config, const Log& log) {
  const auto gpus = gpus_to_use(config, hide_other_gpus(config, true), log);
  return gpus.empty() ? std::nullopt : std::optional(gpus.front());
}

}  // namespace beatscan
