#include "app/cli/help/help_groups.h"

#include <algorithm>
#include <map>

#include "app/cli/help/command_tree.h"

namespace beatscan {
namespace {

const std::map<std::string, std::vector<std::string>> kOptionsOf = {
    {"Input",
     {"--rate", "--lead", "--source", "--truth", "--rhythms", "--beat", "--episode", "--from", "--to", "--samples"}},
    {"Output",
     {"--out", "--force", "--waves", "--features", "--save-arrays", "--report", "--no-report", "--beats", "--pool-log",
      "--dry-run", "--dpi"}},
    {"Method", {"--config", "--set", "--seed", "--model", "--threshold", "--tolerance-ms", "--abnormal", "--style"}},
    {"Batch", {"--list", "--shard", "--resume", "--in-flight"}},
    {"Device", {"--device", "--threads", "--repetitions", "--warm-up"}},
    {"Messages", {"-q", "--quiet", "-v", "--verbose", "--log-format", "-h", "--help", "--help-all", "--version"}},
};

// Rarely needed options. --help only names them, in its last line.
const std::vector<std::string> kSeldomUsed = {"--source",     "--features", "--threads", "--save-arrays",
                                              "--no-report",  "--pool-log", "--seed",    "--in-flight",
                                              "--log-format", "--verbose",  "--help-all"};

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
      {"beatscan evaluate out/batch --truth mitdb", "all results of a batch; mitdb/ has NAME.atr of each"}}},
    {"report", {{"beatscan report out/205", "makes out/205/report.html"}}},
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

}  // namespace beatscan
