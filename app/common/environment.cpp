#include "app/common/environment.h"

#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "kernels/machine/host_threads.h"
#include "kernels/runtime/context.h"

namespace beatscan {
namespace {

// Reads the name of the distribution from os-release(5), which has lines NAME="value".
std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view kKey = "PRETTY_NAME=";
    if (!line.starts_with(kKey)) continue;
    std::string name = line.substr(kKey.size());
    std::erase(name, '"');
    return name;
  }
  return "";
}

bool is_plain(char c) {
  constexpr std::string_view kOthers = "_-./,:=@%+";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kOthers.find(c) != kOthers.npos;
}

}  // namespace

std::string single_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted += '\'';
}

Host this_host() {
  const DeviceDescription cpu = describe(Cpu());
  Host host{cpu.name, process_threads(), distribution()};  // including a batch, whose recordings share them
  utsname kernel{};
  if (uname(&kernel) == 0)
    host.operating_system += std::string(host.operating_system.empty() ? "" : ", ") + kernel.sysname + " " +
                             kernel.release + " " + kernel.machine;
  return host;
}

std::string quoted_for_shell(std::string_view word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  return single_quoted(word);
}

std::string quoted_for_shell(std::span<const char* const> words) {
  std::string line;
  for (const char* word : words) line += (line.empty() ? "" : " ") + quoted_for_shell(std::string_view(word));
  return line;
}

}  // namespace beatscan
