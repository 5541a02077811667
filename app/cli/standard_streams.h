// app/cli/standard_streams.h — standard output is a result like a file: a failed write is an error. JSON is written
// there, too.
#pragma once

#include <cstdio>

#include "app/common/json.h"

namespace beatscan {

// Opens standard input, output and error if the program was started without them. Otherwise the next file that the
// program opens would be used as one of them. A missing input becomes an empty file, and a missing output a file that
// cannot be written. Must be called before any file is opened.
void open_missing_streams();

// Writes the buffered output. Throws ErrorKind::output on failure. A closed pipe (`| head`) is not an error.
void finish_stdout();

inline void print_json(const Json& document) { std::printf("%s\n", text_of(document).c_str()); }

}  // namespace beatscan
