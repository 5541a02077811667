#include <gtest/gtest.h>

#include <sstream>

#include "kernels/machine/processor_set.h"

namespace beatscan {
namespace {

std::string name_in(const std::string& cpuinfo) {
  std::istringstream stream(cpuinfo);
  return processor_name(stream);
}

TEST(ProcessorName, IsTheModelsWhereThereIsOne) {
  EXPECT_EQ(name_in("processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC 9654\nstepping\t: 1\n"), "AMD EPYC 9654");
}

TEST(ProcessorName, IsTheNameOfAnArmPart) {
  const std::string grace =
      "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
      "CPU variant\t: 0x0\nCPU part\t: 0xd4f\nCPU revision\t: 0\n\n";
  EXPECT_EQ(name_in(grace), "Arm Neoverse V2 (Grace, Graviton4)");
  EXPECT_EQ(name_in("CPU implementer\t: 0x61\nCPU part\t: 0x000\n\n"), "Apple");
}

TEST(ProcessorName, OfAnUnknownPartIsItsNumbers) {
  EXPECT_EQ(name_in("CPU implementer\t: 0x43\nCPU part\t: 0x0af\n\n"), "Arm processor of maker 0x43, part 0x0af");
}

TEST(ProcessorName, IsThatOfTheFirstOfSeveral) {
  EXPECT_EQ(name_in("CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n\n"),
            "Arm Neoverse N1 (Graviton2, Ampere Altra)");
}

TEST(ProcessorName, IsEmptyWhereThereIsNone) {
  for (const char* text : {"", "processor\t: 0\n", "model name", "model name\t:"}) EXPECT_EQ(name_in(text), "") << text;
}

}  // namespace
}  // namespace beatscan
