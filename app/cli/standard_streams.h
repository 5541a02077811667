// app/cli/standard_streams.h — standard output is a result like a file: if it cannot be written, that is an error.
#pragma once

namespace beatscan {

// Opens standard input, output and error if the program was started without them. Otherwise the next file that it opens
// would be taken for one of them. A missing input becomes an empty file, a missing output a file that cannot be
// written. Must be called first.
void open_missing_streams();

// Writes what was printed. Throws ErrorKind::output if that fails. A reader that has gone (`| head`) is no error.
void finish_stdout();

}  // namespace beatscan
