#include "kernels/machine/control_groups.h"

#include <fstream>
#include <sstream>

namespace beatscan {
namespace {

// Paths are put together as text because GCC 12's path / path may crash when memory runs out.
void add_up_to_root(std::vector<ControlGroup>& groups, const std::string& hierarchy, std::string path, int version) {
  for (; path.size() > 1; path.erase(path.rfind('/'))) groups.push_back({hierarchy + path, version});
  groups.push_back({hierarchy, version});
}

bool lists(const std::string& controllers, std::string_view controller) {
  return ("," + controllers + ",").find("," + std::string(controller) + ",") != std::string::npos;
}

}  // namespace

std::vector<ControlGroup> control_groups(std::string_view groups, const std::string& mount,
                                         std::string_view controller) {
  std::vector<ControlGroup> found;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1), path = line.substr(second + 1);
    if (!path.starts_with('/')) continue;
    if (controllers.empty())
      add_up_to_root(found, mount, path, 2);
    else if (lists(controllers, controller))
      add_up_to_root(found, mount + "/" + std::string(controller), path, 1);
  }
  return found;
}

std::string text_in(const std::string& folder, const char* name) {
  std::ostringstream text;
  text << std::ifstream(folder + "/" + name).rdbuf();
  return text.str();
}

}  // namespace beatscan
