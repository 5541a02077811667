// stages/io/columns/arrow_library.h — the functions of libbeatscan_parquet.so, which read Parquet and Arrow files.
//
// The library is the only part that is linked with Apache Arrow. It is loaded when it is first needed, so that the
// program starts and runs without it. A build without Arrow has no such library.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace beatscan {

enum class ColumnKind {
  number,
  date,      // a point in time, in seconds since 1970
  duration,  // seconds since some moment: of the day, or of the recording
  other      // text and anything else that is no signal
};

struct StoredColumn {
  std::string name, unit;  // the unit as the file specifies it; empty if it does not
  ColumnKind kind;
};

// An open file of columns. All members throw std::runtime_error where Arrow cannot read the file.
class ColumnFile {
 public:
  virtual ~ColumnFile() = default;
  virtual const std::vector<StoredColumn>& columns() const = 0;
  virtual std::int64_t rows() const = 0;
  // Keys and values that are stored next to the columns.
  virtual const std::vector<std::pair<std::string, std::string>>& facts() const = 0;

  // Begins to read some columns from the first row on.
  virtual void start(const std::vector<int>& columns) = 0;
  // Returns some rows of each started column, NaN if a cell is empty; none at the end. Valid until the next call.
  virtual const std::vector<std::vector<double>>& next() = 0;
};

enum class ColumnFormat { parquet, arrow };

struct ColumnLibrary {
  // `path` opens the file.
  std::unique_ptr<ColumnFile> (*open)(const std::string& path, ColumnFormat format);
};

// libbeatscan_parquet.so as it was loaded.
struct ArrowLibrary {
  void* handle = nullptr;  // null if there is none
  std::string reason;      // why there is none
  std::string remedy;      // what to do for one
};
const ArrowLibrary& arrow_library();

}  // namespace beatscan

// The only symbol of the library that is looked up here.
extern "C" const beatscan::ColumnLibrary* beatscan_column_library();
