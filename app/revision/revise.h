// app/revision/revise.h — a result with a reader's corrections, beside the result as it was analysed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/revision/corrections.h"

namespace beatscan {

class Log;

struct ReviseRequest {
  std::filesystem::path folder;       // of a result
  std::filesystem::path corrections;  // corrections.json or an annotation file; empty: FOLDER/corrections.json
  std::filesystem::path out;          // empty: FOLDER/revised
  bool force = false;                 // replace a revised result that has corrections which these lack
};

// The name of the reader's file in the folder of a result.
inline constexpr const char* kCorrectionsFile = "corrections.json";

// Returns the path of the annotation file of a revised result: of the folder itself, or of the one in it. Throws
// ErrorKind::usage if neither is one, and ErrorKind::input if it is of another recording than the result `compared`.
std::filesystem::path revised_annotations(const std::filesystem::path& folder, const std::filesystem::path& compared);

// Returns a reader's corrections in the folder of a result: those of its revised result, and then what its
// corrections.json has besides; nullopt if there are none.
std::optional<Corrections> corrections_in(const std::filesystem::path& folder);
bool has_corrections(const std::filesystem::path& folder);

// Throws ErrorKind::input if corrections are of a recording with another SHA-256; an empty one is not known.
void check_recording(const Corrections& corrections, const std::string& sha256, const std::filesystem::path& path);

// Writes the revised result: the tables, the page and the arrays that it is drawn from, without reading the signal. The
// result itself does not change, and equal corrections give equal bytes. What corrections do not change, such as the
// model and the waves by lead, stays in the result's folder. Logs what was corrected, and a warning for each correction
// that nothing in the result answers to. Throws ErrorKind::input where the folder is no result with a rhythm, is
// revised already, or the corrections are damaged or of another recording.
void revise(const ReviseRequest& request, Log& log);

}  // namespace beatscan
