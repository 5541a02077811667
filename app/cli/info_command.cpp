#include "app/cli/commands.h"

#include <nlohmann/json.hpp>

#include "app/cli/print_json.h"
#include "app/common/build_info.h"
#include "app/common/json.h"
#include "app/config/config.h"
#include "app/output/tables/parquet.h"
#include "app/pipeline/models.h"
#include "kernels/runtime/context.h"
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

}  // namespace

int info_command() {
  const CudaAvailability cuda = cuda_availability();
  const Models models = read_models({});
  const std::string arrow = arrow_version(), no_libtorch = load_libtorch();
  const Json libtorch = no_libtorch.empty() ? Json(libtorch_version()) : Json(nullptr);
  Json info = {{"version", BEATSCAN_VERSION},
               {"build", {{"type", BEATSCAN_BUILD_TYPE}, {"compiler", BEATSCAN_COMPILER}, {"cuda", cuda.built}}},
               {"libraries", {{"libtorch", libtorch}, {"arrow", arrow.empty() ? Json(nullptr) : Json(arrow)}}},
               {"wave_model", {{"date", models.waves.date}, {"sha256", models.waves.sha256}}},
               {"quality_model", {{"date", models.quality.date}, {"sha256", models.quality.sha256}}},
               {"class_model", {{"sha256", models.classes.sha256}}},
               {"rhythm_model", {{"sha256", models.rhythms.sha256}}},
               {"licences", notices(cuda.built)},
               {"devices", {described_device(describe(Cpu()), "cpu")}}};
  if (cuda.built) {
    info["build"]["cuda_compiler"] = BEATSCAN_CUDA_COMPILER;
    info["build"]["cuda_architectures"] = BEATSCAN_CUDA_ARCHITECTURES;
  }
  if (!no_libtorch.empty()) info["no_libtorch_because"] = no_libtorch;
  if (!cuda.reason.empty()) info["no_gpu_because"] = cuda.reason;
#ifdef BEATSCAN_WITH_CUDA
  for (int device = 0; device < std::ssize(cuda.why_not); ++device)
    if (cuda.why_not[device].empty()) info["devices"].push_back(described_device(describe(Cuda(device)), "cuda"));
#endif
  print_json(info);
  return 0;
}

}  // namespace beatscan
