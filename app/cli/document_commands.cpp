#include "app/cli/commands.h"

#include <cstdio>

#include "app/cli/help/command_tree.h"
#include "app/cli/help/completion.h"
#include "app/cli/help/man_page.h"
#include "app/common/build_info.h"

namespace beatscan {

int completion_command(const std::string& shell, const CommandTree& tree) {
  const auto script = shell == "bash"  ? bash_completion(tree)
                      : shell == "zsh" ? zsh_completion(tree)
                                       : fish_completion(tree);
  std::fputs(script.c_str(), stdout);
  return 0;
}

int man_command(const CommandTree& tree) {
  std::fputs(man_page(tree, BEATSCAN_VERSION).c_str(), stdout);
  return 0;
}

}  // namespace beatscan
