// app/output/deidentify.h — takes from a result what may name a person or a place.
//
//   names     the recording's name and path become a neutral name; its files and its header's comments are left out.
//             Names of leads stay
//   times     a date becomes 1985-01-01, the zone is left out; the time of day stays
//   paths     of models and annotations become the name of the file, or are left out
//   texts     the texts of events become "event 1", "event 2", ...; bad cells are left out
//   the rest  the command line, digests and stamps of the input and of the annotations are left out: who has the file
//             could recognise it by them
// Device, processor and operating system stay.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/common/json.h"
#include "app/config/config.h"

namespace beatscan {

struct RunResult;

// Replaces paths, and the names in them, in messages.
class Redaction {
 public:
  Redaction(const std::vector<std::filesystem::path>& paths, std::string replacement);

  std::string operator()(std::string text) const;
  Json in_json(Json json) const;  // all texts in it

 private:
  std::vector<std::string> names_;  // the longest first
  std::string replacement_;
};

// Takes from the result what may name a person. Its name must be neutral already; it becomes the path, too. The
// redaction applies to messages about the input.
void deidentify(RunResult& result, const Redaction& redaction);

// Returns the configuration without the folders of the models that it names.
Config deidentified(Config config);

}  // namespace beatscan
