// app/cli/standard_streams.h — standard output is a result like a file: what did not arrive is an error.
#pragma once

namespace beatscan {

// Where the program was started without standard input, output or error, the next file that it opens would be taken for
// it. To be called first: what is missing becomes an empty file, and an output that cannot be written.
void open_missing_streams();

// Throws ErrorKind::output where what was printed cannot be written. A reader that is gone (`| head`) has read enough.
void finish_stdout();

}  // namespace beatscan
