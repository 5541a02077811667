#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/standard_streams.h"
#include "app/common/build_info.h"
#include "app/common/json.h"
#include "app/config/config.h"
#include "app/output/tables/parquet.h"
#include "app/pipeline/models.h"
#include "kernels/runtime/context.h"
#include "kernels/runtime/describe_gpu.h"
#include "stages/model/vae.h"

namespace beatscan {

namespace {

Json described_device(const DeviceDescription& device, const char* kind) {
  Json json = {{"kind", kind},
               {"name", device.name},
               {"memory_bytes", device.memory_bytes},
               {"multiprocessors", device.multiprocessors}};
  if (!device.compute_capability.empty()) json["compute_capability"] = device.compute_capability;
  if (!device.driver_version.empty()) json["driver"] = device.driver_version;
  return json;
}

void add_gpus([[maybe_unused]] const CudaAvailability& cuda, [[maybe_unused]] Json& devices) {
#ifdef BEATSCAN_WITH_CUDA
  for (int device = 0; device < std::ssize(cuda.why_not); ++device)
    if (cuda.why_not[device].empty()) devices.push_back(described_device(describe_gpu(device), "cuda"));
#endif
}

// The notices of the bundled libraries; their texts are in docs/notices.md.
Json notices(bool with_cuda) {
  Json contained = {{"zlib", "Zlib"},
                    {"Zstandard", "BSD-3-Clause"},
                    {"XZ Utils", "public domain"},
                    {"bzip2", "bzip2-1.0.6"},
                    {"FLAC", "BSD-3-Clause"},
                    {"Ogg", "BSD-3-Clause"},
                    {"EDFlib", "BSD-2-Clause"},
                    {"OpenSSL", "Apache-2.0"},
                    {"CLI11", "BSD-3-Clause"},
                    {"JSON for Modern C++", "MIT"},
                    {"uPlot", "MIT"}};
  if (with_cuda) {
    contained["CUB"] = "BSD-3-Clause";
    contained["NVTX"] = "Apache-2.0 WITH LLVM-exception";
  }
  return {{"program", "Apache-2.0"},
          {"contains", contained},
          {"data", "ODC-By-1.0"},
          {"texts", "docs/notices.md, in the checkout and in share/doc/beatscan"}};
}

// Loads LibTorch in a process of its own: meanwhile this one starts CUDA, which would otherwise wait for the loader's
// lock, and it survives a LibTorch that ends its process.
class LibtorchCheck {
 public:
  LibtorchCheck() {
    if (pipe(ends_.data()) != 0) return;
    process_ = fork();
    if (process_ == 0) tell_and_end();
    close(ends_[1]);
    if (process_ < 0) close(ends_[0]);
  }
  LibtorchCheck(LibtorchCheck&&) = delete;

  // Waits for the process. Returns why LibTorch cannot be loaded; empty if it can.
  std::string problem() {
    if (process_ < 0) return load_libtorch();
    std::array<char, PIPE_BUF> text;
    std::FILE* const in = fdopen(ends_[0], "r");
    const std::size_t bytes = in ? std::fread(text.data(), 1, text.size(), in) : 0;
    if (in) std::fclose(in);
    int status = 0;
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    if (bytes > 0) return {text.data() + 1, bytes - 1};  // without kReady
    return WIFSIGNALED(status) ? "LibTorch ended its process by signal " + std::to_string(WTERMSIG(status))
                               : "LibTorch ended its process";
  }

 private:
  static constexpr char kReady = '\n';  // begins what a process writes after the loading

  [[noreturn]] void tell_and_end() const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDOUT_FILENO);  // a reader need not wait
    const std::string text = kReady + load_libtorch().substr(0, PIPE_BUF - 1);
    _exit(write(ends_[1], text.data(), text.size()) < 0);
  }

  std::array<int, 2> ends_{};  // of a pipe
  pid_t process_ = -1;
};

}  // namespace

int info_command() {
  LibtorchCheck check;  // before this process has threads
  const CudaAvailability cuda = cuda_availability();
  Json devices = Json::array({described_device(describe(Cpu()), "cpu")});
  add_gpus(cuda, devices);
  const Models models = read_models({});
  const std::string arrow = arrow_version(), no_libtorch = check.problem();
  const Json libtorch = no_libtorch.empty() ? Json(libtorch_version()) : Json(nullptr);
  Json info = {{"version", BEATSCAN_VERSION},
               {"build", {{"type", BEATSCAN_BUILD_TYPE}, {"compiler", BEATSCAN_COMPILER}, {"cuda", cuda.built}}},
               {"libraries", {{"libtorch", libtorch}, {"arrow", arrow.empty() ? Json(nullptr) : Json(arrow)}}},
               {"wave_model", {{"date", models.waves.date}, {"sha256", models.waves.sha256}}},
               {"quality_model", {{"date", models.quality.date}, {"sha256", models.quality.sha256}}},
               {"class_model", {{"sha256", models.classes.sha256}}},
               {"rhythm_model", {{"sha256", models.rhythms.sha256}}},
               {"licences", notices(cuda.built)},
               {"devices", devices}};
  if (cuda.built) {
    info["build"]["cuda_compiler"] = BEATSCAN_CUDA_COMPILER;
    info["build"]["cuda_architectures"] = BEATSCAN_CUDA_ARCHITECTURES;
  }
  if (!no_libtorch.empty()) info["no_libtorch_because"] = no_libtorch;
  if (!cuda.reason.empty()) info["no_gpu_because"] = cuda.reason;
  print_json(info);
  return 0;
}

}  // namespace beatscan
