#include "app/cli/commands.h"

#include <cstdio>

#include "app/batch/devices.h"
#include "app/cli/print_json.h"
#include "app/common/log.h"
#include "app/pipeline/bench.h"
#include "app/pipeline/run_options.h"
#include "app/pipeline/sample_rate.h"
#include "kernels/runtime/context.h"

namespace beatscan {

int bench_command(const CommonOptions& common, const BenchOptions& options, Log& log) {
  const Config config = resolve_config(common);
  check_config(config);
  check_rates({options.input}, config, {});
  Json result;
#ifdef BEATSCAN_WITH_CUDA
  if (const auto gpu = gpu_to_use(config, log)) {
    Cuda cuda(gpu->device, config.pool);
    result = bench(cuda, options, config, log);
  }
#else
  gpu_to_use(config, log);
#endif
  if (result.is_null()) {
    Cpu cpu;
    result = bench(cpu, options, config, log);
  }
  print_json(result);
  std::fputs(bench_table(result).c_str(), stderr);
  return 0;
}

}  // namespace beatscan
