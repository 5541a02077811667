// stages/features/columns.h — named columns of the beat table. Each is documented where it is computed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/runtime/parallel.h"

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

  // Adds a column whose value of beat i is value(i). Beats are computed side by side.
  template <class Value>
  const std::vector<float>& add(std::string name, std::string unit, std::string text, const Value& value) {
    constexpr std::int64_t kGrain = 8192;
    std::vector<float> values(beats_);
    parallel_for(Cpu(), beats_, kGrain, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) values[i] = static_cast<float>(value(i));
    });
    all_.push_back({std::move(name), std::move(unit), std::move(text), std::move(values)});
    return all_.back().values;
  }

  std::int64_t beats() const { return beats_; }
  std::vector<FeatureColumn> take() { return std::move(all_); }

 private:
  std::int64_t beats_;
  std::vector<FeatureColumn> all_;
};

}  // namespace beatscan
