// app/cohort/recordings.h — the recordings of a run: what the command line and the list name, each once, with a name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cohort/listed_recording.h"

namespace beatscan {

struct WantedRecordings {
  std::vector<std::filesystem::path> inputs;  // of the command line: files, folders, patterns
  std::filesystem::path list;                 // "-" is standard input; empty: none
  std::filesystem::path truth;                // of the one recording, or a folder with one for each; empty: none
  std::filesystem::path out = {};             // its lists of a batch are no recordings; empty: it is not known
};

struct Recordings {
  std::vector<ListedRecording> all;   // each has a name of its own; in the order in which they were given
  bool batch = false;                 // each result has a folder in --out; otherwise --out is the result
  std::vector<std::string> warnings;  // lines that stand twice, recordings without annotations
};

// Returns the recordings of a run. A list, a folder, a pattern and several inputs make a batch, even of a single
// recording. Names depend on the recordings and not on their order: among recordings with one file name the first by
// its path keeps it, and the others get -2, -3 and so on. A recording that stands twice is taken once. No recording is
// opened. Throws ErrorKind::usage and ErrorKind::input.
Recordings recordings_of(const WantedRecordings& wanted);

// Returns a name of at most 190 bytes: those of the files of a result are a little longer, and a file system takes 255.
std::string shortened_name(std::string name);

// Gives each recording without a name one of its own. Throws ErrorKind::input where a list gives one name twice.
void give_names(std::vector<ListedRecording>& recordings, const std::filesystem::path& list);

}  // namespace beatscan
