#include "app/batch/devices.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "app/common/log.h"
#include "app/config/config.h"
#include "kernels/machine/host_memory.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/pool_options.h"
#include "stages/io/edf/edf_handle.h"
#ifdef BEATSCAN_WITH_CUDA
#include "kernels/runtime/pci_name.h"
#include "kernels/signal/convolve_circular.h"
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

namespace {

ProcessorSet common(const ProcessorSet& one, const ProcessorSet& other) {
  ProcessorSet both;
  std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
  return both;
}

}  // namespace

std::vector<ProcessorSet> processors_to_stay_on(std::vector<ProcessorSet> near, const ProcessorSet& allowed,
                                                int threads) {
  const std::vector<ProcessorSet> anywhere(near.size());
  std::map<ProcessorSet, std::size_t> groups;  // multiplied by the number of GPUs
  ProcessorSet taken;
  for (auto& processors : near) {
    processors = common(processors, allowed);
    if (groups[processors]++ > 0) continue;
    if (!common(processors, taken).empty()) return anywhere;  // the groups overlap
    taken.insert(processors.begin(), processors.end());
  }
  if (groups.size() < 2) return anywhere;
  for (const auto& [processors, gpus] : groups)
    if (processors.size() * near.size() < static_cast<std::size_t>(threads) * gpus) return anywhere;
  return near;
}

std::vector<ProcessorSet> processors_to_stay_on(const std::vector<Gpu>& gpus) {
  std::vector<ProcessorSet> near(gpus.size());
#ifdef BEATSCAN_WITH_CUDA
  for (std::size_t i = 0; i < gpus.size(); ++i)
    near[i] = processors_near(pci_name(gpus[i].device), "/sys/bus/pci/devices");
#endif
  return processors_to_stay_on(std::move(near), processors_of_process(), process_threads());
}

namespace {

// Returns how many recordings each device may process within the limit on open files (ulimit -n). A recording has up to
// six files open, and several threads share the copies of EDF files.
int most_by_descriptors(std::size_t devices) {
  constexpr rlim_t kOfARecording = 6, kMost = 1 << 16;
  const rlim_t besides = 12 + static_cast<rlim_t>(most_edf_copies());
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const rlim_t left = std::min(limit.rlim_cur, kMost) - std::min(limit.rlim_cur, besides);
  return std::max(1, static_cast<int>(left / kOfARecording / devices));
}

}  // namespace

std::int64_t room_on([[maybe_unused]] const std::optional<Gpu>& gpu, [[maybe_unused]] const PoolOptions& pool) {
  std::int64_t bytes = static_cast<std::int64_t>(available_host_bytes());
#ifdef BEATSCAN_WITH_CUDA
  if (gpu) bytes = pool.limit_bytes > 0 ? pool.limit_bytes : device_memory_bytes(gpu->device);
#endif
  return bytes / 4 * 3;
}

int recordings_at_a_time(bool on_gpu, std::size_t devices, const std::vector<std::int64_t>& needs, int wanted) {
  constexpr int kMostOnAGpu = 32;
  constexpr std::size_t kFewDevices = 2;
  // A thread waits for the GPU and for files. On up to two GPUs, small recordings are therefore faster with more
  // threads than processors. With more GPUs, or large recordings, the threads disturb each other: docs/performance.md.
  constexpr std::int64_t kLarge = 512 << 20;
  const bool small = std::ranges::all_of(needs, [](std::int64_t bytes) { return bytes < kLarge; });
  const int threads = std::max(1, process_threads() / static_cast<int>(devices));
  const int chosen =
      on_gpu ? std::min(small && devices <= kFewDevices ? threads * 5 / 4 : threads, kMostOnAGpu) : threads;
  const std::size_t share = (needs.size() + devices - 1) / devices;
  return static_cast<int>(
      std::min<std::size_t>(std::min(wanted > 0 ? wanted : chosen, most_by_descriptors(devices)), share));
}

std::vector<BatchDevice> batch_devices(const std::vector<Gpu>& gpus, const std::vector<std::int64_t>& needs,
                                       int wanted) {
  if (gpus.empty()) return {{std::nullopt, recordings_at_a_time(false, 1, needs, wanted), {}}};
  const int recordings = recordings_at_a_time(true, gpus.size(), needs, wanted);
  const auto near = processors_to_stay_on(gpus);
  std::vector<BatchDevice> devices;
  for (std::size_t i = 0; i < gpus.size(); ++i) devices.push_back({gpus[i], recordings, near[i]});
  return devices;
}

JobQueue::JobQueue(std::vector<std::int64_t> needs, const std::vector<std::int64_t>& device_rooms,
                   std::int64_t host_room)
    : needs_(std::move(needs)), host_{host_room} {
  for (std::size_t job = 0; job < needs_.size(); ++job) waiting_.insert({-needs_[job], job});
  for (const std::int64_t bytes : device_rooms) devices_.push_back({bytes});
}

std::int64_t JobQueue::Room::left() const {
  return jobs == 0 ? std::numeric_limits<std::int64_t>::max() : std::max<std::int64_t>(bytes - used, 0);
}

void JobQueue::enter(Room& device, std::size_t job) {
  for (Room* room : {&device, &host_}) {
    ++room->jobs;
    room->used += needs_[job];
  }
}

std::optional<JobQueue::Taken> JobQueue::taken_if_any(Room& device) {
  if (device.jobs == 0 && !waiting_for_a_device_alone_.empty()) {
    const auto first = waiting_for_a_device_alone_.begin();
    const std::size_t job = first->second;
    if (needs_[job] <= host_.left()) {
      waiting_for_a_device_alone_.erase(first);
      enter(device, job);
      device.closed = true;
      return Taken{job, true};
    }
  }
  if (device.jobs == 0 && waiting_for_a_device_alone_.empty()) device.closed = false;  // another device took it
  if (device.closed) return std::nullopt;
  const auto found = waiting_.lower_bound({-std::min(device.left(), host_.left()), 0});
  if (found == waiting_.end()) return std::nullopt;
  const std::size_t job = found->second;
  waiting_.erase(found);
  enter(device, job);
  return Taken{job, false};
}

std::optional<JobQueue::Taken> JobQueue::take(std::size_t device) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (stopped_) return std::nullopt;
    if (const auto taken = taken_if_any(devices_[device])) return taken;
    if (waiting_.empty() && waiting_for_a_device_alone_.empty() && host_.jobs == 0) return std::nullopt;
    changed_.wait(lock);
  }
}

void JobQueue::leave(Room& device, Taken taken) {
  for (Room* room : {&device, &host_}) {
    --room->jobs;
    room->used -= needs_[taken.job];
  }
  if (taken.alone) device.closed = false;
  changed_.notify_all();
}

void JobQueue::finish(std::size_t device, Taken taken) {
  const std::lock_guard lock(mutex_);
  leave(devices_[device], taken);
}

void JobQueue::give_back(std::size_t device, Taken taken) {
  const std::lock_guard lock(mutex_);
  leave(devices_[device], taken);
  waiting_.insert({-needs_[taken.job], taken.job});
}

void JobQueue::give_back_for_a_device_alone(std::size_t device, Taken taken) {
  const std::lock_guard lock(mutex_);
  leave(devices_[device], taken);
  devices_[device].closed = true;
  waiting_for_a_device_alone_.insert({-needs_[taken.job], taken.job});
}

void JobQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace beatscan
