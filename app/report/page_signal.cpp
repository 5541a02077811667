#include "app/report/page_signal.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "app/report/page_arrays.h"
#include "app/report/paper/strip.h"
#include "app/report/stored/stored_arrays.h"
#include "app/report/stored/stored_result.h"

namespace beatscan {
namespace {

constexpr std::int64_t kOtherStripsSamples = 1 << 20;  // at most in a page, in all leads but the first

// Returns the steps of a lead's beats: a thousandth of its median beat's height, 15 micrometres on paper.
ArraySteps beat_steps(const StoredResult& result, std::int64_t lead) {
  if (const auto median = result.median(lead); !median.empty())
    if (const auto [least, greatest] = std::ranges::minmax(median); greatest > least)
      return {0, (greatest - least) / 1000.0};
  return {0, 0.05 / paper_scale(result, lead).mm_per_unit};
}

// Returns the steps of a lead at full rate, or of its band between least and greatest, which nobody measures. Those of
// the first lead are finer than the others'.
ArraySteps signal_steps(const StoredResult& result, std::int64_t lead, bool band) {
  if (lead == 0) return {0, beat_steps(result, 0).step * (band ? 4 : 1)};
  return {0, (band ? 0.1 : 0.05) / paper_scale(result, lead).mm_per_unit};
}

// Returns a number for each bin of an envelope, from the steps of its least and its greatest value.
template <class Number>
std::vector<std::int32_t> of_bins(const Envelope& envelope, const ArraySteps& steps, Number&& number) {
  const auto ends = in_steps(envelope.values, steps);
  const std::int32_t* bin = ends.data();  // checks of indices would take most of the time
  std::vector<std::int32_t> numbers(envelope.bins());
  for (std::int32_t& each : numbers) each = number(bin[0], bin[1]), bin += 2;
  return numbers;
}

// Adds the least values of an envelope, and how far above them the greatest ones are. Both are the same where a bin is
// a sample.
void add_envelope(const Envelope& envelope, std::int64_t bin_samples, const std::string& end_of_name,
                  const ArraySteps& steps, PageArrays& arrays) {
  if (envelope.of_bin == 1) {
    arrays.scaled("low" + end_of_name, envelope.values, steps, true);
    return;
  }
  arrays.scaled("low" + end_of_name, steps, true,
                [=] { return of_bins(envelope, steps, [](auto low, auto) { return low; }); });
  if (bin_samples == 1) return;
  arrays.scaled("span" + end_of_name, {0, steps.step}, false,
                [=] { return of_bins(envelope, steps, [](auto low, auto high) { return high - low; }); });
}

// Adds rows of equal length, each in steps of its own.
void add_parts(const std::string& name, std::span<const float> values, std::vector<ArraySteps> steps,
               PageArrays& arrays) {
  if (std::ranges::adjacent_find(steps, std::not_equal_to()) == steps.end()) {
    arrays.scaled(name, values, steps.empty() ? ArraySteps{0, 1} : steps[0], true);
    return;
  }
  arrays.in_parts(name, steps, [values, steps] {
    std::vector<std::int32_t> whole(values.size());
    const std::size_t length = values.size() / std::max<std::size_t>(steps.size(), 1);
    for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = steps[i / length](values[i]);
    return whole;
  });
}

// Adds the strips of a lead, of other leads than the first only as much around each beat as a page may hold.
void add_strips(const StoredResult& result, std::int64_t lead, const std::string& name, const ArraySteps& steps,
                PageArrays& arrays) {
  const std::int64_t length = page_strip_samples(result, lead);
  arrays.scaled(name, steps, true, [&result, lead, length, steps] {
    std::vector<std::int32_t> values;
    for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k) {
      const auto strip = result.strip(lead, k);
      std::ranges::transform(strip.subspan((strip.size() - length) / 2, length), std::back_inserter(values), steps);
    }
    for (std::int64_t f = 0; f < result.finding_strips(); ++f) {
      const auto strip = result.finding_strip(lead, f);
      std::ranges::transform(strip.subspan((strip.size() - length) / 2, length), std::back_inserter(values), steps);
    }
    return values;
  });
}

}  // namespace

std::int64_t page_strip_samples(const StoredResult& result, std::int64_t lead) {
  const std::int64_t samples = result.arrays.strips.shape.back();
  if (lead == 0) return samples;
  const std::int64_t strips =
      (result.arrays.strip_beats.shape[0] + result.finding_strips()) * (std::ssize(result.leads) - 1);
  return std::min(samples, kOtherStripsSamples / std::max<std::int64_t>(strips, 1));
}

void add_signal(const StoredResult& result, PageArrays& arrays) {
  for (std::int64_t lead = 0; lead < std::ssize(result.leads); ++lead) {
    const std::string end = lead == 0 ? "" : "_" + std::to_string(lead);
    const std::int64_t bin_samples = result.bin_samples_of(lead);
    add_envelope(result.envelope(lead), bin_samples, end, signal_steps(result, lead, bin_samples > 1), arrays);
    if (bin_samples > 1) add_strips(result, lead, "strips" + end, signal_steps(result, lead, false), arrays);
  }
  std::vector<ArraySteps> row_steps, reference_steps, template_steps;
  for (std::int64_t k = 0; k < result.arrays.strip_beats.shape[0]; ++k)
    row_steps.push_back(beat_steps(result, result.row_lead(k)));
  for (const std::int64_t lead : result.reference_leads) {
    reference_steps.push_back(beat_steps(result, lead));
    template_steps.insert(template_steps.end(), result.templates.size(), reference_steps.back());
  }
  add_parts("rows", result.arrays.rows.values, row_steps, arrays);
  add_parts("decoded", result.arrays.decoded.values, row_steps, arrays);
  add_parts("reference", result.arrays.reference.values, reference_steps, arrays);
  if (!result.arrays.templates.values.empty())
    add_parts("templates", result.arrays.templates.values, template_steps, arrays);
  const ArraySteps steps = beat_steps(result, result.reference_leads[0]);
  arrays.scaled("grid", result.arrays.grid.values, steps, true);
  arrays.scaled("generated", steps, true, [&result, steps] {
    std::vector<std::int32_t> values;
    for (const auto& row : result.generated) std::ranges::transform(row, std::back_inserter(values), steps);
    return values;
  });
}

}  // namespace beatscan
