#include "kernels/machine/processor_set.h"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

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

namespace {

constexpr int kMostProcessors = 1 << 14;  // more than Linux can have

// The system's form of a set.
using Bits = std::vector<cpu_set_t>;
std::size_t bytes_of(const Bits& bits) { return bits.size() * sizeof(cpu_set_t); }

bool keep_this_thread_on(const ProcessorSet& processors) {
  Bits bits(kMostProcessors / CPU_SETSIZE);
  for (const int processor : processors) CPU_SET_S(processor, bytes_of(bits), bits.data());
  return sched_setaffinity(0, bytes_of(bits), bits.data()) == 0;
}

// Takes a number from the front of the text; returns whether one was there.
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0 || number >= kMostProcessors) return false;
  text.remove_prefix(end - text.data());
  return true;
}

bool take(std::string_view& text, char letter) {
  if (!text.starts_with(letter)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

ProcessorSet processors_in(std::string_view list) {
  ProcessorSet processors;
  do {
    int first = 0, last = 0;
    if (!take_number(list, first)) return {};
    last = first;
    if (take(list, '-') && (!take_number(list, last) || last < first)) return {};
    for (int processor = first; processor <= last; ++processor) processors.insert(processor);
  } while (take(list, ','));
  return list.empty() ? processors : ProcessorSet();
}

ProcessorSet processors_of_this_thread() {
  Bits bits(kMostProcessors / CPU_SETSIZE);
  ProcessorSet processors;
  if (sched_getaffinity(0, bytes_of(bits), bits.data()) != 0) return processors;
  for (int processor = 0; processor < kMostProcessors; ++processor)
    if (CPU_ISSET_S(processor, bytes_of(bits), bits.data())) processors.insert(processor);
  return processors;
}

const ProcessorSet& processors_of_process() {
  static const ProcessorSet processors = processors_of_this_thread();
  return processors;
}

ProcessorSet processors_near(std::string_view name, const std::filesystem::path& devices) {
  std::string folder(name);
  std::ranges::transform(folder, folder.begin(), [](unsigned char letter) { return std::tolower(letter); });
  std::ifstream file(devices / folder / "local_cpulist");
  std::string list;
  std::getline(file, list);
  return processors_in(list);
}

OnProcessors::OnProcessors(const ProcessorSet& processors) {
  if (processors.empty()) return;
  ProcessorSet before = processors_of_this_thread();
  if (!before.empty() && keep_this_thread_on(processors)) before_ = std::move(before);
}

OnProcessors::~OnProcessors() {
  if (!before_.empty()) keep_this_thread_on(before_);
}

}  // namespace beatscan
