#include "stages/io/columns/arrow_library.h"

#include <dlfcn.h>

namespace beatscan {
namespace {

// The library's symbols stay local, so that Arrow's do not clash with LibTorch's.
ArrowLibrary load_arrow() {
  void* handle = dlopen("libbeatscan_parquet.so", RTLD_NOW | RTLD_LOCAL);
  if (handle) return {handle, "", ""};
  const std::string reason = dlerror();
  const bool absent = reason.starts_with("libbeatscan_parquet.so: cannot open shared object file");
  if (absent) return {nullptr, "this build has no Apache Arrow", "run scripts/setup with a network"};
  return {
      nullptr, "Apache Arrow cannot be loaded (" + reason + ")",
      "install it with the extra [parquet] of the package that beatscan came in, or by scripts/setup in a checkout"};
}

}  // namespace

const ArrowLibrary& arrow_library() {
  static const ArrowLibrary library = load_arrow();
  return library;
}

}  // namespace beatscan
