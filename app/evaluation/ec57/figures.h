// app/evaluation/ec57/figures.h — numbers of the standard's tables, with their headings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace beatscan::ec57 {

struct Count {
  std::string heading;
  std::int64_t value;
};

struct Figure {
  std::string heading, key;  // in tables, and in JSON
  std::optional<double> value;
  int decimals = 2;
  bool is_share = true;  // 0 to 1, which tables show in percent
};

// The columns of a row: counts, and then figures.
struct Row {
  std::vector<Count> counts;
  std::vector<Figure> figures;
};

}  // namespace beatscan::ec57
