#include "app/batch/gpus.h"

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVisible = "CUDA_VISIBLE_DEVICES";

// Returns the names of the GPUs that the environment leaves: numbers or UUIDs. CUDA stops at the first name that is no
// GPU's.
std::vector<std::string> names_left(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream parts(list);
  for (std::string name; std::getline(parts, name, ',');) {
    if (name.empty() || name.starts_with('-')) break;
    names.push_back(name);
  }
  return names;
}

// Returns the names of the GPUs that CUDA would see; empty where that cannot be told.
std::vector<std::string> names_of_visible() {
  if (const char* list = std::getenv(kVisible)) return names_left(list);
  std::error_code none;
  const auto count = std::distance(fs::directory_iterator("/proc/driver/nvidia/gpus", none), fs::directory_iterator());
  std::vector<std::string> names;
  for (std::ptrdiff_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

[[noreturn]] void refuse_number(int number, std::size_t count) {
  throw Error(ErrorKind::device, "no GPU cuda:" + std::to_string(number) +
                                     ": the last one is cuda:" + std::to_string(static_cast<std::int64_t>(count) - 1));
}

}  // namespace

std::optional<int> visible_gpus() {
  const auto names = names_of_visible();
  if (names.empty() && !std::getenv(kVisible)) return std::nullopt;
  return static_cast<int>(names.size());
}

std::vector<int> hide_other_gpus(const Config& config, bool one_recording) {
  const auto names = names_of_visible();
  if (config.device == DeviceChoice::cpu || names.empty() || (config.gpus.empty() && !one_recording)) return {};
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

std::vector<Gpu> gpus_to_use(const Config& config, const std::vector<int>& left, const Log& log) {
  if (config.device == DeviceChoice::cpu) return {};
  const CudaAvailability cuda = cuda_availability();
  std::vector<Gpu> gpus;
  if (cuda.devices > 0 && left.empty() && !config.gpus.empty()) {  // they could not be counted, and none was hidden
    for (const int number : config.gpus) {
      if (number >= cuda.devices) refuse_number(number, cuda.devices);
      gpus.push_back({number, number});
    }
    return gpus;
  }
  for (int device = 0; device < cuda.devices; ++device)
    gpus.push_back({device, std::cmp_less(device, left.size()) ? left[device] : device});
  if (!gpus.empty() && gpus.size() >= left.size()) return gpus;
  if (!gpus.empty()) refuse_number(left[gpus.size()], gpus.size());
  if (config.device == DeviceChoice::cuda)
    throw Error(ErrorKind::device, "no GPU: " + cuda.reason + "; --device cpu works without one");
  if (cuda.built) log.info("no GPU (" + cuda.reason + "): working on the CPU");
  return {};
}

std::optional<Gpu> gpu_to_use(const Config& config, const Log& log) {
  const auto gpus = gpus_to_use(config, hide_other_gpus(config, true), log);
  return gpus.empty() ? std::nullopt : std::optional(gpus.front());
}

}  // namespace beatscan
