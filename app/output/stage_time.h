// app/output/stage_time.h — how long a stage took.
#pragma once

#include <cstdint>
#include <string>

namespace beatscan {

struct StageTime {
  std::string name;
  double start_s = 0;  // since the program started
  double seconds = 0;
  std::int64_t bytes = 0;  // each input read once, each output written once
};

}  // namespace beatscan
