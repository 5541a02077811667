#include "app/common/sha256.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // these functions add a few KB to the program, EVP several MB
#include <openssl/sha.h>

#include <array>
#include <future>
#include <utility>
#include <vector>

#include "kernels/machine/thread_policy.h"
#include "stages/common/interrupt.h"

namespace beatscan {
namespace {

std::string finished(SHA256_CTX& state) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256_Final(digest, &state);
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

using Blocks = std::array<std::vector<char>, 2>;

// Reads the next block while the current one is hashed, if a thread may be started for it (`policy`): reading from the
// page cache takes a quarter of the time. Otherwise the caller does everything and so can check for signals.
void add_file(SHA256_CTX& state, const InputFile& file, Blocks& blocks, std::launch policy, std::stop_token stop) {
  std::int64_t offset = 0, size = file.read(offset, blocks[0]);
  for (int i = 0; size > 0; i = 1 - i) {
    if (stop.stop_requested()) return;  // the hash is no longer wanted
    if (policy == std::launch::deferred) throw_if_interrupted();
    offset += size;
    auto next = std::async(policy, [&, i] { return file.read(offset, blocks[1 - i]); });
    SHA256_Update(&state, blocks[i].data(), static_cast<std::size_t>(size));
    size = next.get();
  }
}

std::string sha256_of_files(const std::vector<InputPart>& files, std::launch policy, std::stop_token stop) {
  SHA256_CTX state;
  SHA256_Init(&state);
  // A block that a thread reads is large, because starting it takes time; otherwise it fits into a processor's cache.
  const std::size_t bytes = policy == std::launch::async ? 4 << 20 : 1 << 18;
  Blocks blocks;
  for (auto& block : blocks) block.resize(bytes);
  for (const auto& part : files) {
    if (stop.stop_requested()) break;
    add_file(state, *part.open(), blocks, policy, stop);
    part.check_unchanged();
  }
  return finished(state);
}

}  // namespace

FileHash::FileHash(std::vector<InputPart> files) {
  // A large file always gets a thread: if it is too large to be analysed, the error is reported before it is hashed.
  constexpr std::int64_t kLarge = std::int64_t{1} << 30;
  std::int64_t bytes = 0;
  for (const auto& part : files) bytes += part.seen ? part.seen->bytes : 0;
  const std::launch policy = bytes >= kLarge ? std::launch::async : thread_policy();
  auto hash = [files = std::move(files), policy, stop = stop_.get_token()] {
    return sha256_of_files(files, policy, stop);
  };
  result_ = std::async(policy, std::move(hash)).share();
  if (policy == std::launch::deferred) result_.wait();  // later, the file could differ from what was analysed
}

FileHash::~FileHash() { stop_.request_stop(); }

std::string sha256_of(std::span<const char> bytes) {
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, bytes.data(), bytes.size());
  return finished(state);
}

}  // namespace beatscan
