// stages/io/edf/edf_handle.h — an EDF or BDF file that is open in EDFlib.
#pragma once

#include <edflib.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "stages/io/recording/input_file.h"

namespace beatscan {

// Returns how many handles of the process may be copies: less than half of what EDFlib can have open, so that other
// files need not wait; 0 where the process may open few files (ulimit -n).
int most_edf_copies();

// Only one thread at a time may use a handle. EDFlib has up to 64 files open in a process.
class EdfHandle {
 public:
  // Opens the file. Waits while EDFlib has as many open as it can, so that a thread which holds handles itself might
  // wait forever. Throws ErrorKind::input if EDFlib cannot read the file.
  explicit EdfHandle(std::shared_ptr<const InputFile> file);
  ~EdfHandle();
  EdfHandle(EdfHandle&&) = delete;

  // Opens the same file for one more thread. Returns nothing if there are most_edf_copies() or EDFlib cannot.
  //   copy  1 or more, another number for each handle on this file
  std::unique_ptr<EdfHandle> again(int copy) const;

  const InputFile& file() const { return *file_; }
  const edf_hdr_struct& header() const { return *header_; }

  // Reads the samples of a signal from `first` on, as physical values. Throws ErrorKind::input if the file ends before.
  void read(int signal, std::int64_t first, std::span<float> values);

 private:
  EdfHandle(std::shared_ptr<const InputFile> file, std::unique_ptr<edf_hdr_struct> header);

  std::shared_ptr<const InputFile> file_;
  std::unique_ptr<edf_hdr_struct> header_;  // 200 KB
  bool is_copy_ = false;
  std::vector<double> buffer_;
};

}  // namespace beatscan
