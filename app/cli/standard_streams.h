// app/cli/standard_streams.h — standard output is a result like a file: if it cannot be written, that is an error.
#pragma once

namespace beatscan {

// Opens standard input, output and error if the program was started without them. Otherwise the next file that the
// program opens would be taken for one of them. A missing input becomes an empty file, and a missing output a file that
// cannot be written. It must be called before any file is opened.
void open_missing_streams();

// Writes what was printed. Throws ErrorKind::output if that fails. A reader that has gone (`| head`) is no error.
void finish_stdout();

}  // namespace beatscan
