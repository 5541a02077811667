#include "kernels/machine/processor_name.h"

#include <string_view>

namespace beatscan {
namespace {

struct Part {
  std::string_view implementer, part, name;
};

// Processors of servers, with the numbers of Linux's arch/arm64/include/asm/cputype.h.
constexpr Part kParts[] = {
    {"0x41", "0xd08", "Arm Cortex-A72 (Graviton)"},
    {"0x41", "0xd0c", "Arm Neoverse N1 (Graviton2, Ampere Altra)"},
    {"0x41", "0xd40", "Arm Neoverse V1 (Graviton3)"},
    {"0x41", "0xd49", "Arm Neoverse N2"},
    {"0x41", "0xd4f", "Arm Neoverse V2 (Grace, Graviton4)"},
    {"0x41", "0xd84", "Arm Neoverse V3"},
    {"0x41", "0xd8e", "Arm Neoverse N3"},
};

std::string arm_name(const std::string& implementer, const std::string& part) {
  for (const Part& known : kParts)
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  if (implementer == "0x61") return "Apple";
  return "Arm processor of maker " + implementer + ", part " + part;
}

}  // namespace

std::string processor_name(std::istream& cpuinfo) {
  std::string implementer, part;
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto value = [&] { return line.find(": ") == line.npos ? "" : line.substr(line.find(": ") + 2); };
    if (line.starts_with("model name")) return value();
    if (line.starts_with("CPU implementer")) implementer = value();
    if (line.starts_with("CPU part")) part = value();
    if (line.empty() && !part.empty()) break;  // the first processor stands for all
  }
  return part.empty() ? "" : arm_name(implementer, part);
}

}  // namespace beatscan
