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

// Values as whole numbers of steps.
struct Steps {
  double offset, step;
  static constexpr std::int32_t kMost = 32767;
  static constexpr std::int32_t kNone = -32768;  // where there is no value
  std::int32_t operator()(float value) const {
    if (!std::isfinite(value)) return kNone;
    return static_cast<std::int32_t>(std::lround(std::clamp((value - offset) / step, -1.0 * kMost, 1.0 * kMost)));
  }
};

class Arrays {
 public:
  void scaled(const std::string& name, std::span<const float> values, const Steps& steps, bool smooth = false) {
    std::vector<std::int32_t> whole(values.size());
    std::ranges::transform(values, whole.begin(), steps);
    scaled(name, whole, steps, smooth);
  }
  void scaled(const std::string& name, const std::vector<std::int32_t>& whole, const Steps& steps, bool smooth) {
    smooth ? packed.differences(name, whole) : packed.integers(name, whole);
    scales[name] = {{"offset", steps.offset}, {"step", steps.step}};
  }
  PackedArrays packed;
  Json scales = Json::object();
};

// Of a beat's height at full rate a thousandth (15 micrometres on paper), of the band between least and greatest,
// which nobody measures, a 250th.
Steps signal_steps(const StoredResult& result, double parts) {
  const auto [least, greatest] = std::ranges::minmax(result.arrays.reference.row(0));
  if (greatest > least) return {(greatest + least) / 2.0, (greatest - least) / parts};
  const Range range = range_of(result.arrays.envelope.values, 1e-3);
  return {(range.from + range.to) / 2, (range.to - range.from) / parts};
}

void add_signal(const StoredResult& result, Arrays& arrays) {
  const auto& bins = result.arrays.envelope;
  const bool whole = result.bin_samples == 1;
  const Steps steps = signal_steps(result, 1000), coarse = whole ? steps : signal_steps(result, 250);
  std::vector<std::int32_t> low(bins.shape[0]), span(bins.shape[0]);
  for (std::int64_t i = 0; i < bins.shape[0]; ++i) {
    low[i] = coarse(bins.values[2 * i]);
    span[i] = coarse(bins.values[2 * i + 1]) - low[i];
  }
  arrays.scaled("low", low, coarse, true);
  if (!whole) {
    arrays.scaled("span", span, {0, coarse.step}, false);
    arrays.scaled("strips", result.arrays.strips.values, steps, true);
  }
  arrays.scaled("rows", result.arrays.rows.values, steps, true);
  arrays.scaled("decoded", result.arrays.decoded.values, steps, true);
  arrays.scaled("reference", result.arrays.reference.values, steps, true);
  arrays.scaled("grid", result.arrays.grid.values, steps, true);
  std::vector<float> generated;
  for (const auto& row : result.generated) generated.insert(generated.end(), row.begin(), row.end());
  arrays.scaled("generated", generated, steps, true);
}

// The least n with score <= n / 100.
std::int32_t hundredths_up(float score) {
  if (!std::isfinite(score)) return std::numeric_limits<std::int32_t>::min();
  double n = std::ceil(static_cast<double>(score) * 100);
  while (score > n / 100) ++n;
  while (score <= (n - 1) / 100) --n;
  return static_cast<std::int32_t>(std::clamp(n, -2e9, 2e9));
}

void add_beats(const StoredResult& result, Arrays& arrays) {
  const auto& beats = result.beats;
  const auto count = beats.size();
  std::vector<std::int32_t> samples(count), scores(count);
  std::vector<std::uint8_t> flags(count);
  for (std::int64_t i = 0; i < count; ++i) {
    samples[i] = static_cast<std::int32_t>(beats.sample[i]);
    scores[i] = hundredths_up(beats.score[i]);
    flags[i] = static_cast<std::uint8_t>((beats.kept[i] ? 1 : 0) | (beats.anomalous[i] ? 2 : 0) |
                                         (std::isfinite(beats.rr_next[i]) ? 4 : 0) |
                                         (beats.quality[i] != Quality::good ? 8 : 0));
  }
  arrays.packed.differences("samples", samples);
  arrays.packed.flags("flags", flags);
  arrays.packed.integers("scores", scores);
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
  text.pop_back();  // the closing brace: large arrays need no second look
  return text + ",\"arrays\":" + packed.arrays + "}";
}

}  // namespace beatscan
