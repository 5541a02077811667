#include "app/cli/commands.h"

#include "app/common/log.h"
#include "app/common/numbers.h"
#include "app/synthetic/generate.h"
#include "kernels/runtime/context.h"

namespace beatscan {

int generate_command(const GenerateOptions& options, const std::filesystem::path& out, bool force, Log& log) {
  const GenerateResult result = generate(Cpu(), options, out, force);
  log.info(out.string() + ": " + grouped(options.samples, "sample") + " at " + significant(options.sample_rate_hz, 9) +
           " Hz, " + grouped(result.bytes, "byte"));
  log.info(result.truth_path.string() + ": " + grouped(result.beats, "beat") + ", " + grouped(result.abnormal_beats) +
           " abnormal");
  return 0;
}

}  // namespace beatscan
