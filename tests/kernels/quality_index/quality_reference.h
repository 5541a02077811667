// tests/kernels/quality_index/quality_reference.h — the trained forests, and values that the reference in Python computes.
#pragma once

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernels/quality_index/blocks.h"
#include "kernels/quality_index/forest.h"
#include "stages/quality_index/quality_index.h"
#include "tests/paths/paths.h"

namespace beatscan::quality_index {

inline nlohmann::json quality_json(const std::string& path) {
  std::ifstream file(source_folder() + "/" + path);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return nlohmann::json::parse(file);
}

inline Forest forest_of(const nlohmann::json& json) {
  Forest forest{json.at("depth"), json.at("classes"), {}, {}};
  for (std::size_t t = 0; t < json.at("value").size(); ++t) {
    for (std::size_t k = 0; k < json.at("feature").at(t).size(); ++k)
      forest.nodes.push_back({json.at("feature").at(t).at(k), json.at("threshold").at(t).at(k)});
    for (const auto& value : json.at("value").at(t)) forest.values.push_back(value);
  }
  return forest;
}

// Returns the model that is shipped.
inline const QualityModel& trained_quality() {
  static const QualityModel model = [] {
    const auto json = quality_json("models/quality.json");
    const auto& calibration = json.at("calibration");
    return QualityModel{forest_of(json.at("blocks")),
                        {calibration.at("scale"), calibration.at("offset")},
                        forest_of(json.at("recordings"))};
  }();
  return model;
}

// Decodes base64 of little-endian numbers of 16 bits.
inline std::vector<std::int16_t> int16_of(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 255));
  }
  std::vector<std::int16_t> values(bytes.size() / 2);
  std::memcpy(values.data(), bytes.data(), values.size() * 2);
  return values;
}

// One lead with straight lines over its gaps, as a recording has it.
struct BridgedLead {
  std::vector<float> samples;
  std::vector<std::int64_t> firsts, lasts;

  // Bridges what is NaN; the lead neither begins nor ends with it.
  explicit BridgedLead(std::vector<float> with_gaps) : samples(std::move(with_gaps)) {
    for (std::int64_t i = 0; i < std::ssize(samples); ++i) {
      if (!std::isnan(samples[i])) continue;
      std::int64_t last = i;
      while (std::isnan(samples[last + 1])) ++last;
      firsts.push_back(i);
      lasts.push_back(last);
      const double before = samples[i - 1], after = samples[last + 1], steps = static_cast<double>(last - i + 2);
      for (std::int64_t k = i; k <= last; ++k)
        samples[k] = static_cast<float>(before + (after - before) * static_cast<double>(k - i + 1) / steps);
      i = last;
    }
  }
};

// A lead in a context's memory.
template <class Context>
class QualityLeadOn {
 public:
  QualityLeadOn(Context& context, const BridgedLead& lead, double rate_hz)
      : rate_hz_(rate_hz),
        samples_(from_host(context, lead.samples)),
        firsts_(from_host(context, lead.firsts)),
        lasts_(from_host(context, lead.lasts)) {}
  LeadSamples samples() const {
    return {.samples = samples_.span(), .gap_firsts = firsts_.span(), .gap_lasts = lasts_.span(), .rate_hz = rate_hz_};
  }

 private:
  double rate_hz_;
  Buffer<float, Context> samples_;
  Buffer<std::int64_t, Context> firsts_, lasts_;
};

}  // namespace beatscan::quality_index
