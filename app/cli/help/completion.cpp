#include "app/cli/help/completion.h"

#include <vector>

#include "app/config/builtin_configs.h"

namespace beatscan {

std::vector<std::string> config_names() {
  std::vector<std::string> names;
  for (const auto& config : kBuiltinConfigs) names.push_back(config.name);
  return names;
}

}  // namespace beatscan
