#include "app/cli/commands.h"

#include "app/config/config.h"

namespace beatscan {

int generate_command(const GenerateOptions& options, const std::filesystem::path& out, bool force, Log& log) {
  const GenerateResult result = generate(Cpu(), options, out, force);
  log.info(out.string() + ": " + std::to_string(options.samples) + " samples at " +
           Json(options.sample_rate_hz).dump() + " Hz, " + std::to_string(result.bytes) + " bytes");
  log.info(result.truth_path.string() + ": " + std::to_string(result.beats) + " beats, " +
           std::to_string(result.abnormal_beats) + " abnormal");
  return 0;
}

}  // namespace beatscan
