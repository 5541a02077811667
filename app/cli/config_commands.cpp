#include "app/cli/commands.h"

#include <cstdio>

#include "app/cli/print_json.h"
#include "app/pipeline/models.h"
#include "app/pipeline/run_options.h"

namespace beatscan {

int show_config_command(const CommonOptions& common) {
  const Config config = resolve_config(common);
  check_config(config);  // the output can be used as a run's configuration
  print_json(to_json(config));
  return 0;
}

int check_config_command(const CommonOptions& common) {
  const Config config = resolve_config(common);
  check_config(config);
  read_models(config);  // a run would read them, too
  std::printf("%s: good\n", common.config.empty() ? "built-in configuration" : common.config.c_str());
  return 0;
}

int config_schema_command() {
  print_json(config_schema());
  return 0;
}

}  // namespace beatscan
