#include "app/report/page_data.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/report/drawing/html.h"
#include "app/report/drawing/pack.h"
#include "app/report/reasons.h"
#include "app/report/strip.h"
#include "app/result/csv_files.h"

namespace beatscan {
namespace {

// Turns values into whole numbers of steps from an offset.
struct Steps {
  double offset, step;
  static constexpr std::int32_t kMost = 32767;
  static constexpr std::int32_t kNone = -32768;  // stands for no value
  std::int32_t operator()(float value) const {
    if (!std::isfinite(value)) return kNone;
    const double steps = std::clamp((value - offset) / step, -1.0 * kMost, 1.0 * kMost);
    return static_cast<std::int32_t>(steps < 0 ? steps - 0.5 : steps + 0.5);
  }
};

class Arrays {
 public:
  // Adds an array. The values must outlive this object.
  void scaled(const std::string& name, std::span<const float> values, const Steps& steps, bool smooth = false) {
    scaled(name, steps, smooth, [values, steps] {
      std::vector<std::int32_t> whole(values.size());
      std::ranges::transform(values, whole.begin(), steps);
      return whole;
    });
  }
  void scaled(const std::string& name, const Steps& steps, bool smooth, PackedArrays::Integers whole) {
    smooth ? packed.differences(name, std::move(whole)) : packed.integers(name, std::move(whole));
    scales[name] = {{"offset", steps.offset}, {"step", steps.step}};
  }
  PackedArrays packed;
  Json scales = Json::object();
};

// Returns steps of the median beat's height divided by `parts`. A thousandth (15 micrometres on paper) serves a signal
// at full rate; a 250th serves the band between least and greatest, which nobody measures.
Steps signal_steps(const StoredResult& result, double parts) {
  const auto [least, greatest] = std::ranges::minmax(result.arrays.reference.row(0));
  if (greatest > least) return {(greatest + least) / 2.0, (greatest - least) / parts};
  const Range range = signal_range(result.arrays.bin_ranges.values).range;
  return {(range.from + range.to) / 2, (range.to - range.from) / parts};
}

void add_envelope(const StoredResult& result, const Steps& steps, Arrays& arrays) {
  const auto& bins = result.arrays.bin_ranges;
  const auto of_bins = [&bins](auto&& value) {
    std::vector<std::int32_t> values(bins.shape[0]);
    for (std::int64_t i = 0; i < bins.shape[0]; ++i) values[i] = value(bins.values[2 * i], bins.values[2 * i + 1]);
    return values;
  };
  arrays.scaled("low", steps, true, [=] { return of_bins([&](float low, float) { return steps(low); }); });
  if (result.bin_samples == 1) return;
  arrays.scaled("span", {0, steps.step}, false,
                [=] { return of_bins([&](float low, float high) { return steps(high) - steps(low); }); });
}

void add_signal(const StoredResult& result, Arrays& arrays) {
  const bool whole = result.bin_samples == 1;
  const Steps steps = signal_steps(result, 1000);
  add_envelope(result, whole ? steps : signal_steps(result, 250), arrays);
  if (!whole) arrays.scaled("strips", result.arrays.strips.values, steps, true);
  arrays.scaled("rows", result.arrays.rows.values, steps, true);
  arrays.scaled("decoded", result.arrays.decoded.values, steps, true);
  arrays.scaled("reference", result.arrays.reference.values, steps, true);
  arrays.scaled("grid", result.arrays.grid.values, steps, true);
  arrays.scaled("generated", steps, true, [&result, steps] {
    std::vector<std::int32_t> values;
    for (const auto& row : result.generated) std::ranges::transform(row, std::back_inserter(values), steps);
    return values;
  });
}

// Returns the least n with score <= n / 100.
std::int32_t hundredths_up(float score) {
  if (!std::isfinite(score)) return std::numeric_limits<std::int32_t>::min();
  constexpr float kMost = 2e7f;  // fits in 32 bits, and adding 1 to its hundredfold still counts
  score = std::clamp(score, -kMost, kMost);
  double n = std::ceil(static_cast<double>(score) * 100);
  while (score > n / 100) ++n;
  while (score <= (n - 1) / 100) --n;
  return static_cast<std::int32_t>(n);
}

std::vector<std::uint8_t> flags_of(const BeatTable& beats) {
  std::vector<std::uint8_t> flags(beats.size());
  for (std::int64_t i = 0; i < beats.size(); ++i)
    flags[i] = static_cast<std::uint8_t>((beats.kept[i] ? 1 : 0) | (beats.anomalous[i] ? 2 : 0) |
                                         (std::isfinite(beats.rr_next[i]) ? 4 : 0) |
                                         (beats.quality[i] != Quality::good ? 8 : 0));
  return flags;
}

void add_beats(const StoredResult& result, Arrays& arrays) {
  const auto& beats = result.beats;
  arrays.packed.differences("samples", [&] {
    std::vector<std::int32_t> samples(beats.size());
    std::ranges::transform(beats.sample, samples.begin(),
                           [](auto sample) { return static_cast<std::int32_t>(sample); });
    return samples;
  });
  arrays.packed.flags("flags", [&] { return flags_of(beats); });
  arrays.packed.integers("scores", [&] {
    std::vector<std::int32_t> scores(beats.size());
    std::ranges::transform(beats.score, scores.begin(), hundredths_up);
    return scores;
  });
  if (!result.published) {
    arrays.scaled("rhythm", beats.rhythm_score, {0, 0.1});
    arrays.scaled("baselines", beats.baseline_score, {0, 0.1});
  }
  if (!result.latents) return;
  const auto latent = [&](const std::string& name, const std::vector<float>& values) {
    const Range range = range_of(values, 0.002);
    arrays.scaled(name, values, {(range.from + range.to) / 2, (range.to - range.from) / 1000});
  };
  latent("latent_x", beats.latent_x);
  latent("latent_y", beats.latent_y);
}

Json optional_number(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json facts(const StoredResult& result) {
  const Json& report = result.summary.at("report");
  return {{"rate_hz", optional_number(result.rate_hz)},
          {"samples", result.samples},
          {"length", result.length()},
          {"bin_samples", result.bin_samples},
          {"strip_samples", result.arrays.strips.shape[1]},
          {"row_points", result.arrays.rows.shape[1]},
          {"generated_points", result.generated.empty() ? 0 : std::ssize(result.generated[0])},
          {"row_before_s", report.value("row_before_s", Json())},
          {"row_after_s", report.value("row_after_s", Json())},
          {"threshold", result.threshold},
          {"published", result.published},
          {"none", Steps::kNone}};
}

}  // namespace

PackedResult packed_result(const StoredResult& result) {
  Arrays arrays;
  add_signal(result, arrays);
  add_beats(result, arrays);
  return {arrays.packed.json(), arrays.scales};
}

std::string page_data(const StoredResult& result, const Json& tables, const PackedResult& packed) {
  const PaperScale paper = paper_scale(result);
  Json poor = Json::array(), reasons = Json::array();
  for (const auto& stretch : result.poor) poor.push_back({stretch.from, stretch.to, name_of(stretch.quality)});
  for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k) reasons.push_back(reason_of(result, k).words);
  const Json data = {{"facts", facts(result)},
                     {"paper",
                      {{"mm_per_second", paper.mm_per_second},
                       {"samples_per_second", paper.samples_per_second},
                       {"mm_per_unit", paper.mm_per_unit},
                       {"text", paper.text}}},
                     {"tables", tables},
                     {"poor", poor},
                     {"strip_beats", result.arrays.strip_beats.values},
                     {"reasons", reasons},
                     {"scales", packed.scales}};
  std::string text = script_safe(text_of(data, -1));
  text.pop_back();  // removes the closing brace, so that the large arrays can be appended without being parsed
  return text + ",\"arrays\":" + packed.arrays + "}";
}

}  // namespace beatscan
