// tests/input_classes/input_classes.h — a table of every class of input that the program may receive, and how it is
// handled.
//
// The tests of test_input_classes.cpp run most classes, on each back end and in chunks of several sizes. For other
// classes, the table names the test that covers them. INPUT_CLASSES.md is this table as a document.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "app/common/errors.h"

namespace beatscan {

struct InputClass {
  std::string name;       // what the input is
  std::string behaviour;  // how it is handled
  std::string test;       // "Suite.Test" that covers it; an InputClasses.* test uses the fields below
  std::function<std::string()> bytes = {};
  std::vector<std::string> settings = {};  // KEY=VALUE, as for --set
  ExitStatus status = ExitStatus::ok;
  std::string words = "";           // part of the error or, if there is none, of a warning
  std::vector<float> samples = {};  // the values read, with straight lines in gaps; of classes that are not analysed
  std::int64_t missing = 0, bad = 0;
  bool analysed = false;  // the input is analysed completely, at 250 Hz unless the settings specify a rate
  std::int64_t least_beats = 0,
               most_beats = std::numeric_limits<std::int64_t>::max();  // number of accepted beats, if analysed
};

struct InputSection {
  std::string title;
  std::vector<InputClass> classes;
};

inline std::function<std::string()> text(std::string bytes) {
  return [bytes = std::move(bytes)] { return bytes; };
}

InputSection file_classes();
InputSection line_classes();
InputSection column_classes();
InputSection cell_classes();
InputSection size_classes();
InputSection time_classes();
InputSection signal_classes();
InputSection ishne_classes();
InputSection people_classes();
InputSection array_classes();
InputSection column_file_classes();
InputSection device_classes();

inline std::vector<InputSection> input_classes() {
  return {file_classes(),   line_classes(),  column_classes(),      cell_classes(),
          size_classes(),   time_classes(),  signal_classes(),      ishne_classes(),
          people_classes(), array_classes(), column_file_classes(), device_classes()};
}

}  // namespace beatscan
