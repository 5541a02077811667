// app/batch/recordings.h — the recordings of a run, from the command line and the list: each once, with a unique name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/batch/recording_list.h"

namespace beatscan {

struct WantedRecordings {
  std::vector<std::filesystem::path> inputs;  // of the command line: files, folders, patterns
  std::filesystem::path list;                 // "-" is standard input; empty: none
  std::filesystem::path truth;                // of the one recording, or a folder with one for each; empty: none
  std::filesystem::path out = {};             // batch lists in it are not recordings; empty: unknown
  bool neutral_names =
      false;  // recordings that the list gives no name are recording-1, recording-2, ... in their order
};

struct Recordings {
  std::vector<ListedRecording> all;   // each with a unique name; in the given order
  bool batch = false;                 // each result has a folder in --out; otherwise --out is the result
  std::vector<std::string> warnings;  // duplicate lines, recordings without annotations
};

// Returns the recordings of a run. A list, a folder, a pattern and several inputs make a batch, even of a single
// recording. Names depend on the recordings and not on their order: of several recordings with one file name, the first
// by path keeps it, and the others get -2, -3 and so on. Duplicate recordings are taken once. No recording is opened.
// Throws ErrorKind::usage and ErrorKind::input.
Recordings recordings_of(const WantedRecordings& wanted);

// Returns a name of at most 190 bytes: names of result files are a little longer, and file systems allow 255.
std::string shortened_name(std::string name);

// Gives each recording without a name a unique one. Throws ErrorKind::input if a list gives one name twice.
void give_names(std::vector<ListedRecording>& recordings, const std::filesystem::path& list);

}  // namespace beatscan
