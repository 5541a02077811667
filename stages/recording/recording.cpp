#include "stages/recording/recording.h"

#include <algorithm>

#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"
#include "kernels/signal/gaps.h"
#include "stages/common/counted.h"
#include "stages/common/nearest_name.h"
#include "stages/common/number_text.h"

namespace beatscan {
namespace {

template <class Context>
void find_and_bridge_gaps(Context& context, RecordedLead<Context>& lead) {
  Buffer<std::uint32_t, Context> words(context, words_for(lead.samples.size()));
  mark_missing(context, lead.samples, words);
  lead.gap_firsts = positions(context, words, Pick::run_firsts);
  lead.gap_lasts = positions(context, words, Pick::run_lasts);
  bridge_gaps(context, lead.samples, lead.samples, lead.gap_firsts, lead.gap_lasts);
}

// Returns why a lead is of no use, or nothing.
template <class Context>
std::string fault_of_lead(const RecordedLead<Context>& lead) {
  const std::string name = "lead '" + lead.name + "' ";
  if (lead.missing == lead.samples.size()) return name + "has no sample with a value";
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
    const bool stays = any_useful ? fault.empty() : kept.empty() && lead.missing < lead.samples.size();
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
void bridge_and_measure(Context& context, Recording<Context>& recording, const std::string& path) {
  const auto has_value = [](const auto& lead) { return lead.missing < lead.samples.size(); };
  if (std::ranges::none_of(recording.leads, has_value)) throw_no_value(recording, path);
  for (auto& lead : recording.leads) {
    if (!has_value(lead)) continue;
    if (lead.missing > 0) find_and_bridge_gaps(context, lead);
    lead.range = value_range(context, lead.samples);
  }
  if (recording.leads.size() > 1) leave_out_useless(recording);
}

#define BEATSCAN_BRIDGE_AND_MEASURE(Context) \
  template void bridge_and_measure(Context&, Recording<Context>&, const std::string&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BRIDGE_AND_MEASURE)

}  // namespace beatscan
