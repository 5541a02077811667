#include "app/sha256.h"

#define OPENSSL_SUPPRESS_DEPRECATED  // the plain functions link a few KB, EVP several MB
#include <openssl/sha.h>

#include <vector>

#include "stages/text_reader.h"

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

std::string sha256_of_file(const std::filesystem::path& path, std::stop_token stop) {
  const InputFile file(path);
  SHA256_CTX state;
  SHA256_Init(&state);
  std::vector<char> block(1 << 20);
  for (std::int64_t offset = 0; !stop.stop_requested();) {
    const std::int64_t got = file.read(offset, block);
    if (got == 0) return finished(state);
    SHA256_Update(&state, block.data(), static_cast<std::size_t>(got));
    offset += got;
  }
  return "";  // nobody waits for it
}

}  // namespace

FileHash::FileHash(const std::filesystem::path& path) {
  std::packaged_task<std::string(std::stop_token)> task(
      [path](std::stop_token stop) { return sha256_of_file(path, stop); });
  result_ = task.get_future();
  thread_ = std::jthread([task = std::move(task)](std::stop_token stop) mutable { task(stop); });
}

std::string sha256_of(std::span<const char> bytes) {
  SHA256_CTX state;
  SHA256_Init(&state);
  SHA256_Update(&state, bytes.data(), bytes.size());
  return finished(state);
}

}  // namespace beatscan
