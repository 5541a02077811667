// A library to be preloaded into the program. It counts the calls that change files under a folder. At the N-th call it
// kills the program, or makes this call and all later calls fail that need space. The environment sets it:
//   BEATSCAN_FAULT        kill, or the number of an errno
//   BEATSCAN_FAULT_AT     N, from 1
//   BEATSCAN_FAULT_UNDER  the folder
//   BEATSCAN_EXIT_LOADED  if not empty, the program ends with status 0 when this library is loaded
//   BEATSCAN_NO_EXCHANGE  if not empty, renameat2 fails with EINVAL, as on a file system that cannot exchange names
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

[[gnu::constructor]] void end_when_loaded() {
  if (*setting("BEATSCAN_EXIT_LOADED")) _exit(0);
}

bool is_under(const std::string& path) {
  static const std::string folder = std::string(setting("BEATSCAN_FAULT_UNDER")) + "/";
  return folder.size() > 1 && path.starts_with(folder);
}

std::string path_of(int descriptor) {
  char path[4096];
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), path, sizeof path);
  return {path, static_cast<std::size_t>(size < 0 ? 0 : size)};
}

// Says whether the call must fail. A full disk does not keep names from being removed or changed.
bool fails(const std::string& path, bool needs_space) {
  static std::atomic<long> calls = 0;
  static const long at = std::atol(setting("BEATSCAN_FAULT_AT"));
  static const std::string fault = setting("BEATSCAN_FAULT");
  if (fault.empty() || !is_under(path) || ++calls < at) return false;
  if (fault == "kill") kill(getpid(), SIGKILL);
  if (!needs_space) return false;
  errno = std::atoi(fault.c_str());
  return true;
}

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (flags & O_CREAT && fails(path, true)) return -1;
  static const auto next = real<int(const char*, int, ...)>("open");
  return next(path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (fails(path_of(descriptor), true)) return -1;
  static const auto next = real<ssize_t(int, const void*, size_t)>("write");
  return next(descriptor, bytes, size);
}

int fsync(int descriptor) {
  if (fails(path_of(descriptor), true)) return -1;
  static const auto next = real<int(int)>("fsync");
  return next(descriptor);
}

int mkdir(const char* path, mode_t mode) {
  if (fails(path, true)) return -1;
  static const auto next = real<int(const char*, mode_t)>("mkdir");
  return next(path, mode);
}

int rename(const char* from, const char* to) noexcept {
  if (fails(to, false)) return -1;
  static const auto next = real<int(const char*, const char*)>("rename");
  return next(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (fails(to, false)) return -1;
  if (*setting("BEATSCAN_NO_EXCHANGE")) {
    errno = EINVAL;
    return -1;
  }
  static const auto next = real<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return next(from_folder, from, to_folder, to, flags);
}

int unlink(const char* path) noexcept {
  if (fails(path, false)) return -1;
  static const auto next = real<int(const char*)>("unlink");
  return next(path);
}

int unlinkat(int folder, const char* path, int flags) noexcept {
  if (fails(*path == '/' ? path : path_of(folder) + "/" + path, false)) return -1;
  static const auto next = real<int(int, const char*, int)>("unlinkat");
  return next(folder, path, flags);
}

}  // extern "C"
