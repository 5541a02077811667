#include "app/pool_log_file.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "app/partial_file.h"
#include "kernels/pool.h"

namespace beatscan {
namespace {

const char* name_of(PoolRequest::Action action) {
  static constexpr std::array kNames = {"allocate", "free", "spill", "unspill", "reserve", "release"};
  return kNames[static_cast<std::size_t>(action)];
}

std::string line_of(const PoolRequest& request) {
  char line[128];
  std::snprintf(line, sizeof line, "%.6f,%s,%" PRId64 ",0x%" PRIxPTR "\n", request.time_s, name_of(request.action),
                request.bytes, request.address);
  return line;
}

}  // namespace

PoolLogFile::PoolLogFile(std::filesystem::path path, bool force) : path_(std::move(path)) {
  if (path_.empty()) return;
  check_writable(path_, force);
#ifdef BEATSCAN_WITH_CUDA
  start_pool_log();
#endif
}

void PoolLogFile::write() const {
  if (path_.empty()) return;
  std::string text = "time_s,action,bytes,address\n";
#ifdef BEATSCAN_WITH_CUDA
  for (const auto& request : take_pool_log()) text += line_of(request);
#endif
  PartialFile file(path_);
  file.write(text);
  file.commit();
}

}  // namespace beatscan
