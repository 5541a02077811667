// tests/fuzz/targets.h — the fuzz targets: functions of any bytes that throw Find, or crash, where the program is
// wrong.
//
// A program of libFuzzer (libfuzzer/fuzzer.cpp) calls one target again and again. In any build, test_fuzz.cpp calls
// each target with the files of its seed corpus and with the finds.
#pragma once

#include <span>
#include <string_view>

namespace beatscan::fuzz {

using Bytes = std::span<const char>;

void annotations(Bytes);  // a truth file: as WFDB annotations, and as CSV
void cell(Bytes);    // cells of CSV, one a line: compared with strtof, std::from_chars and, if installed, fast_float
void config(Bytes);  // DOCUMENT [NUL SETTING]...: a configuration file, and --set
void corrections(Bytes);  // corrections.json, applied to a small result
void csv(Bytes);          // a CSV file: compared with a plainly written reader, in chunks of several sizes
void edf(Bytes);          // an EDF or BDF file
void ishne(Bytes);        // an ISHNE Holter file
void mat(Bytes);          // a MATLAB file, read as a whole and in pieces
void model(Bytes);        // a safetensors file
void npy(Bytes);          // a NumPy file
void packed(Bytes);       // a gzip, zstd, xz or bzip2 file; the bytes are also packed and unpacked
void result(Bytes);       // FILE LF CONTENTS: a result's folder with one file replaced, from which the report is made
void time(Bytes);         // a CSV file with times; its lines are also read as times and as names of columns
void wfdb(Bytes);         // HEADER [NUL SEGMENT'S HEADER] NUL SAMPLES: r.hea, s.hea and r.dat

struct Target {
  std::string_view name;
  void (*run)(Bytes);
};
inline constexpr Target kTargets[] = {{"annotations", annotations},
                                      {"cell", cell},
                                      {"config", config},
                                      {"corrections", corrections},
                                      {"csv", csv},
                                      {"edf", edf},
                                      {"ishne", ishne},
                                      {"mat", mat},
                                      {"model", model},
                                      {"npy", npy},
                                      {"packed", packed},
                                      {"result", result},
                                      {"time", time},
                                      {"wfdb", wfdb}};

}  // namespace beatscan::fuzz
