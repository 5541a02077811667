#include "app/report/page_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/csv_files.h"
#include "app/report/html.h"
#include "app/report/pack.h"
#include "app/report/reasons.h"
#include "app/report/strip.h"

namespace beatscan {
namespace {

// Signal values as whole steps. A thousandth of a beat's height is 15 micrometres on paper.
struct Steps {
  double offset, step;
  static constexpr std::int32_t kMost = 32767;
  static constexpr std::int32_t kNone = -32768;  // where there is no value
  std::int32_t operator()(float value) const {
    if (!std::isfinite(value)) return kNone;
    return static_cast<std::int32_t>(std::lround(std::clamp((value - offset) / step, -1.0 * kMost, 1.0 * kMost)));
  }
};

Steps steps_of(const StoredResult& result) {
  const auto [least, greatest] = std::ranges::minmax(result.arrays.reference.row(0));
  const double height = greatest - least;
  const Range range = range_of(result.arrays.envelope.values, 1e-3);
  const double step = height > 0 ? height / 1000 : (range.to - range.from) / 10000;
  return {(range.from + range.to) / 2, step};
}

void add_envelope(const StoredResult& result, const Steps& steps, PackedArrays& arrays) {
  const auto& bins = result.arrays.envelope;
  std::vector<std::int32_t> low(bins.shape[0]), range(bins.shape[0]);
  for (std::int64_t i = 0; i < bins.shape[0]; ++i) {
    low[i] = steps(bins.values[2 * i]);
    range[i] = steps(bins.values[2 * i + 1]) - low[i];
  }
  arrays.integers("low", low);
  if (result.bin_samples > 1) arrays.integers("range", range);
}

void add_strips(const StoredResult& result, const Steps& steps, PackedArrays& arrays) {
  const auto quantised = [&](const std::vector<float>& values) {
    std::vector<std::int32_t> out(values.size());
    std::ranges::transform(values, out.begin(), steps);
    return out;
  };
  if (result.bin_samples > 1) arrays.integers("strips", quantised(result.arrays.strips.values));
  arrays.integers("rows", quantised(result.arrays.rows.values));
  arrays.integers("decoded", quantised(result.arrays.decoded.values));
}

void add_beats(const StoredResult& result, PackedArrays& arrays) {
  const auto& beats = result.beats;
  const auto count = beats.size();
  std::vector<std::int32_t> samples(count);
  std::vector<std::uint8_t> flags(count);
  for (std::int64_t i = 0; i < count; ++i) {
    samples[i] = static_cast<std::int32_t>(beats.sample[i]);
    flags[i] = static_cast<std::uint8_t>((beats.kept[i] ? 1 : 0) | (beats.anomalous[i] ? 2 : 0) |
                                         (std::isfinite(beats.rr_next[i]) ? 4 : 0) |
                                         (beats.quality[i] != Quality::good ? 8 : 0));
  }
  arrays.integers("samples", samples);
  arrays.flags("flags", flags);
  arrays.floats("scores", beats.score, 4);  // exact: they are counted against a threshold
  if (!result.published) {
    arrays.floats("rhythm", beats.rhythm_score, 2);
    arrays.floats("baselines", beats.baseline_score, 2);
  }
  if (!result.latents) return;
  arrays.floats("latent_x", beats.latent_x, 3);
  arrays.floats("latent_y", beats.latent_y, 3);
}

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json facts(const StoredResult& result, const Steps& steps) {
  const Json& report = result.summary.at("report");
  return {{"rate_hz", optional_number(result.rate_hz)},
          {"samples", result.samples},
          {"length", result.length()},
          {"bin_samples", result.bin_samples},
          {"strip_samples", result.arrays.strips.shape[1]},
          {"row_points", result.arrays.rows.shape[1]},
          {"row_before_s", report.value("row_before_s", Json())},
          {"row_after_s", report.value("row_after_s", Json())},
          {"threshold", result.threshold},
          {"published", result.published},
          {"offset", steps.offset},
          {"step", steps.step},
          {"none", Steps::kNone}};
}

}  // namespace

std::string page_data(const Page& page) {
  const StoredResult& result = page.result;
  const Steps steps = steps_of(result);
  const PaperScale paper = paper_scale(result);
  PackedArrays arrays;
  add_envelope(result, steps, arrays);
  add_strips(result, steps, arrays);
  add_beats(result, arrays);
  Json poor = Json::array(), reasons = Json::array();
  for (const auto& stretch : result.poor) poor.push_back({stretch.from, stretch.to, name_of(stretch.quality)});
  for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k) reasons.push_back(reason_of(result, k).words);
  const Json data = {{"facts", facts(result, steps)},
                     {"paper",
                      {{"mm_per_second", paper.mm_per_second},
                       {"samples_per_second", paper.samples_per_second},
                       {"mm_per_unit", paper.mm_per_unit},
                       {"text", paper.text}}},
                     {"tables", page.tables},
                     {"poor", poor},
                     {"strip_beats", result.arrays.strip_beats.values},
                     {"reasons", reasons},
                     {"arrays", arrays.json()}};
  return script_safe(text_of(data, -1));
}

}  // namespace beatscan
