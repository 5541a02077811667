#include "app/cli/command_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <new>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "app/batch/run_command.h"
#include "app/cli/add_commands.h"
#include "app/cli/help/help_text.h"
#include "app/cli/standard_streams.h"
#include "app/common/build_info.h"
#include "app/common/environment.h"
#include "app/common/errors.h"
#include "app/common/log.h"
#include "kernels/machine/host_threads.h"
#include "kernels/runtime/error.h"
#include "stages/common/interrupt.h"
#include "stages/common/nearest_name.h"
#include "stages/common/one_line.h"
#include "stages/model/vae.h"

namespace beatscan {

namespace {

// The same as exit_status_of(), but throws std::bad_alloc if memory runs out.
int reported_status_of(const std::function<int()>& command, Log& log) {
  try {
    return command();
  } catch (const Interrupted& interrupted) {
    log.end_progress();
    log.error("stopped by a signal");
    return 128 + interrupted.signal;
  } catch (const Error& error) {
    log.end_progress();
    log.error(error.what());
    return static_cast<int>(status_of(error.kind()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    log.end_progress();
    log.error(unexpected_error(error));
    return static_cast<int>(ExitStatus::internal);
  }
}

// Ends the program without allocating memory.
[[noreturn]] void end_at_once() {
  constexpr std::string_view kMessage =
      "error: out of memory while tidying up: a folder .NAME.partial-NUMBER may be left\n";
  try {
    if (const auto error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kMessage.data(), kMessage.size());
    _exit(static_cast<int>(ExitStatus::internal));
  } catch (...) {
  }
  std::abort();
}

}  // namespace

ExitStatus status_of(const BatchOutcome& outcome) {
  if (!outcome.first_failure) return ExitStatus::ok;
  return outcome.failed < outcome.recordings ? ExitStatus::partial_batch : status_of(*outcome.first_failure);
}

void tell_before_terminating() { std::set_terminate(end_at_once); }

int exit_status_of(const std::function<int()>& command, Log& log) noexcept {
  try {
    return reported_status_of(command, log);
  } catch (const std::bad_alloc&) {
    log.end_progress();
    log.error_out_of_memory();
    return static_cast<int>(ExitStatus::internal);
  }
}

namespace {

// CLI11 appends the values of an IsMember check to the type name: TEXT:{text,json}.
std::vector<std::string> choices_in(const std::string& type) {
  const auto open = type.find('{'), close = type.rfind('}');
  if (open == type.npos || close == type.npos) return {};
  return CLI::detail::split(type.substr(open + 1, close - open - 1), ',');
}

// An option with the name of a configuration key (--device) takes that key's values.
std::vector<std::string> choices_of_key(const std::string& key) {
  for (const Setting& setting : settings())
    if (setting.key == key) return setting.choices;
  return {};
}

Argument argument_of(const CLI::Option& option) {
  Argument argument{
      .meaning = option.get_description(), .fallback = option.get_default_str(), .required = option.get_required()};
  if (option.get_positional()) {
    argument.name = option.get_name(true);
  } else {
    for (const auto& name : option.get_snames()) argument.flags.push_back("-" + name);
    for (const auto& name : option.get_lnames()) argument.flags.push_back("--" + name);
  }
  if (option.get_items_expected_max() == 0) return argument;
  const std::string type = option.get_type_name();
  argument.value = type.substr(0, type.find(':'));
  argument.kind = value_kind(argument.value);
  argument.repeatable = option.get_items_expected_max() > 1;
  argument.choices = choices_in(type);
  if (argument.choices.empty() && !option.get_lnames().empty())
    argument.choices = choices_of_key(option.get_lnames()[0]);
  return argument;
}

std::vector<Argument> arguments_of(const CLI::App& app) {
  std::vector<Argument> arguments;
  for (const CLI::Option* option : app.get_options()) arguments.push_back(argument_of(*option));
  return arguments;
}

std::string named_command(const CLI::App& app) {
  const auto commands = app.get_subcommands();
  return commands.empty() ? "" : commands[0]->get_name();
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> commands;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(each->get_name());
  return commands;
}

// Returns a suggestion for a word that is not in `known`; empty if nothing is similar. Other programs have other names
// for some options and commands.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  static const std::map<std::string, std::string> kNamesElsewhere = {
      {"--fs", "--rate"},        {"--sample-rate", "--rate"}, {"--sampling-rate", "--rate"},
      {"--frequency", "--rate"}, {"--output", "--out"},       {"--channel", "--lead"},
      {"--column", "--lead"},    {"analyse", "run"},          {"analyze", "run"}};
  const auto elsewhere = kNamesElsewhere.find(word);
  const bool is_known = elsewhere != kNamesElsewhere.end() && std::ranges::count(known, elsewhere->second) > 0;
  const auto nearest = is_known ? elsewhere->second : nearest_name(word, known);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

// Returns the error of the first option that the command does not have; empty if it has them all.
std::string mistyped_option(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> known;
  for (const CLI::App* each : {static_cast<const CLI::App*>(app.get_subcommands().front()), &app})
    for (const Argument& argument : arguments_of(*each))
      known.insert(known.end(), argument.flags.begin(), argument.flags.end());
  for (int i = 1; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (word == "--") break;  // names of files follow
    if (word.starts_with("--") && !std::ranges::count(known, word))
      return "'" + word + "' is not an option" + did_you_mean(word, known);
  }
  return "";
}

// Returns a plain message for an option that is given too often, "--truth: At Most 1 required but received 2"; "" for
// other messages.
std::string words_of_repeat(const std::string& words) {
  const std::string middle = ": At Most 1 required but received ";
  const auto end = words.find(middle);
  return end == words.npos
             ? ""
             : words.substr(0, end) + " is given " + words.substr(end + middle.size()) + " times, and takes one value";
}

// Returns CLI11's error message; a plainer one if a number was expected or an option is given twice.
std::string words_of(const CLI::ParseError& error) {
  const std::string words = error.what(), start = "Could not convert: ";
  const auto equals = words.find(" = ");
  if (const std::string repeat = words_of_repeat(words); !repeat.empty()) return repeat;
  if (!words.starts_with(start) || equals == words.npos) return words;
  return words.substr(start.size(), equals - start.size()) + ": '" + words.substr(equals + 3) + "' is not a number";
}

bool is_there(const char* path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

// Returns the error of the command line, with a hint on where to find help.
std::string words_of_usage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::string command = named_command(app);
  const std::string mistyped = command.empty() ? "" : mistyped_option(app, argc, argv);
  if (!command.empty())
    return (mistyped.empty() ? words_of(error) : mistyped) + "; see beatscan " + command + " --help";
  if (argc <= 1) return "a command is required; see beatscan --help";
  const std::string first = argv[1];
  if (is_there(argv[1]))
    return "'" + first + "' is not a command; to analyse it: beatscan run " + quoted_for_shell({argv + 1, 1}) +
           " --out DIR";
  return "'" + first + "' is not a command" + did_you_mean(first, commands_of(app)) + "; see beatscan --help";
}

// Returns whether JSON messages are requested in a command line that could not be parsed.
bool asks_for_json(std::span<char* const> words) {
  constexpr std::string_view kOption = "--log-format";
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == std::string(kOption) + "=json") return true;
    if (word == kOption && i + 1 < words.size() && std::string_view(words[i + 1]) == "json") return true;
  }
  return false;
}

int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const bool json = asks_for_json({argv, static_cast<std::size_t>(argc)});
  Log(1, json ? LogFormat::json : LogFormat::text).error(words_of_usage(app, error, argc, argv));
  return static_cast<int>(ExitStatus::usage);
}

// Returns the width for help: the terminal's, limited to a readable line length.
std::size_t help_width() {
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return std::clamp<std::size_t>(known ? size.ws_col : 80, 60, 120);
}

// Prints help or the version.
int print_text(const std::string& text) {
  Log log(1, LogFormat::text);
  return exit_status_of(
      [&] {
        std::fputs(text.c_str(), stdout);
        finish_stdout();
        return 0;
      },
      log);
}

int do_command(const ParsedLine& line) {
  const CommonOptions& common = line.common;
  set_host_threads(common.threads);
  prepare_openmp(1);
  Log log(common.quiet ? 0 : common.verbose ? 2 : 1, common.log_format == "json" ? LogFormat::json : LogFormat::text);
  return exit_status_of(
      [&] {
        const int status = line.command(log);
        finish_stdout();
        return status;
      },
      log);
}

std::string help(const CLI::App& app, HelpOf options, int argc, char** argv) {
  CommandTree tree = command_tree(app);
  if (argc > 0) tree.name = in_one_line(argv[0]);  // how the program was called
  return help_text(tree, named_command(app), help_width(), options);
}

// Rewrites `help COMMAND` as COMMAND --help, and `help` as --help. An unknown command stays as it is and is refused.
std::vector<char*> without_help_command(const CLI::App& app, int argc, char** argv) {
  static char option[] = "--help";
  std::vector<char*> words(argv, argv + argc);
  if (argc < 2 || std::string_view(argv[1]) != "help") return words;
  words.erase(words.begin() + 1);
  if (words.size() == 1)
    words.push_back(option);
  else if (std::ranges::count(commands_of(app), std::string(words[1])) > 0)
    words.insert(words.begin() + 2, option);
  return words;
}

// Parses the command line and runs the command.
int parse_and_do(CLI::App& app, ParsedLine& line, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return print_text(help(app, HelpOf::usual_options, argc, argv));
  } catch (const CLI::CallForAllHelp&) {
    return print_text(help(app, HelpOf::all_options, argc, argv));
  } catch (const CLI::CallForVersion& version) {
    return print_text(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
  line.common.command = quoted_for_shell({argv, static_cast<std::size_t>(argc)});
  return do_command(line);
}

}  // namespace

CommandTree command_tree(const CLI::App& app) {
  CommandTree tree{app.get_name(), app.get_description(), arguments_of(app), {}};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    tree.commands.push_back({command->get_name(), command->get_description(), arguments_of(*command)});
  return tree;
}

int run_command_line(int argc, char** argv) noexcept {
  try {
    open_missing_streams();
    tell_before_terminating();
    catch_signals();
    CLI::App app("beatscan: finds the abnormal beats in a long ECG", "beatscan");
    app.set_help_flag("-h,--help", "print short help and exit");
    app.set_help_all_flag("--help-all", "print full help with all options and exit");
    constexpr const char* kVersionHelp = "print the version and exit";
    app.set_version_flag("--version", std::string("beatscan ") + BEATSCAN_VERSION, kVersionHelp);
    app.require_subcommand(1);
    ParsedLine line;
    add_commands(app, line);
    for (CLI::App* command : app.get_subcommands({}))
      command->set_version_flag("--version", app.version(), kVersionHelp);
    auto words = without_help_command(app, argc, argv);
    const int status = parse_and_do(app, line, static_cast<int>(words.size()), words.data());
    std::fflush(nullptr);
    _exit(status);
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: internal error: %s\n", error.what());
  } catch (...) {
    std::fputs("error: internal error\n", stderr);
  }
  return static_cast<int>(ExitStatus::internal);
}

}  // namespace beatscan
