#include "app/cli/help/help_text.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "app/cli/help/command_tree.h"
#include "app/common/errors.h"

namespace beatscan {

namespace {

const std::map<std::string, std::vector<std::string>> kOptionsOf = {
    {"Input",
     {"--rate", "--lead", "--source", "--truth", "--reference", "--events", "--rhythms", "--beat", "--episode",
      "--from", "--to", "--samples"}},
    {"Output",
     {"--out", "--force", "--waves", "--features", "--hrv-window", "--nn", "--only", "--deidentify", "--save-arrays",
      "--report", "--no-report", "--beats", "--pool-log", "--dry-run", "--dpi", "--old-corrections"}},
    {"Method", {"--config", "--set", "--seed", "--model", "--threshold", "--tolerance-ms", "--abnormal", "--style"}},
    {"Batch", {"--list", "--shard", "--resume", "--in-flight"}},
    {"Device", {"--device", "--threads", "--repetitions", "--warm-up"}},
    {"Messages", {"-q", "--quiet", "-v", "--verbose", "--log-format", "-h", "--help", "--help-all", "--version"}},
};

// Rarely needed options. --help only names them, in its last line.
const std::vector<std::string> kSeldomUsed = {
    "--source",  "--features",   "--threads",    "--save-arrays", "--no-report", "--pool-log",
    "--seed",    "--in-flight",  "--nn",         "--only",        "--events",    "--hrv-window",
    "--dry-run", "--deidentify", "--log-format", "--verbose",     "--help-all",  "--old-corrections"};

const std::map<std::string, std::vector<UsageExample>> kExamples = {
    {"",
     {{"beatscan run ecg.csv --rate 250 --out out/ecg", "analyse a CSV file of 250 samples a second"},
      {"beatscan inspect ecg.csv", "show what a run would read"},
      {"beatscan report out/ecg", "write report.html again"}}},
    {"run",
     {{"beatscan run ecg.csv --rate 250 --out out/ecg", "one recording; look at out/ecg/report.html"},
      {"beatscan run 205.hea --lead MLII --out out/205", "one lead of a WFDB record"},
      {"beatscan run day/*.edf --out out/day", "several recordings, on all GPUs"},
      {"zcat ecg.csv.gz | beatscan run - --rate 250 --out out/ecg", "a recording from another program"}}},
    {"score",
     {{"beatscan score tue.csv --rate 250 --model out/mon/model.safetensors --out out/tue",
       "score a recording by the model of another one"}}},
    {"rhythm", {{"beatscan rhythm beats.csv --rate 250 --out out/rhythm", "CSV with the column sample"}}},
    {"evaluate",
     {{"beatscan evaluate out/205 --truth 205.atr", "one result"},
      {"beatscan evaluate out/batch --truth mitdb", "all results of a batch; mitdb/ has NAME.atr of each"},
      {"beatscan evaluate out/batch --truth mitdb --standard ec57", "the tables of ANSI/AAMI EC57"}}},
    {"report", {{"beatscan report out/205", "makes out/205/report.html"}}},
    {"revise",
     {{"beatscan revise out/205 --corrections corrections.json", "look at out/205/revised/report.html"},
      {"beatscan revise out/205 --corrections reader.atr", "the beats of an annotation file count"}}},
    {"plot",
     {{"beatscan plot out/205 --beat 120 --out beat.svg", "a beat and its neighbours"},
      {"beatscan plot out/205 --from 5:00 --to 5:10 --waves --out strip.svg", "ten seconds with P, QRS and T"}}},
    {"cohort", {{"beatscan cohort out/day", "lists all results below a folder"}}},
    {"generate", {{"beatscan generate --samples 90000 --rate 250 --abnormal 0.1 --out ecg.csv", "six minutes"}}},
    {"bench", {{"beatscan bench ecg.csv --rate 250 --device cuda", "times of every stage on the GPU"}}},
    {"inspect", {{"beatscan inspect ecg.edf", "leads, rate, unit, duration"}}},
    {"config",
     {{"beatscan config show --set vae.epochs=15", "every key with its value"},
      {"beatscan config check mine.json", "reports the errors of a file"}}},
    {"completion", {{". <(beatscan completion bash)", "complete the command line in this shell"}}},
    {"man", {{"beatscan man | man -l -", "read the manual page"}}},
};

}  // namespace

const std::vector<std::string>& option_groups() {
  static const std::vector<std::string> groups = {"Input", "Output", "Method", "Batch", "Device", "Messages"};
  return groups;
}

std::string group_of(const Argument& option) {
  for (const auto& [group, flags] : kOptionsOf)
    for (const auto& flag : option.flags)
      if (std::ranges::count(flags, flag)) return group;
  return option.kind == ValueKind::file || option.kind == ValueKind::folder ? "Output" : "Method";
}

bool is_seldom_used(const Argument& option) {
  return std::ranges::any_of(option.flags, [](const auto& flag) { return std::ranges::count(kSeldomUsed, flag) > 0; });
}

std::vector<UsageExample> examples_of(const std::string& command) {
  const auto found = kExamples.find(command);
  return found == kExamples.end() ? std::vector<UsageExample>{} : found->second;
}

std::vector<StatusMeaning> status_meanings() {
  const auto number = [](ExitStatus status) { return std::to_string(static_cast<int>(status)); };
  return {
      {number(ExitStatus::ok), "done"},
      {number(ExitStatus::internal), "internal error, too little memory, or a library that cannot be loaded"},
      {number(ExitStatus::usage), "the command line or the configuration is wrong"},
      {number(ExitStatus::input), "an input is missing or invalid"},
      {number(ExitStatus::unanalysable), "the recording cannot be analysed: it is too short, flat, or has no beats"},
      {number(ExitStatus::device), "a requested GPU is missing, or a GPU failed"},
      {number(ExitStatus::output), "the result cannot be written"},
      {number(ExitStatus::partial_batch),
       "some of several recordings failed; if all failed, the status is that of the first failure"},
      {"129, 130, 143", "stopped by a signal: SIGHUP, SIGINT, SIGTERM"}};
}

namespace {

constexpr std::size_t kMeaningColumn = 26, kStatusColumn = 17, kExampleColumn = 52;

// Collects the text to show, in lines of at most `width` characters.
struct Page {
  std::size_t width;
  HelpOf options;
  std::string text = {};

  bool shows(const Argument& argument) const { return options == HelpOf::all_options || !is_seldom_used(argument); }
};

// Appends the words of `text` to the last line of `page`, which ends with a space or is empty. Continuation lines are
// indented.
void append_wrapped(Page& page, const std::string& text, std::size_t indent) {
  std::size_t column = page.text.size() - (page.text.rfind('\n') + 1);
  const char* space = "";
  std::istringstream words(text);
  for (std::string word; words >> word; space = " ") {
    if (*space && column + 1 + word.size() > page.width) {
      page.text += "\n" + std::string(indent, ' ');
      column = indent;
      space = "";
    }
    page.text += space + word;
    column += (*space ? 1 : 0) + word.size();
  }
  page.text += '\n';
}

// A term and its meaning, aligned at this column. A long term has its meaning on the next line.
void append_item(Page& page, const std::string& term, const std::string& meaning, std::size_t column = kMeaningColumn) {
  page.text += "  " + term;
  const bool fits = term.size() + 4 <= column;
  page.text += fits ? std::string(column - term.size() - 2, ' ') : "\n" + std::string(column, ' ');
  append_wrapped(page, meaning, column);
}

// "-q, --quiet", "--rate HZ", "--log-format text|json", "INPUT..."
std::string help_term_of(const Argument& argument) {
  if (argument.positional()) return argument.value + (argument.repeatable ? "..." : "");
  const std::string flags = joined(argument.flags, ", ");
  if (argument.kind == ValueKind::none) return flags;
  return flags + " " + (argument.choices.empty() ? argument.value : joined(argument.choices, "|"));
}

// Returns an argument's meaning. In short help it ends at the first semicolon, so that a command fits on a screen.
std::string meaning_on(const Page& page, Argument argument) {
  if (page.options == HelpOf::usual_options) argument.meaning = argument.meaning.substr(0, argument.meaning.find(';'));
  return full_meaning(argument);
}

template <class Belongs>
void append_group(Page& page, const std::string& title, const std::vector<Argument>& arguments, Belongs belongs) {
  if (std::ranges::none_of(arguments, belongs)) return;
  page.text += "\n" + title + ":\n";
  for (const Argument& argument : arguments)
    if (belongs(argument)) append_item(page, help_term_of(argument), meaning_on(page, argument));
}

void append_arguments(Page& page, const std::vector<Argument>& arguments) {
  append_group(page, "Arguments", arguments, [](const Argument& argument) { return argument.positional(); });
  for (const auto& group : option_groups())
    append_group(page, group, arguments, [&](const Argument& argument) {
      return !argument.positional() && group_of(argument) == group && page.shows(argument);
    });
}

// Names the options that the page omits.
void append_left_out(Page& page, const std::vector<Argument>& arguments) {
  std::string flags;
  for (const Argument& argument : arguments)
    if (!page.shows(argument) && !std::ranges::count(argument.flags, "--help-all"))
      flags += (flags.empty() ? "" : ", ") + argument.flags.back();
  if (flags.empty()) return;
  page.text += "\n";
  append_wrapped(page, "--help-all describes each option in full, and these: " + flags + ".", 0);
}

// An example, with its meaning beside it or on the next line.
void append_examples(Page& page, const std::string& command) {
  const auto examples = examples_of(command);
  if (examples.empty()) return;
  page.text += "\nExamples:\n";
  for (const auto& [line, meaning] : examples) {
    const std::size_t column = std::max(kExampleColumn, line.size() + 4);
    const bool fits = column + meaning.size() <= page.width;
    page.text += "  " + line + (fits ? std::string(column - line.size() - 2, ' ') : "\n      ");
    append_wrapped(page, meaning, 6);
  }
}

std::string program_help(const CommandTree& tree, Page page) {
  append_wrapped(page, tree.meaning, 0);
  page.text += "\nUsage: " + tree.name + " COMMAND [ARGUMENT]...\n\nCommands:\n";
  for (const Command& command : tree.commands) append_item(page, command.name, command.meaning);
  append_arguments(page, tree.arguments);
  append_examples(page, "");
  page.text += "\n";
  append_wrapped(page, tree.name + " help COMMAND shows the options of a command.", 0);
  page.text += "\nExit status:\n";
  for (const auto& [status, meaning] : status_meanings()) append_item(page, status, meaning, kStatusColumn);
  return page.text;
}

std::string command_help(const std::string& program, const Command& command, Page page) {
  std::string usage = program + " " + command.name;
  append_wrapped(page, command.meaning, 0);
  for (const Argument& argument : command.arguments)
    if (argument.required || argument.positional())
      usage += argument.required ? " " + help_term_of(argument) : " [" + help_term_of(argument) + "]";
  page.text += "\nUsage: ";
  append_wrapped(page, usage + " [OPTION]...", 7);
  append_arguments(page, command.arguments);
  append_examples(page, command.name);
  append_left_out(page, command.arguments);
  return page.text;
}

}  // namespace

std::string help_text(const CommandTree& tree, const std::string& command, std::size_t width, HelpOf options) {
  const Page page{width, options};
  const auto found = std::ranges::find(tree.commands, command, &Command::name);
  return found == tree.commands.end() ? program_help(tree, page) : command_help(tree.name, *found, page);
}

}  // namespace beatscan
