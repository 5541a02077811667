// stages/features/columns.h — named columns of the beat table. Each is documented where it is computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stages/features/each_beat.h"

namespace beatscan {

struct FeatureColumn {
  std::string name;
  std::string unit;           // empty: a ratio, a logarithm of one, a share or a correlation
  std::string text;           // one line
  std::vector<float> values;  // [K]
};

class FeatureColumns {
 public:
  explicit FeatureColumns(std::int64_t beats) : beats_(beats) {}

  // Adds a column whose value of beat i is value(i). Beats are computed in parallel.
  template <class Value>
  void add(std::string name, std::string unit, std::string text, const Value& value) {
    all_.push_back({std::move(name), std::move(unit), std::move(text), of_each_beat<float>(beats_, value)});
  }

  // Adds columns that are computed together: write(i, values) writes those of beat i, one for each column.
  //   described  columns without values
  template <class Write>
  void add_together(std::vector<FeatureColumn> described, const Write& write) {
    for (FeatureColumn& column : described) column.values.resize(beats_);
    constexpr std::int64_t kGrain = 1024;
    parallel_for(Cpu(), beats_, kGrain, [&](std::int64_t first, std::int64_t last) {
      std::vector<float> values(described.size());
      for (std::int64_t i = first; i < last; ++i) {
        write(i, std::span(values));
        for (std::size_t c = 0; c < values.size(); ++c) described[c].values[i] = values[c];
      }
    });
    std::ranges::move(described, std::back_inserter(all_));
  }

  // Moves the columns of another table of the same beats after these.
  void append(FeatureColumns&& others) { std::ranges::move(others.all_, std::back_inserter(all_)); }

  std::int64_t beats() const { return beats_; }
  const std::vector<FeatureColumn>& all() const { return all_; }
  std::vector<FeatureColumn> take() { return std::move(all_); }

 private:
  std::int64_t beats_;
  std::vector<FeatureColumn> all_;
};

}  // namespace beatscan
