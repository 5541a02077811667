#include "app/report/drawing/deflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace beatscan {
namespace {

using Bytes = std::vector<std::uint8_t>;

// Checks that zlib, which reads one byte more than there are, inflates the same; returns the size of the stream.
std::size_t size_of_stream(const Bytes& bytes) {
  const std::string stream = deflated(bytes);
  Bytes read(bytes.size() + 1);
  uLongf size = read.size();
  EXPECT_EQ(uncompress(read.data(), &size, reinterpret_cast<const Bytef*>(stream.data()), stream.size()), Z_OK);
  read.resize(std::min<std::size_t>(size, read.size()));
  EXPECT_TRUE(read == bytes);
  return stream.size();
}

TEST(Deflate, BytesOfAnyNumberComeBack) {
  std::mt19937 random(7);
  std::normal_distribution<> noise(100, 20);
  for (const int size : {0, 1, 2, 3, 7, 8, 255, 65'535, 65'536, 65'537, 131'072, 200'001}) {
    SCOPED_TRACE(size);
    Bytes noisy(size), any(size);
    for (auto& byte : noisy) byte = static_cast<std::uint8_t>(std::clamp(noise(random), 0.0, 255.0));
    for (auto& byte : any) byte = static_cast<std::uint8_t>(random());
    EXPECT_LE(size_of_stream(noisy), 150 + size * 84 / 100) << "entropy: 6.4 bits a byte";
    EXPECT_LE(size_of_stream(any), 150 + size * 1005 / 1000);
    EXPECT_LE(size_of_stream(Bytes(size)), 100U * (1 + size / 65'536)) << "of a block";
  }
}

// Each length of a run, at each distance from words of eight bytes, and over the ends of blocks.
TEST(Deflate, RunsComeBack) {
  Bytes bytes;
  for (int length = 1; length < 600; ++length) bytes.insert(bytes.end(), length, static_cast<std::uint8_t>(length % 3));
  EXPECT_LE(size_of_stream(bytes), 3000U);
  for (const int start : {65'400, 65'535, 65'536}) {
    Bytes noisy(start);
    std::iota(noisy.begin(), noisy.end(), std::uint8_t{0});
    noisy.insert(noisy.end(), 700, 9);
    size_of_stream(noisy);
  }
}

// By Huffman's algorithm, the codes of Fibonacci numbers are longer than deflate allows.
TEST(Deflate, CodesAreOfAllowedLength) {
  Bytes bytes;
  for (std::size_t now = 1, last = 0, byte = 0; bytes.size() + now < 60'000;
       last = std::exchange(now, now + last), ++byte)
    bytes.insert(bytes.end(), now, static_cast<std::uint8_t>(byte));
  std::shuffle(bytes.begin(), bytes.end(), std::mt19937(7));
  size_of_stream(bytes);
}

}  // namespace
}  // namespace beatscan
