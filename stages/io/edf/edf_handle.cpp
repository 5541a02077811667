#include "stages/io/edf/edf_handle.h"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/machine/condition_variable.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

// EDFlib has one list of all open files, which several threads must not change at a time.
struct OpenFiles {
  std::mutex mutex;
  std::condition_variable closed;  // notified when a file was closed
  int copies = 0;                  // of the files that are open
};

OpenFiles& open_files() {
  static auto* files = new OpenFiles;  // never deleted: a file may be closed after this file's objects
  return *files;
}

// Opens a file. Returns 0, or why EDFlib cannot open it.
int open_in_edflib(const std::string& path, edf_hdr_struct& header) {
  return edfopen_file_readonly(path.c_str(), &header, EDFLIB_DO_NOT_READ_ANNOTATIONS) == 0 ? 0 : header.filetype;
}

std::string reason(int error) {
  switch (error) {
    case EDFLIB_FILE_IS_DISCONTINUOUS:
      return "has interruptions (EDF+D), which are not read; export its parts, or convert it to EDF+C";
    case EDFLIB_NO_SUCH_FILE_OR_DIRECTORY:
      return "cannot be opened by EDFlib; raise the limit of open files (ulimit -n), and check that /proc is there";
    case EDFLIB_MALLOC_ERROR:
      return "no memory for its header";
    case EDFLIB_FILE_CONTAINS_FORMAT_ERRORS:
      return "does not follow EDF's specification; EDFbrowser says where, and repairs it";
  }
  return "cannot be read by EDFlib (error " + std::to_string(error) + ")";
}

}  // namespace

int most_edf_copies() {
  constexpr rlim_t kFewFiles = 256;
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > kFewFiles ? 31 : 0;
}

EdfHandle::EdfHandle(std::shared_ptr<const InputFile> file)
    : file_(std::move(file)), header_(std::make_unique<edf_hdr_struct>()) {
  OpenFiles& files = open_files();
  std::unique_lock lock(files.mutex);
  int error;
  while ((error = open_in_edflib(file_->open_path(), *header_)) == EDFLIB_MAXFILES_REACHED) files.closed.wait(lock);
  if (error != 0) fail(ErrorKind::input, file_->path().string(), reason(error));
}

EdfHandle::EdfHandle(std::shared_ptr<const InputFile> file, std::unique_ptr<edf_hdr_struct> header)
    : file_(std::move(file)), header_(std::move(header)), is_copy_(true) {}

EdfHandle::~EdfHandle() {
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  edfclose_file(header_->handle);
  files.copies -= is_copy_;
  files.closed.notify_all();  // the first that waits may fail and leave its place to another
}

// EDFlib refuses a path that it has open. So each copy has a path of its own, with one more slash.
std::unique_ptr<EdfHandle> EdfHandle::again(int copy) const {
  auto path = file_->open_path();
  path.insert(path.rfind('/'), static_cast<std::size_t>(copy), '/');
  auto header = std::make_unique<edf_hdr_struct>();
  OpenFiles& files = open_files();
  const std::lock_guard lock(files.mutex);
  if (files.copies >= most_edf_copies() || open_in_edflib(path, *header) != 0) return nullptr;
  ++files.copies;
  return std::unique_ptr<EdfHandle>(new EdfHandle(file_, std::move(header)));
}

void EdfHandle::read(int signal, std::int64_t first, std::span<float> values) {
  constexpr std::size_t kAtATime = 1 << 14;  // samples
  buffer_.resize(std::min(values.size(), kAtATime));
  bool whole = edfseek(header_->handle, signal, first, EDFSEEK_SET) == first;
  while (whole && !values.empty()) {
    const auto count = std::min(values.size(), buffer_.size());
    whole = edfread_physical_samples(header_->handle, signal, static_cast<int>(count), buffer_.data()) ==
            static_cast<int>(count);
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(buffer_[i]);
    values = values.subspan(count);
  }
  if (!whole) fail(ErrorKind::input, file_->path().string(), "became shorter while it was read");
}

}  // namespace beatscan
