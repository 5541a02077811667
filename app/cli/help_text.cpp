#include "app/cli/help_text.h"

#include <algorithm>
#include <sstream>

#include "app/cli/exit_status.h"

namespace beatscan {
namespace {

constexpr std::size_t kLineWidth = 80, kMeaningColumn = 26, kStatusColumn = 17;

// Appends the words of `text` to the last line of `page`, which ends with a space or is empty. Goes on in new lines
// that are indented.
void append_wrapped(std::string& page, const std::string& text, std::size_t indent) {
  std::size_t column = page.size() - (page.rfind('\n') + 1);
  const char* space = "";
  std::istringstream words(text);
  for (std::string word; words >> word; space = " ") {
    if (*space && column + 1 + word.size() > kLineWidth) {
      page += "\n" + std::string(indent, ' ');
      column = indent;
      space = "";
    }
    page += space + word;
    column += (*space ? 1 : 0) + word.size();
  }
  page += '\n';
}

// A term and, from this column on, its meaning. A long term has its meaning in the next line.
void append_item(std::string& page, const std::string& term, const std::string& meaning,
                 std::size_t column = kMeaningColumn) {
  page += "  " + term;
  const bool fits = term.size() + 4 <= column;
  page += fits ? std::string(column - term.size() - 2, ' ') : "\n" + std::string(column, ' ');
  append_wrapped(page, meaning, column);
}

// "-q, --quiet", "--rate HZ", "--log-format text|json", "INPUT..."
std::string help_term_of(const Argument& argument) {
  if (argument.positional()) return argument.value + (argument.repeatable ? "..." : "");
  const std::string flags = joined(argument.flags, ", ");
  if (argument.kind == ValueKind::none) return flags;
  return flags + " " + (argument.choices.empty() ? argument.value : joined(argument.choices, "|"));
}

void append_arguments(std::string& page, const std::vector<Argument>& arguments) {
  for (const bool positional : {true, false}) {
    const auto belongs = [&](const Argument& argument) { return argument.positional() == positional; };
    if (std::ranges::none_of(arguments, belongs)) continue;
    page += positional ? "\nArguments:\n" : "\nOptions:\n";
    for (const Argument& argument : arguments)
      if (belongs(argument)) append_item(page, help_term_of(argument), full_meaning(argument));
  }
}

std::string program_help(const CommandTree& tree) {
  std::string page;
  append_wrapped(page, tree.meaning, 0);
  page += "\nUsage: " + tree.name + " COMMAND [ARGUMENT]...\n\nCommands:\n";
  for (const Command& command : tree.commands) append_item(page, command.name, command.meaning);
  append_arguments(page, tree.arguments);
  append_wrapped(page += "\n", tree.name + " COMMAND --help shows the options of a command.", 0);
  page += "\nExit status:\n";
  for (const auto& [status, meaning] : status_meanings()) append_item(page, status, meaning, kStatusColumn);
  return page;
}

std::string command_help(const std::string& program, const Command& command) {
  std::string page, usage = program + " " + command.name;
  append_wrapped(page, command.meaning, 0);
  for (const Argument& argument : command.arguments)
    if (argument.required || argument.positional())
      usage += argument.required ? " " + help_term_of(argument) : " [" + help_term_of(argument) + "]";
  append_wrapped(page += "\nUsage: ", usage + " [OPTION]...", 7);
  append_arguments(page, command.arguments);
  return page;
}

}  // namespace

std::string help_text(const CommandTree& tree, const std::string& command) {
  const auto found = std::ranges::find(tree.commands, command, &Command::name);
  return found == tree.commands.end() ? program_help(tree) : command_help(tree.name, *found);
}

}  // namespace beatscan
