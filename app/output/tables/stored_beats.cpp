#include "app/output/tables/stored_beats.h"

#include <system_error>

#include "app/common/whole_file.h"
#include "app/output/tables/parquet.h"
#include "app/output/tables/table_csv.h"

namespace beatscan {
namespace {

namespace fs = std::filesystem;

bool there_is(const fs::path& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

}  // namespace

fs::path beats_file(const fs::path& folder) {
  const fs::path csv = folder / "beats.csv", parquet = folder / "beats.parquet";
  return !there_is(csv) && there_is(parquet) ? parquet : csv;
}

bool has_beats(const fs::path& folder) { return there_is(beats_file(folder)); }

std::string beats_text(const fs::path& folder) {
  const fs::path path = beats_file(folder);
  return path.extension() == ".parquet" ? csv_text(read_parquet(path)) : read_whole_file(path);
}

}  // namespace beatscan
