// Files, pipes and compressed files hold the same text.
#include "stages/io/recording/input_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>
#include <thread>

#include "kernels/runtime/error.h"
#include "tests/support/compressed.h"
#include "tests/support/expect_error.h"
#include "tests/support/few_descriptors.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

// Returns text that compresses, but not to nothing.
std::string text_of_size(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::string text;
  while (text.size() < size) text += std::to_string(random() % 1000) + "\n";
  text.resize(size);
  return text;
}

std::string contents(const InputFile& file) {
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  EXPECT_EQ(file.read(0, text), file.size());
  return text;
}

class InputFiles : public testing::Test {
 protected:
  std::string unpacked_text(const std::string& bytes) {
    return contents(*unpacked(std::make_shared<const InputFile>(folder_.write("x", bytes))));
  }
  void expect_refused(const std::string& part, const std::string& bytes) {
    expect_error(ErrorKind::input, part, [&] { unpacked_text(bytes); });
  }
  TemporaryFolder folder_;
};

// The sizes are around 1 MiB, as files are read and written in blocks of that size.
TEST_F(InputFiles, CompressedTextIsTheText) {
  for (const std::size_t size : {0u, 1u, 1000u, (1u << 20) - 1, 1u << 20, (1u << 20) + 1, (2u << 20) + 1000}) {
    SCOPED_TRACE(size);
    const std::string text = text_of_size(size), gz = gzip(text);
    EXPECT_TRUE(unpacked_text(text) == text);
    EXPECT_TRUE(unpacked_text(gz) == text);
    EXPECT_TRUE(unpacked_text(gz + gzip("") + gzip("more\n")) == text + "more\n") << "several members";
    EXPECT_TRUE(unpacked_text(gz + std::string(700, 0)) == text) << "filled up with zeros, as on a tape";
    for (const auto& pack : {zstd, xz, bzip2}) {
      const std::string packed = pack(text);
      EXPECT_TRUE(unpacked_text(packed) == text);
      EXPECT_TRUE(unpacked_text(packed + pack("more\n")) == text + "more\n") << "several frames or streams";
    }
  }
}

TEST_F(InputFiles, TextThatTakesFewBytesIsUnpacked) {
  const std::string zeros(20'000'000, '0');
  for (const auto& pack : {gzip, zstd, xz, bzip2}) EXPECT_TRUE(unpacked_text(pack(zeros)) == zeros);
}

TEST_F(InputFiles, CutOffAnywhereIsRefused) {
  const std::string text = text_of_size(3000);
  for (const auto& [name, packed] : {std::pair("gzip", gzip(text)), std::pair("zstd", zstd(text)),
                                     std::pair("xz", xz(text)), std::pair("bzip2", bzip2(text))})
    for (std::size_t size = 10; size < packed.size(); size += 1 + size / 40) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(size));
      expect_refused(std::string("not a whole ") + name + " file", packed.substr(0, size));
    }
  expect_refused("cut off", gzip(text) + gzip(text).substr(0, 200));
}

TEST_F(InputFiles, ADamagedByteIsRefused) {
  const std::string text = text_of_size(3000);
  for (const std::string& packed : {gzip(text), zstd(text), xz(text), bzip2(text)})
    for (std::size_t at = 30; at < packed.size(); at += 37) {
      SCOPED_TRACE(at);
      std::string damaged = packed;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
      expect_refused("not a whole ", damaged);
    }
  expect_refused("not a whole gzip file", gzip(text) + "something else");
  for (std::size_t from_end = 1; from_end <= 8; ++from_end) {  // the length and, before it, the checksum
    std::string damaged = gzip(text);
    damaged[damaged.size() - from_end] ^= 1;
    expect_refused(from_end > 4 ? "incorrect data check" : "incorrect length check", damaged);
  }
}

// The file unpacks to a thousand times its size.
TEST_F(InputFiles, ABombIsStopped) {
  const std::string zeros(50'000'000, '0');
  for (const auto& packed : {gzip(zeros), zstd(zeros), xz(zeros), bzip2(zeros)}) {
    const auto file = std::make_shared<const InputFile>(folder_.write("x", packed));
    expect_error(ErrorKind::output,
                 "no room for a temporary file: the input takes more than 40000000 bytes; set TMPDIR",
                 [&] { unpacked(file, 40'000'000); });
    EXPECT_EQ(unpacked(file, 50'000'000)->size(), 50'000'000);
  }
}

TEST_F(InputFiles, APipeIsReadToItsEnd) {
  const auto path = folder_.path() / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const std::string& bytes : {text_of_size(3'000'000), gzip(text_of_size(3'000'000))}) {
    const std::jthread writer([&] { std::ofstream(path, std::ios::binary) << bytes; });
    const auto file = std::make_shared<const InputFile>(path);
    EXPECT_EQ(file->size(), std::ssize(bytes));
    EXPECT_TRUE(contents(*unpacked(file)) == text_of_size(3'000'000));
  }
}

TEST_F(InputFiles, TooFewDescriptorsAreReported) {
  const auto path = folder_.write("x", "1\n");
  const auto packed = std::make_shared<const InputFile>(folder_.write("y", gzip("1\n")));
  const NoMoreDescriptors none;
  expect_error(ErrorKind::input, "Too many open files; raise the limit of open files (ulimit -n)",
               [&] { InputFile{path}; });
  expect_error(ErrorKind::output, "Too many open files; raise the limit of open files (ulimit -n)",
               [&] { unpacked(packed); });
}

TEST_F(InputFiles, WhatIsNoFileIsRefused) {
  expect_error(ErrorKind::input, "cannot be read", [&] { InputFile(folder_.path() / "none"); });
  expect_error(ErrorKind::input, "cannot be read: Is a directory", [&] { InputFile(folder_.path().string()); });
  expect_error(ErrorKind::input, "is a device", [] { InputFile("/dev/zero"); });
}

}  // namespace
}  // namespace beatscan
