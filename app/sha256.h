// app/sha256.h — the fingerprint of a file, as sha256sum prints it.
#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace beatscan {

std::string sha256_of_file(const std::filesystem::path& path);  // Status::input where it cannot be read
std::string sha256_of(std::span<const char> bytes);

}  // namespace beatscan
