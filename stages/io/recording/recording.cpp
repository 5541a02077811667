#include "stages/io/recording/recording.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/gaps.h"
#include "kernels/signal/peaks.h"
#include "stages/common/counted.h"
#include "stages/common/nearest_name.h"
#include "stages/common/number_text.h"
#include "stages/common/robust.h"

namespace beatscan {
namespace {

constexpr double kUsualRate_hz = 250;  // until the sampling rate is known

template <class Context>
void find_and_bridge_gaps(Context& context, RecordedLead<Context>& lead) {
  Buffer<std::uint32_t, Context> words(context, words_for(lead.samples.size()));
  mark_missing(context, lead.samples, words);
  lead.gap_firsts = positions(context, words, Pick::run_firsts);
  lead.gap_lasts = positions(context, words, Pick::run_lasts);
  bridge_gaps(context, lead.samples, lead.samples, lead.gap_firsts, lead.gap_lasts);
}

template <class Context>
bool has_value(const RecordedLead<Context>& lead) {
  return lead.missing < lead.samples.size();
}

// Returns the samples of a lead on the host, NaN in its gaps.
template <class Context>
std::vector<float> recorded_samples(Context& context, const RecordedLead<Context>& lead) {
  auto samples = to_host(context, lead.samples);
  const auto firsts = to_host(context, lead.gap_firsts), lasts = to_host(context, lead.gap_lasts);
  for (std::size_t gap = 0; gap < firsts.size(); ++gap)
    std::fill(samples.begin() + firsts[gap], samples.begin() + lasts[gap] + 1, std::numeric_limits<float>::quiet_NaN());
  return samples;
}

// Returns the spans of the bins that move, of their recorded samples alone.
template <class Context>
std::vector<double> spans_beside_gaps(Context& context, const RecordedLead<Context>& lead, std::int64_t width) {
  const auto samples = recorded_samples(context, lead);
  std::vector<double> spans;
  for (std::int64_t first = 0; first < std::ssize(samples); first += width) {
    ValueRange range{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    for (auto i = first; i < std::min(first + width, std::ssize(samples)); ++i)
      if (!std::isnan(samples[i])) range = {std::min(range.min, samples[i]), std::max(range.max, samples[i])};
    if (range.max > range.min) spans.push_back(double{range.max} - range.min);
  }
  return spans;
}

// Measures the range of a lead, and the upper quartile of the spans of bins of a second or two: of those that move and
// hold no gap. If each holds one, it is that of their recorded samples.
template <class Context>
void measure_span(Context& context, RecordedLead<Context>& lead, double rate_hz) {
  const auto width = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(1.0, rate_hz))));
  const std::int64_t bins = (lead.samples.size() + width - 1) / width;
  Buffer<float, Context> extremes(context, 2 * bins);
  bin_ranges(context, lead.samples, width, extremes);
  const auto ends = to_host(context, extremes);
  std::vector<std::uint8_t> has_gap(bins);
  const auto firsts = to_host(context, lead.gap_firsts), lasts = to_host(context, lead.gap_lasts);
  for (std::size_t gap = 0; gap < firsts.size(); ++gap)
    for (std::int64_t bin = firsts[gap] / width; bin <= lasts[gap] / width; ++bin) has_gap[bin] = 1;
  lead.range = {ends[0], ends[1]};
  std::vector<double> spans;
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const float least = ends[2 * bin], most = ends[2 * bin + 1];
    lead.range = {std::min(lead.range.min, least), std::max(lead.range.max, most)};
    if (most > least && !has_gap[bin]) spans.push_back(double{most} - least);
  }
  lead.range = {lead.range.min + 0.0f, lead.range.max + 0.0f};  // either back end may have found -0 for 0
  if (spans.empty() && !firsts.empty()) spans = spans_beside_gaps(context, lead, width);
  lead.span = spans.empty() ? 0 : quantile(spans, 0.75);
}

// Returns samples from all over a lead: all of a short one. NaN is missing.
template <class Context>
std::vector<float> some_samples(Context& context, const RecordedLead<Context>& lead) {
  constexpr std::int64_t kBlocks = 16, kBlockSamples = 4096;
  const std::int64_t all = lead.samples.size();
  if (all <= kBlocks * kBlockSamples) return to_host(context, lead.samples);
  std::vector<float> some;
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    const auto first = static_cast<std::size_t>((all - kBlockSamples) * block / (kBlocks - 1));
    const auto part = to_host(context, lead.samples.span().subspan(first, kBlockSamples));
    some.insert(some.end(), part.begin(), part.end());
  }
  return some;
}

// Returns the warning on a value that stands for a missing sample, or may do so.
std::string words_on(const std::string& lead, const FarValue& far, bool is_given) {
  const std::string value = number_text(far.value, 9);
  const std::string what = "lead '" + lead + "': " + counted(far.count, "sample is ", "samples are ") + value;
  if (is_given) return what + " and " + by_count(far.count, "counts", "count") + " as missing (ingest.missing)";
  const std::string where = far.count == 1 ? " (sample " + std::to_string(far.first_sample) + ")" : "";
  return what + where + ", far outside of all others, " + number_text(far.others.min, 6) + " to " +
         number_text(far.others.max, 6) +
         (far.is_code
              ? ": " + by_count(far.count, "it counts", "they count") + " as missing; --set ingest.missing=- reads " +
                    by_count(far.count, "it", "them") + " as " + by_count(far.count, "a value", "values")
              : "; --set ingest.missing=" + value + " takes " + by_count(far.count, "it", "them") + " for missing");
}

// Returns why a lead is of no use, or nothing.
template <class Context>
std::string fault_of_lead(const RecordedLead<Context>& lead) {
  const std::string name = "lead '" + lead.name + "' ";
  if (!has_value(lead)) return name + "has no sample with a value";
  return lead.range.min == lead.range.max ? name + "is flat: all samples are " + number_text(lead.range.min, 6) : "";
}

// Leaves out leads that are of no use. Without any other, the first flat one stays: what comes next refuses it.
template <class Context>
void leave_out_useless(Recording<Context>& recording) {
  auto& leads = recording.leads;
  const auto is_useful = [](const auto& lead) { return fault_of_lead(lead).empty(); };
  const bool any_useful = std::ranges::any_of(leads, is_useful);
  std::vector<RecordedLead<Context>> kept;
  for (auto& lead : leads) {
    const std::string fault = fault_of_lead(lead);
    const bool stays = any_useful ? fault.empty() : kept.empty() && has_value(lead);
    if (stays)
      kept.push_back(std::move(lead));
    else
      recording.signal.warnings.push_back(fault + "; it is left out");
  }
  recording.left_out += std::ssize(leads) - std::ssize(kept);
  leads = std::move(kept);
  std::vector<Lead> names;
  for (const auto& lead : leads) names.push_back({lead.name, lead.unit});
  set_leads(recording.signal, std::move(names));
}

template <class Context>
[[noreturn]] void throw_no_value(const Recording<Context>& recording, const std::string& path) {
  std::vector<std::string> names;
  for (const auto& lead : recording.leads) names.push_back(lead.name);
  fail(ErrorKind::unanalysable, path,
       std::string("no sample has a value (column") + (names.size() > 1 ? "s " : " ") + listed_names(names) + ")" +
           (recording.bad.count > 0 ? "; " + describe(recording.bad) : "") +
           (recording.samples() > 0 && recording.signal.names.size() > names.size() ? "; choose another one with --lead"
                                                                                    : ""));
}

// Takes samples beyond all bounds for missing ones.
template <class Context>
void take_far_samples(std::vector<float>& samples, RecordedLead<Context>& lead, SignalInfo& signal) {
  const FarSamples far = samples_beyond_bounds(samples);
  if (far.count == 0) return;
  std::ranges::replace_if(
      samples, [&](float x) { return far.holds(x); }, std::numeric_limits<float>::quiet_NaN());
  lead.missing += far.count;
  signal.warnings.push_back("lead '" + lead.name + "': " + counted(far.count, "sample is", "samples are") +
                            " a million times as large as the others, the first of them " +
                            number_text(far.first_value, 6) + " (sample " + std::to_string(far.first_sample) +
                            "): " + by_count(far.count, "it counts", "they count") +
                            " as missing; --set ingest.missing=- reads " + by_count(far.count, "it", "them"));
}

// Takes codes for missing samples, if a lead has any (missing_codes.h). Returns whether it has. Such leads are rare, so
// this is done on the host. The gaps are bridged.
//   some  samples of the lead from before its gaps were bridged
template <class Context>
bool take_missing_codes(Context& context, std::span<const float> some, RecordedLead<Context>& lead,
                        SignalInfo& signal) {
  const MissingCode& code = signal.missing_code;
  if (!has_value(lead) || !code.is_found || (!code.value && !may_have_far_values(some, lead.range))) return false;
  auto samples = recorded_samples(context, lead);
  std::vector<FarValue> found;
  const auto missing_before = lead.missing;
  if (!code.value) take_far_samples(samples, lead, signal);
  if (!code.value)
    found = far_values(samples, signal.sample_rate_hz.value_or(kUsualRate_hz));
  else if (const auto count = std::ranges::count(samples, *code.value); count > 0)
    found.push_back({.value = *code.value, .count = count, .first_sample = 0, .others = {}, .is_code = true});
  for (const FarValue& far : found) {
    signal.warnings.push_back(words_on(lead.name, far, code.value.has_value()));
    if (!far.is_code) continue;
    std::ranges::replace(samples, far.value, std::numeric_limits<float>::quiet_NaN());
    lead.missing += far.count;
  }
  if (lead.missing == missing_before) return false;
  lead.samples = from_host(context, samples);
  if (has_value(lead)) find_and_bridge_gaps(context, lead);
  return true;
}

}  // namespace

std::string describe(const BadRows& bad) {
  std::string words = counted(bad.count, "bad row");
  for (const auto& row : bad.first)
    words += (&row == &bad.first[0] ? ": line " : "; line ") + std::to_string(row.line) + ", byte " +
             std::to_string(row.byte) + ": " + row.what;
  const auto more = bad.count - std::ssize(bad.first);
  return words + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

template <class Context>
void measure_amplitudes(Context& context, Recording<Context>& recording, double rate_hz) {
  std::vector<LeadAmplitude> amplitudes;
  for (auto& lead : recording.leads) {
    if (has_value(lead)) measure_span(context, lead, rate_hz);
    amplitudes.push_back({lead.unit, lead.span});
  }
  const auto scales = lead_scales(amplitudes);
  for (std::size_t l = 0; l < scales.size(); ++l) recording.leads[l].scale = scales[l];
}

template <class Context>
void bridge_and_measure(Context& context, Recording<Context>& recording, const std::string& path) {
  if (std::ranges::none_of(recording.leads, has_value<Context>)) throw_no_value(recording, path);
  std::vector<std::vector<float>> some;  // of each lead
  for (auto& lead : recording.leads) {
    some.push_back(some_samples(context, lead));
    if (has_value(lead) && lead.missing > 0) find_and_bridge_gaps(context, lead);
  }
  const double rate_hz = recording.signal.sample_rate_hz.value_or(kUsualRate_hz);
  measure_amplitudes(context, recording, rate_hz);
  bool any_code = false;
  for (std::size_t l = 0; l < some.size(); ++l)
    any_code |= take_missing_codes(context, some[l], recording.leads[l], recording.signal);
  if (any_code) {
    if (std::ranges::none_of(recording.leads, has_value<Context>)) throw_no_value(recording, path);
    measure_amplitudes(context, recording, rate_hz);
  }
  if (recording.leads.size() > 1) leave_out_useless(recording);
}

#define BEATSCAN_BRIDGE_AND_MEASURE(Context)                               \
  template void measure_amplitudes(Context&, Recording<Context>&, double); \
  template void bridge_and_measure(Context&, Recording<Context>&, const std::string&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BRIDGE_AND_MEASURE)

}  // namespace beatscan
