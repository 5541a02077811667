// Tests where a recording is analysed after its GPU has failed.
#include "app/batch/devices.h"

#include <gtest/gtest.h>

namespace beatscan {
namespace {

TEST(AfterGpuFailure, AGpuThatWorksGetsTheRecordingToItselfFirst) {
  for (const bool may_use_cpu : {false, true})
    EXPECT_EQ(after({.gpu_works = true, .was_alone = false, .others_left = false, .may_use_cpu = may_use_cpu}),
              AfterGpuFailure::again_alone);
}

TEST(AfterGpuFailure, WhatFailsOnAGpuAloneIsDoneOnTheCpuIfThatIsAllowed) {
  EXPECT_EQ(after({.gpu_works = true, .was_alone = true, .others_left = false, .may_use_cpu = true}),
            AfterGpuFailure::on_cpu);
  EXPECT_EQ(after({.gpu_works = true, .was_alone = true, .others_left = false, .may_use_cpu = false}),
            AfterGpuFailure::fails);
}

TEST(AfterGpuFailure, AnotherProcessComesBeforeOtherDevices) {
  for (const bool others_left : {false, true})
    for (const bool may_use_cpu : {false, true}) {
      const GpuFailure failure{.gpu_works = false,
                               .was_alone = false,
                               .worker_process = true,
                               .others_left = others_left,
                               .may_use_cpu = may_use_cpu};
      EXPECT_EQ(after(failure), AfterGpuFailure::by_a_worker_process);
    }
}

TEST(AfterGpuFailure, AGpuThatWorksNoMoreGivesItsRecordingsToOthers) {
  for (const bool was_alone : {false, true})
    for (const bool may_use_cpu : {false, true})
      EXPECT_EQ(after({.gpu_works = false, .was_alone = was_alone, .others_left = true, .may_use_cpu = may_use_cpu}),
                AfterGpuFailure::on_another_device);
}

TEST(AfterGpuFailure, AfterTheLastGpuComesTheCpuIfThatIsAllowed) {
  for (const bool was_alone : {false, true}) {
    EXPECT_EQ(after({.gpu_works = false, .was_alone = was_alone, .others_left = false, .may_use_cpu = true}),
              AfterGpuFailure::all_on_cpu);
    EXPECT_EQ(after({.gpu_works = false, .was_alone = was_alone, .others_left = false, .may_use_cpu = false}),
              AfterGpuFailure::fails);
  }
}

TEST(AfterGpuFailure, OtherRecordingsStayOnGpusWhereOnlyOneCannotBeGivenToAnotherProcess) {
  EXPECT_EQ(after({.gpu_works = false,
                   .was_alone = false,
                   .worker_process = false,
                   .others_left = false,
                   .may_use_cpu = true,
                   .only_this = true}),
            AfterGpuFailure::on_cpu);
}

}  // namespace
}  // namespace beatscan
