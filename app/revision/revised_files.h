// app/revision/revised_files.h — the files of a revised result, made from those of the analysis.
#pragma once

#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/report/stored/stored_result.h"
#include "app/revision/corrections.h"
#include "app/revision/revised_beats.h"

namespace beatscan {

class OutputFolder;

// A result and what a reader corrects in it.
struct Revision {
  std::string beats_text;  // beats.csv as it was read
  StoredResult result;     // first as it was read, then revised
  Config config;
  Corrections corrections;
  std::vector<std::string> warnings;  // about a list of beats
  RevisedBeats beats;
  RhythmFindings findings;
};

// Writes all files of the revised result, which takes the place of the analysis in `revision.result`. Throws
// ErrorKind::input where a file of the analysis is damaged.
void write_revised(Revision& revision, OutputFolder& folder);

}  // namespace beatscan
