// tests/support/drawn_lead.h — a minute of one lead, for tests that draw waves into it.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace beatscan {

struct DrawnLead {
  int rate_hz;
  std::vector<float> x = std::vector<float>(60 * static_cast<std::size_t>(rate_hz));
  void add(double at_s, double height, double sigma_s) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double t = (static_cast<double>(i) / rate_hz - at_s) / sigma_s;
      x[i] += static_cast<float>(height * std::exp(-t * t / 2));
    }
  }
};

}  // namespace beatscan
