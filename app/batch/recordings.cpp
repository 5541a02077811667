#include "app/batch/recordings.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "app/batch/recording_list.h"
#include "app/common/small_csv.h"
#include "app/common/whole_file.h"
#include "app/evaluation/truth.h"
#include "app/output/run_result.h"
#include "app/report/cohort_files.h"
#include "kernels/runtime/error.h"
#include "stages/common/counted.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

// Returns record_name(input); for typical inputs without accessing the file, since there may be a hundred thousand.
std::string name_of_input(const fs::path& input) {
  constexpr std::array kUsual = {"", ".csv", ".gz", ".zst", ".hea", ".edf", ".bdf", ".ecg", ".txt"};
  const fs::path ending = input.extension();
  if (std::ranges::find(kUsual, ending) == kUsual.end() || input == "-") return record_name(input);
  return ending == ".gz" || ending == ".zst" ? input.stem().stem().string() : input.stem().string();
}

// Returns a valid name of a result, similar to the given one.
std::string usable(std::string name) {
  for (char& c : name)
    if (static_cast<unsigned char>(c) < ' ' || c == 127) c = '_';
  if (name.starts_with('.')) name.insert(0, "_");
  name = shortened_name(std::move(name));
  return name.empty() ? "_" : name;
}

// Returns the location of a file, independent of the current folder and of links to its folder.
std::string place_of(const fs::path& file, RealFolders& folders) {
  const fs::path name = file.filename();
  if (file.empty() || file == "-") return file.string();
  if (name.empty() || name == "." || name == "..") return folders.of(file).string();
  return (folders.of(file.parent_path()) / name).string();
}

// Returns a key that is equal for all spellings of one recording: RECORD and RECORD.hea are the same unless RECORD is
// itself a file.
std::string key_of(const ListedRecording& recording, RealFolders& folders) {
  std::string place = place_of(recording.input, folders);
  std::error_code unknown;
  if (recording.input.extension() == ".hea")
    if (const fs::path record = fs::path(place).replace_extension(); !fs::is_regular_file(record, unknown))
      place = record.string();
  const std::string rate = recording.sample_rate_hz ? std::to_string(*recording.sample_rate_hz) : "";
  return place + '\0' + rate + '\0' + place_of(recording.truth, folders) + '\0' + recording.name;
}

// Removes duplicate recordings with the same rate, truth and name, and returns a warning with their number.
std::vector<std::string> leave_out_doubles(std::vector<ListedRecording>& recordings, const fs::path& list) {
  std::unordered_set<std::string> seen;
  RealFolders folders;
  std::int64_t doubles = 0;
  std::string example;
  std::erase_if(recordings, [&](const ListedRecording& recording) {
    if (seen.insert(key_of(recording, folders)).second) return false;
    if (doubles++ == 0)
      example = recording.input.string() + (recording.line > 0 ? " in line " + std::to_string(recording.line) : "");
    return true;
  });
  if (doubles == 0) return {};
  const std::string where = list.empty() ? "" : list.string() + ": ";
  return {where + counted(doubles, "input is", "inputs are") + " listed twice and " + by_count(doubles, "is", "are") +
          " analysed once (" + example + ")"};
}

// Removes reference annotations from the command line's inputs, unless there is nothing else, and returns a warning
// with their number: a shell pattern usually matched them.
std::vector<std::string> leave_out_references(std::vector<ListedRecording>& recordings) {
  const auto is_one = [](const ListedRecording& its) { return its.line == 0 && is_reference(its.input); };
  const auto count = std::ranges::count_if(recordings, is_one);
  if (count == 0 || count == std::ssize(recordings)) return {};
  std::erase_if(recordings, is_one);
  return {counted(count, "file", "files") + " of reference annotations (NAME.truth.csv) " +
          by_count(count, "is", "are") + " left out of the inputs"};
}

// Returns whether a file is a list of a batch: one that is written into `out`, or was written elsewhere.
bool is_of_batch(const fs::path& path, const fs::path& out) {
  if (!is_file_of_batch(path.filename().native())) return false;
  std::error_code unknown;
  return (!out.empty() && fs::equivalent(path.has_parent_path() ? path.parent_path() : ".", out, unknown)) ||
         is_list_of_batch(path);
}

std::vector<ListedRecording> all_expanded(const WantedRecordings& wanted, bool& batch) {
  std::vector<ListedRecording> listed;
  for (const auto& input : wanted.inputs) listed.push_back({.input = input});
  if (!wanted.list.empty()) std::ranges::move(read_recording_list(wanted.list), std::back_inserter(listed));
  batch = !wanted.list.empty() || listed.size() > 1;
  std::vector<ListedRecording> recordings;
  recordings.reserve(listed.size());
  for (auto& one : listed) {
    const auto paths = expanded(one.input);
    const bool several = paths.size() != 1 || paths[0] != one.input;
    batch = batch || several;
    if (several && (!one.name.empty() || !one.truth.empty()))
      fail_at_line(wanted.list, one.line,
                   beatscan::quoted(one.input.string()) + " matches several recordings, which cannot share " +
                       (one.truth.empty() ? "a name" : "a truth") + "; leave the cell empty");
    const std::size_t before = recordings.size();
    for (const auto& path : paths) {
      if (several && is_of_batch(path, wanted.out)) continue;
      recordings.push_back(one);
      recordings.back().input = path;
    }
    if (recordings.size() == before)
      fail(ErrorKind::input, one.input.string(), "has no recording, but only lists of a batch; give another path");
  }
  return recordings;
}

// Returns the name that annotations of a recording have.
std::string name_for_truth(const ListedRecording& recording) {
  return recording.name.empty() ? usable(name_of_input(recording.input)) : recording.name;
}

// Takes annotations from a folder for the recordings without their own; returns warnings.
std::vector<std::string> take_truths(std::vector<ListedRecording>& recordings, const fs::path& folder) {
  const TruthFolder truths(folder);
  std::unordered_map<std::string, int> recordings_of_name;
  for (const auto& recording : recordings) ++recordings_of_name[name_for_truth(recording)];
  std::int64_t without = 0, wanting = 0;
  std::string example;
  for (auto& recording : recordings) {
    if (!recording.truth.empty()) continue;
    ++wanting;
    const std::string name = name_for_truth(recording);
    const auto truth = truths.truth_of(name, recording.input);
    if (truth && recordings_of_name[name] > 1)
      throw Error(ErrorKind::usage, "--truth " + folder.string() + ": several recordings are called " + name +
                                        ", and " + truth->filename().string() +
                                        " can be of one of them only; give the column truth in a list");
    if (truth) recording.truth = *truth;
    if (!truth && without++ == 0) example = name;
  }
  if (wanting > 0 && without == wanting)
    throw Error(ErrorKind::usage, "--truth " + folder.string() +
                                      ": has no NAME.atr, NAME.truth.csv or NAME.csv of any " + "recording, as of " +
                                      example + "; give another folder");
  if (without == 0) return {};
  return {"--truth " + folder.string() + ": " + std::to_string(without) + " of " + counted(wanting, "recording") +
          by_count(without, " has", " have") + " no annotations there, such as " + example};
}

}  // namespace

std::string shortened_name(std::string name) {
  std::size_t size = 190;
  if (name.size() <= size) return name;
  while (size > 0 && (name[size] & 0xc0) == 0x80) --size;  // not within a UTF-8 character
  name.resize(size);
  return name;
}

void give_names(std::vector<ListedRecording>& recordings, const fs::path& list) {
  std::unordered_map<std::string, std::int64_t> taken;  // and the line that takes it
  for (const auto& recording : recordings) {
    if (recording.name.empty()) continue;
    const auto [earlier, is_new] = taken.emplace(recording.name, recording.line);
    if (!is_new)
      fail_at_line(list, recording.line,
                   "the name " + beatscan::quoted(recording.name) + " is already used in line " +
                       std::to_string(earlier->second) + "; give each recording a unique name");
  }
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < recordings.size(); ++i)
    if (recordings[i].name.empty()) groups[usable(name_of_input(recordings[i].input))].push_back(i);
  RealFolders folders;
  using Order = std::tuple<std::string, std::optional<double>, std::string, std::size_t>;
  for (auto& [name, group] : groups) {
    if (group.size() == 1) continue;
    std::vector<Order> ordered;
    for (const std::size_t i : group)
      ordered.emplace_back(place_of(recordings[i].input, folders), recordings[i].sample_rate_hz,
                           place_of(recordings[i].truth, folders), i);
    std::ranges::sort(ordered);
    std::ranges::transform(ordered, group.begin(), [](const Order& one) { return std::get<3>(one); });
  }
  const auto take = [&](std::size_t i, const std::string& name) {
    const bool free = why_no_name(name).empty() && taken.emplace(name, recordings[i].line).second;
    if (free) recordings[i].name = name;
    return free;
  };
  for (const auto& [name, group] : groups) take(group[0], name);
  for (const auto& [name, group] : groups) {
    std::int64_t number = 2;
    for (const std::size_t i : group)
      while (recordings[i].name.empty() && !take(i, name + "-" + std::to_string(number))) ++number;
  }
}

Recordings recordings_of(const WantedRecordings& wanted) {
  if (wanted.inputs.empty() && wanted.list.empty())
    throw Error(ErrorKind::usage,
                "input is required: name a recording, or a list with --list; see beatscan run --help");
  Recordings recordings;
  recordings.all = all_expanded(wanted, recordings.batch);
  recordings.warnings = leave_out_references(recordings.all);
  for (auto& warning : leave_out_doubles(recordings.all, wanted.list))
    recordings.warnings.push_back(std::move(warning));
  if (!wanted.truth.empty()) {
    std::error_code unknown;
    const bool folder = fs::is_directory(wanted.truth, unknown);
    if (recordings.all.size() > 1 && !folder)
      throw Error(ErrorKind::usage,
                  "--truth " + wanted.truth.string() +
                      ": a file goes with one recording; for several give a folder that has NAME.atr or NAME.truth.csv "
                      "of each, or the column truth in a list");
    if (folder) {
      const auto warnings = take_truths(recordings.all, wanted.truth);
      recordings.warnings.insert(recordings.warnings.end(), warnings.begin(), warnings.end());
    } else if (recordings.all[0].truth.empty()) {
      recordings.all[0].truth = wanted.truth;
    }
  }
  if (wanted.neutral_names)
    for (std::size_t i = 0; i < recordings.all.size(); ++i)
      if (recordings.all[i].name.empty()) recordings.all[i].name = "recording-" + std::to_string(i + 1);
  give_names(recordings.all, wanted.list);
  return recordings;
}

}  // namespace beatscan
