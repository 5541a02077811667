#include "app/common/pool_log_file.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string>
#include <vector>

#include "kernels/runtime/pool.h"

namespace beatscan {
namespace {

#ifdef BEATSCAN_WITH_CUDA
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
#endif

}  // namespace

PoolLogFile::PoolLogFile(const std::filesystem::path& path, bool force) {
  if (path.empty()) return;
  check_writable(path, force);
  file_.emplace(path);
#ifdef BEATSCAN_WITH_CUDA
  start_pool_log();
#endif
}

void PoolLogFile::write() {
  if (!file_) return;
  std::string text = "time_s,action,bytes,address\n";
#ifdef BEATSCAN_WITH_CUDA
  for (const auto& request : take_pool_log()) text += line_of(request);
#endif
  file_->write(text);
  file_->commit();
}

void PoolLogFile::write_what_there_is() noexcept {
  try {
    write();
  } catch (...) {
    // The user sees the preceding error.
  }
}

}  // namespace beatscan
