// tests/fuzz/targets.h — what is fuzzed: functions of any bytes that throw Find (or crash) where the program is wrong.
//
// The program TARGET of libFuzzer (fuzzer.cpp) calls one of them for as long as it is let; tests/fuzz/test_fuzz.cpp
// calls each for the files of its seed corpus and for what was found, in any build.
#pragma once

#include <span>
#include <string_view>

namespace beatscan::fuzz {

using Bytes = std::span<const char>;

void annotations(Bytes);  // a truth file: as WFDB annotations, and as CSV
void cell(Bytes);    // cells of CSV, one a line: against strtof, std::from_chars and (where there is one) fast_float
void config(Bytes);  // DOCUMENT [NUL SETTING]...: a configuration file, and --set
void csv(Bytes);     // a CSV file: against a reader written plainly, with several chunk sizes
void edf(Bytes);     // an EDF or BDF file
void model(Bytes);   // a safetensors file
void packed(Bytes);  // a gzip or zstd file; and any bytes that are packed and unpacked
void result(Bytes);  // FILE LF CONTENTS: a result's folder with one file replaced, of which the report is made
void time(Bytes);    // a CSV file with times; its lines as cells of times, and as names of columns
void wfdb(Bytes);    // HEADER [NUL SEGMENT'S HEADER] NUL SAMPLES: r.hea, s.hea and r.dat

struct Target {
  std::string_view name;
  void (*run)(Bytes);
};
inline constexpr Target kTargets[] = {
    {"annotations", annotations}, {"cell", cell},     {"config", config}, {"csv", csv},  {"edf", edf}, {"model", model},
    {"packed", packed},           {"result", result}, {"time", time},     {"wfdb", wfdb}};

}  // namespace beatscan::fuzz
