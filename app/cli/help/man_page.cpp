#include "app/cli/help/man_page.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <utility>

#include "app/cli/help/command_tree.h"
#include "app/cli/help/help_text.h"

namespace beatscan {
namespace {

// Writes the character at `i`, which is beyond ASCII, by its number: \[u2026]. Every roff understands that. Moves `i`
// to the last byte of the character.
std::string non_ascii(const std::string& text, std::size_t& i) {
  const auto lead = static_cast<unsigned char>(text[i]);
  const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
  std::uint32_t code = lead & (0x3fu >> more);
  for (int k = 0; k < more && i + 1 < text.size(); ++k)
    code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fu);
  char name[16];
  std::snprintf(name, sizeof name, "\\[u%04X]", code);
  return name;
}

// Characters that roff would interpret as a request, or replace by others that a shell does not understand.
constexpr std::pair<char, const char*> kEscapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                                                     {'^', "\\(ha"}, {'~', "\\(ti"}, {'\n', " "}};

std::string plain(const std::string& text) {
  std::string result = text.starts_with('.') ? "\\&" : "";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto escape = std::ranges::find(kEscapes, text[i], &std::pair<char, const char*>::first);
    if (escape != std::end(kEscapes))
      result += escape->second;
    else
      result += static_cast<unsigned char>(text[i]) < 0x80 ? std::string(1, text[i]) : non_ascii(text, i);
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

std::string item(const std::string& term, const std::string& meaning) { return ".TP\n" + term + "\n" + meaning + "\n"; }

// "-q, --quiet", "--rate HZ", "--log-format text|json", "INPUT..."
std::string term_of(const Argument& argument) {
  std::string flags, choices;
  for (const auto& flag : argument.flags) flags += (flags.empty() ? "" : ", ") + bold(flag);
  if (argument.kind == ValueKind::none) return flags;
  if (argument.positional()) return italic(argument.value) + (argument.repeatable ? "..." : "");
  for (const auto& choice : argument.choices) choices += (choices.empty() ? "" : "|") + bold(choice);
  return flags + " " + (choices.empty() ? italic(argument.value) : choices);
}

std::string synopsis(const Command& command) {
  std::string line = bold("beatscan " + command.name);
  bool options = false;
  for (const Argument& argument : command.arguments) {
    if (argument.required)
      line += " " + term_of(argument);
    else if (argument.positional())
      line += " [" + term_of(argument) + "]";
    else
      options = true;
  }
  return line + (options ? " [" + italic("OPTION") + "]..." : "");
}

std::string command_section(const Command& command) {
  std::string text = ".SS " + synopsis(command) + "\n" + plain(command.meaning) + "\n";
  for (const Argument& argument : command.arguments)
    if (!std::ranges::count(argument.flags, "--help") && !std::ranges::count(argument.flags, "--help-all"))
      text += item(term_of(argument), plain(full_meaning(argument)));
  return text;
}

std::string examples_section(const CommandTree& tree) {
  std::string text = ".SH EXAMPLES\n";
  const auto add = [&](const std::string& command) {
    for (const auto& [line, meaning] : examples_of(command)) text += item(bold(line), plain(meaning));
  };
  for (const Command& command : tree.commands) add(command.name);
  return text;
}

constexpr std::pair<const char*, const char*> kEnvironment[] = {
    {"NO_COLOR", "If it is not empty, messages have no colour."},
    {"TERM", "If it is dumb, messages have no colour, and no progress is drawn."},
    {"TMPDIR", "The folder of temporary files that are too large for memory. Without it they are in /tmp."},
    {"CUDA_VISIBLE_DEVICES", "The GPUs that may be used. The numbers of --device count among them."},
    {"RANK, OMPI_COMM_WORLD_RANK, SLURM_PROCID, SLURM_ARRAY_TASK_ID",
     "The part that --shard auto takes. Further variables give the number of parts: docs/cluster.md."}};

std::string environment_section() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : kEnvironment) text += item(bold(name), plain(meaning));
  return text;
}

std::string settings_section() {
  std::string text = ".SH CONFIGURATION\nThese are the keys of " + bold("--set") +
                     " and of a configuration file, with their defaults. A configuration file is JSON: vae.epochs is "
                     "there the key epochs in the object vae.\n";
  for (const Setting& setting : settings()) {
    std::string choices;
    for (const auto& choice : setting.choices) choices += (choices.empty() ? " (" : ", ") + choice;
    const std::string value = setting.fallback.empty() ? "" : " = " + plain(setting.fallback);
    text += item(bold(setting.key) + value, plain(setting.meaning + (choices.empty() ? "" : choices + ")")));
  }
  return text;
}

}  // namespace

std::string man_page(const CommandTree& tree, const std::string& version) {
  const auto colon = tree.meaning.find(": ");
  const std::string what = colon == std::string::npos ? tree.meaning : tree.meaning.substr(colon + 2);
  std::string text = ".\\\" Written by `beatscan man`.\n.TH BEATSCAN 1 \"\" \"beatscan " + plain(version) +
                     "\" \"User Commands\"\n.nh\n.ad l\n.SH NAME\nbeatscan \\- " + plain(what) + "\n.SH SYNOPSIS\n" +
                     bold("beatscan") + " " + italic("COMMAND") + " [" + italic("ARGUMENT") + "]...\n.SH OPTIONS\n";
  for (const Argument& argument : tree.arguments) text += item(term_of(argument), plain(full_meaning(argument)));
  text += ".SH COMMANDS\n";
  for (const Command& command : tree.commands) text += command_section(command);
  text += examples_section(tree) + settings_section() + ".SH \"EXIT STATUS\"\n";
  for (const auto& [status, meaning] : status_meanings()) text += item(plain(status), plain(meaning));
  return text + environment_section();
}

}  // namespace beatscan
