# Arrow's C++ libraries inside a pyarrow wheel, as the imported target Arrow::parquet.
#
# ARROW_ROOT is the wheel's folder `pyarrow`; scripts/setup puts one into .deps. The wheel's libraries have numbers in
# their names and no links without them, so they are found by pattern.

set(ARROW_ROOT "${PROJECT_SOURCE_DIR}/.deps/arrow/pyarrow" CACHE PATH "The folder `pyarrow` of a pyarrow wheel")
file(GLOB Arrow_LIBRARY "${ARROW_ROOT}/libarrow.so.*")
file(GLOB Arrow_PARQUET_LIBRARY "${ARROW_ROOT}/libparquet.so.*")
if(EXISTS "${ARROW_ROOT}/include/arrow/util/config.h")
  file(STRINGS "${ARROW_ROOT}/include/arrow/util/config.h" version REGEX "ARROW_VERSION_STRING")
  string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" Arrow_VERSION "${version}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arrow REQUIRED_VARS Arrow_LIBRARY Arrow_PARQUET_LIBRARY VERSION_VAR Arrow_VERSION)
if(NOT Arrow_FOUND OR TARGET Arrow::parquet)
  return()
endif()

add_library(Arrow::arrow SHARED IMPORTED)
set_target_properties(Arrow::arrow PROPERTIES IMPORTED_LOCATION "${Arrow_LIBRARY}")
target_include_directories(Arrow::arrow INTERFACE "${ARROW_ROOT}/include")
# An old-style RPATH, as for LibTorch: it is in force wherever the build folder is carried.
target_link_options(Arrow::arrow INTERFACE LINKER:--disable-new-dtags "LINKER:-rpath,${ARROW_ROOT}")
add_library(Arrow::parquet SHARED IMPORTED)
set_target_properties(Arrow::parquet PROPERTIES IMPORTED_LOCATION "${Arrow_PARQUET_LIBRARY}")
target_link_libraries(Arrow::parquet INTERFACE Arrow::arrow)
