// Runs batches in this process, so that ThreadSanitizer sees all of their threads. Several recordings are analysed at a
// time, and where each has threads of its own, it is read and hashed by some of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "app/batch/run_command.h"
#include "app/cli/command_line.h"
#include "app/common/log.h"
#include "app/pipeline/run_options.h"
#include "app/synthetic/generate.h"
#include "kernels/machine/host_threads.h"
#include "stages/model/vae.h"
#include "tests/support/temporary_folder.h"

namespace beatscan {
namespace {

void run_batch(int at_a_time) {
  prepare_openmp(1);    // as the program does
  set_host_threads(4);  // also where there are fewer processors; the other tests' contexts have numbers of their own
  const TemporaryFolder folder;
  CommonOptions common;
  common.settings = {"vae.epochs=1", "ingest.chunk_bytes=100000"};
  common.device = "cpu";
  common.sample_rate_hz = 250;
  RunOptions options;
  options.in_flight = at_a_time;
  options.out = folder.path() / "batch";
  for (const char* name : {"a.csv", "b.csv", "c.csv"}) {
    options.inputs.push_back(folder.path() / name);
    generate(Cpu(4), {.samples = 120'000, .abnormal_share = 0.1}, options.inputs.back());
  }
  options.inputs.push_back(folder.write("d.csv", "mV\n1\noops\n"));
  Log log(0, LogFormat::text);
  EXPECT_EQ(status_of(run_command(common, options, log)), ExitStatus::partial_batch);
  for (const char* name : {"a", "b", "c"})
    EXPECT_TRUE(std::filesystem::exists(options.out / name / "summary.json")) << name;
}

TEST(Batch, OfRecordingsWithOneThreadEach) { run_batch(4); }
TEST(Batch, OfRecordingsThatReadAndHashBesideTheirAnalysis) { run_batch(2); }

}  // namespace
}  // namespace beatscan
