#include "app/common/stamp.h"

#include <sys/stat.h>

#include <ctime>

namespace beatscan {

std::string stamp_of(const std::filesystem::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  if (status.st_ctim.tv_sec >= std::time(nullptr) - 2) return "";
  const auto change = std::to_string(status.st_ctim.tv_sec) + "." + std::to_string(status.st_ctim.tv_nsec);
  return std::to_string(status.st_ino) + ":" + std::to_string(status.st_size) + ":" + change;
}

}  // namespace beatscan
