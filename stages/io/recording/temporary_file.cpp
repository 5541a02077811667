#include "stages/io/recording/temporary_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

constexpr std::int64_t kStep = std::int64_t{16} << 20;  // bytes between two looks at the memory that is left
constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

std::string temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder && *folder ? folder : "/tmp";
}

}  // namespace

TemporaryFile::TemporaryFile(std::optional<std::int64_t> most_bytes, std::size_t (*available)())
    : available_(available), folder_(temporary_folder()), most_bytes_(most_bytes.value_or(kNoLimit)) {
  if (fits_in_memory()) descriptor_ = memfd_create("beatscan", MFD_CLOEXEC);
  in_memory_ = descriptor_ >= 0;
  if (!in_memory_) move_to_disk();
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

// The rest of the memory is for the samples, and for files that are unpacked in parallel.
bool TemporaryFile::fits_in_memory() const { return static_cast<std::int64_t>(available_() / 4) >= size_ + kStep; }

void TemporaryFile::append(std::span<const char> bytes) {
  throw_if_interrupted();  // to unpack a file, or to read a pipe to its end, may take minutes
  if (size_ + std::ssize(bytes) > most_bytes_)
    throw_no_room("the input takes more than " + std::to_string(most_bytes_) + " bytes");
  if (in_memory_ && size_ - looked_at_ >= kStep) {
    looked_at_ = size_;
    if (!fits_in_memory()) move_to_disk();
  }
  write_all(bytes);
  size_ += std::ssize(bytes);
}

// Makes a file on the disk and copies to it what there is in memory.
void TemporaryFile::move_to_disk() {
  const int memory = std::exchange(descriptor_, -1);
  const InputFile before(folder_, memory, size_);  // closes it, also after an error
  in_memory_ = false;
  std::string name = folder_ + "/beatscan-XXXXXX";
  descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw_errno(errno);
  unlink(name.c_str());
  struct statvfs space {};
  if (fstatvfs(descriptor_, &space) != 0) throw_errno(errno);
  if (most_bytes_ == kNoLimit) most_bytes_ = static_cast<std::int64_t>(space.f_bavail * space.f_frsize / 10 * 9);
  std::vector<char> block(size_ > 0 ? 1 << 20 : 0);
  for (std::int64_t done = 0; done < size_;) {
    throw_if_interrupted();
    const std::int64_t got = before.read(done, block);
    write_all(std::span(block).first(static_cast<std::size_t>(got)));
    done += got;
  }
}

void TemporaryFile::write_all(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(descriptor_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw_errno(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

InputFile TemporaryFile::take(const std::filesystem::path& path) {
  return {path, std::exchange(descriptor_, -1), size_};
}

void TemporaryFile::throw_no_room(const std::string& why) const {
  fail(ErrorKind::output, folder_,
       "no room for a temporary file: " + why + "; set TMPDIR to a folder that has it, or unpack the input first");
}

void TemporaryFile::throw_errno(int error) const {
  if (error == EMFILE || error == ENFILE)
    fail(ErrorKind::output, folder_,
         std::string("no temporary file can be made: ") + std::strerror(error) +
             "; raise the limit of open files (ulimit -n)");
  throw_no_room(std::strerror(error));
}

}  // namespace beatscan
