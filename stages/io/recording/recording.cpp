#include "stages/io/recording/recording.h"

#include <algorithm>
#include <bit>

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

// Measures the range of a lead, and the upper quartile of the spans of bins of a second or two: of those that move and
// hold no gap.
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
  lead.span = spans.empty() ? 0 : quantile(spans, 0.75);
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
  for (auto& lead : recording.leads)
    if (has_value(lead) && lead.missing > 0) find_and_bridge_gaps(context, lead);
  measure_amplitudes(context, recording, recording.signal.sample_rate_hz.value_or(kUsualRate_hz));
  if (recording.leads.size() > 1) leave_out_useless(recording);
}

#define BEATSCAN_BRIDGE_AND_MEASURE(Context)                               \
  template void measure_amplitudes(Context&, Recording<Context>&, double); \
  template void bridge_and_measure(Context&, Recording<Context>&, const std::string&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BRIDGE_AND_MEASURE)

}  // namespace beatscan
