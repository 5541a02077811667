#include "app/output/tables/parquet.h"

#include <dlfcn.h>

#include <string>
#include <utility>

#include "app/common/whole_file.h"
#include "kernels/runtime/error.h"
#include "stages/io/columns/arrow_library.h"

namespace beatscan {

namespace {

struct LoadedParquet {
  const ParquetLibrary* library = nullptr;
  std::string reason;  // why it is missing
  std::string remedy;  // the remedy
};

LoadedParquet load_parquet() {
  const auto& [handle, reason, remedy] = arrow_library();
  if (!handle) return {nullptr, reason, remedy};
  const auto get = reinterpret_cast<decltype(&beatscan_parquet_library)>(dlsym(handle, "beatscan_parquet_library"));
  if (!get) return {nullptr, "libbeatscan_parquet.so is not of this version", "install the program anew"};
  return {get(), "", ""};
}

const LoadedParquet& loaded_parquet() {
  static const LoadedParquet loaded = load_parquet();
  return loaded;
}

}  // namespace

void require_parquet() {
  const auto& [library, reason, remedy] = loaded_parquet();
  if (!library)
    throw Error(ErrorKind::usage,
                "Parquet files cannot be written: " + reason + "; " + remedy + ", or give --beats csv");
}

std::string arrow_version() {
  const auto* library = loaded_parquet().library;
  return library ? library->arrow_version() : "";
}

std::string parquet_bytes(const TableParts& parts) {
  require_parquet();
  return loaded_parquet().library->write(parts);
}

std::string parquet_bytes(const Table& table) {
  const Table* next = &table;
  return parquet_bytes([&] { return std::exchange(next, nullptr); });
}

Table read_parquet(const std::filesystem::path& path) {
  const auto& [library, reason, remedy] = loaded_parquet();
  if (!library)
    fail(ErrorKind::input, path.string(),
         "cannot be read: " + reason + "; " + remedy + ", or analyse with --beats both");
  return library->read(read_whole_file(path), path.string());
}

}  // namespace beatscan
