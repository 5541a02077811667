// Tests files that cannot be read, and files that change while they are read.
#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "app/common/sha256.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"
#include "stages/io/csv/ingest_options.h"
#include "stages/io/input.h"
#include "tests/support/backends.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

std::string rows(int count) {
  std::string text = "mV\n";
  for (int row = 0; row < count; ++row) text += "0." + std::to_string(row % 1000) + "\n";
  return text;
}

template <class Context>
class InputFaults : public OnBackend<Context> {
 protected:
  // Reads in small chunks, and calls `meanwhile` once, after the first of them.
  Recording<Context> read(
      const fs::path& path, const std::function<void()>& meanwhile = [] {}) {
    const IngestOptions options{.chunk_bytes = 1024};
    bool called = false;
    return read_recording(this->context(), resolve_input(path, options), options, [&](auto...) {
      if (!std::exchange(called, true)) meanwhile();
    });
  }
  void expect_changed(const fs::path& path, const std::function<void()>& meanwhile) {
    expect_error(ErrorKind::input, path.string() + ": changed while it was read", [&] { read(path, meanwhile); });
  }
  // Calls `action` as a user who is not root.
  template <class Action>
  void as_nobody(Action&& action) {
    const bool is_root = geteuid() == 0;
    if (is_root) setfsuid(65534);  // applies to this thread only
    action();
    if (is_root) setfsuid(0);
  }
  TemporaryFolder folder_;
};
TYPED_TEST_SUITE(InputFaults, Backends, BackendNames);

TYPED_TEST(InputFaults, WithoutPermission) {
  const auto path = this->folder_.write("x.csv", rows(10));
  fs::permissions(this->folder_.path(), fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  fs::permissions(path, fs::perms::none);
  this->as_nobody([&] {
    expect_error(ErrorKind::input, path.string() + ": cannot be read: Permission denied", [&] { this->read(path); });
  });
}

TYPED_TEST(InputFaults, AFileThatStaysIsRead) {
  EXPECT_EQ(this->read(this->folder_.write("x.csv", rows(20'000))).samples(), 20'000);
}

TYPED_TEST(InputFaults, AFileThatGrows) {
  for (const int count : {50, 20'000}) {  // one chunk, many
    const auto path = this->folder_.write("x.csv", rows(count));
    this->expect_changed(path, [&] { std::ofstream(path, std::ios::app) << "0.5\n"; });
  }
}

TYPED_TEST(InputFaults, AFileThatIsCut) {
  for (const int bytes : {0, 100, 30'000}) {
    const auto path = this->folder_.write("x.csv", rows(20'000));
    this->expect_changed(path, [&] { fs::resize_file(path, bytes); });
  }
}

// The file's size stays the same.
TYPED_TEST(InputFaults, AFileThatIsWrittenTo) {
  const auto path = this->folder_.write("x.csv", rows(20'000));
  fs::last_write_time(path, fs::last_write_time(path) - std::chrono::seconds(1));
  this->expect_changed(path, [&] {
    std::fstream file(path);
    file.seekp(3);
    file << "9";
  });
}

TYPED_TEST(InputFaults, AFileThatIsReplaced) {
  const auto path = this->folder_.write("x.csv", rows(20'000)), other = this->folder_.write("y.csv", rows(20'000));
  this->expect_changed(path, [&] { fs::rename(other, path); });
}

TYPED_TEST(InputFaults, AFileThatIsRemoved) {
  const auto path = this->folder_.write("x.csv", rows(20'000));
  EXPECT_EQ(this->read(path, [&] { fs::remove(path); }).samples(), 20'000);
}

TYPED_TEST(InputFaults, APipeMayEndWithinALine) {
  const auto path = this->folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const bool whole : {true, false}) {
    const std::jthread writer([&] { std::ofstream(path) << (whole ? "mV\n1\n2.5\n" : "mV\n1\n2.5"); });
    const auto recording = this->read(path);
    EXPECT_EQ(recording.samples(), 2);
    EXPECT_EQ(recording.signal.warnings.empty(), whole);
  }
}

// The writer is killed in the middle of a number.
TYPED_TEST(InputFaults, AWriterThatDies) {
  const auto path = this->folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const pid_t writer = fork();
  if (writer == 0) {
    const int pipe = open(path.c_str(), O_WRONLY);
    const ssize_t written = write(pipe, "mV\n1\n2.", 7);
    kill(getpid(), SIGKILL);
    _exit(static_cast<int>(written));
  }
  const auto recording = this->read(path);
  EXPECT_EQ(to_host(this->context(), recording.leads.front().samples), (std::vector<float>{1, 2}));
  EXPECT_EQ(recording.signal.warnings,
            std::vector<std::string>{"the pipe ended within a line: is the last value whole?"});
  waitpid(writer, nullptr, 0);
}

// The record has more files than are kept open.
TYPED_TEST(InputFaults, ASegmentOfARecordThatChanges) {
  constexpr int kSegments = 12, kSamples = 1000;
  std::string master = "m/12 1 250 12000\n";
  for (int i = 0; i < kSegments; ++i) {
    const std::string name = "s" + std::to_string(i);
    master += name + " 1000\n";
    this->folder_.write(name + ".hea", name + " 1 250 1000\n" + name + ".dat 16 200/mV\n");
    this->folder_.write(name + ".dat", std::string(2 * kSamples, '\1'));
  }
  const auto record = this->folder_.write("m.hea", master), last = this->folder_.path() / "s11.dat";
  EXPECT_EQ(this->read(record).samples(), kSegments * kSamples);

  const auto expect_changed = [&](const auto& read) {
    expect_error(ErrorKind::input, last.string() + ": changed while it was read", read);
  };
  const auto change = [&] { fs::last_write_time(last, fs::last_write_time(last) + std::chrono::seconds(1)); };
  expect_changed([&] { this->read(record, change); });
  const Input input = resolve_input(record, {});
  change();
  expect_changed([&] { read_recording(this->context(), input, {}); });
  expect_changed([&] { FileHash(input.parts).get(); });
}

// The file takes no space on the disk: unwritten parts are NUL bytes.
TYPED_TEST(InputFaults, ALineOfAGigabyte) {
  const std::string text = rows(2000);
  const auto path = this->folder_.write("x.csv", text);
  fs::resize_file(path, std::int64_t{1} << 30);
  const auto start = std::chrono::steady_clock::now();
  expect_error(ErrorKind::input,
               "x.csv: byte " + std::to_string(text.size()) + ": a line of more than 2097153 bytes; raise",
               [&] { read_recording(this->context(), resolve_input(path, {}), {}); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  const auto line_1 = this->folder_.write("y.csv", "mV");
  fs::resize_file(line_1, std::int64_t{1} << 30);
  expect_error(ErrorKind::input, "y.csv: byte 2 is NUL", [&] { this->read(line_1); });
}

TEST(FileHashOf, IsTheSameOnAThreadOfItsOwnAndWithout) {
  const TemporaryFolder folder;
  const auto hash = [&] { return FileHash({InputPart{folder.write("x.csv", std::string(9'000'000, '7'))}}).get(); };
  const std::string expected = hash();
  Share number = 1;
  const ShareOfThisThread share(&number);
  EXPECT_EQ(hash(), expected);
  EXPECT_EQ(expected, sha256_of(std::string(9'000'000, '7')));
}

// A hash that is computed at once does not cover bytes written later, even if the file's time does not reveal them.
TEST(FileHashOf, IsOfTheBytesAtTheBeginning) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", "before");
  const auto time = fs::last_write_time(path);
  Share number = 1;
  const ShareOfThisThread share(&number);
  const FileHash hash({InputPart{path}});
  folder.write("x.csv", "later!");
  fs::last_write_time(path, time);
  EXPECT_EQ(hash.get(), sha256_of(std::string("before")));
}

TEST(FileHashOf, EndsWithASignal) {
  const TemporaryFolder folder;
  const InputPart part{folder.write("x.csv", rows(10))};
  Share number = 1;
  const ShareOfThisThread share(&number);
  pretend_signal(SIGINT);
  EXPECT_THROW(FileHash({part}).get(), Interrupted);
  pretend_signal(0);
}

TEST(FileHashOf, AFileThatChangesIsNamed) {
  const TemporaryFolder folder;
  const auto path = folder.write("x.csv", rows(10));
  const InputPart part{path, std::make_shared<const InputFile>(path)};
  std::ofstream(path, std::ios::app) << "1\n";
  const auto expect_changed = [&] {
    expect_error(ErrorKind::input, "x.csv: changed while it was read", [&] { FileHash({part}).get(); });
  };
  expect_changed();
  Share number = 1;
  const ShareOfThisThread share(&number);
  expect_changed();
}

}  // namespace
}  // namespace beatscan
