#include "stages/recording/recording.h"

#include "kernels/lists/bits.h"
#include "kernels/runtime/error.h"

namespace beatscan {
namespace {

template <class Context>
void find_and_bridge_gaps(Context& context, RecordedLead<Context>& lead) {
  Buffer<std::uint32_t, Context> words(context, words_for(lead.samples.size()));
  mark_missing(context, lead.samples, words);
  lead.gap_firsts = positions(context, words, Pick::run_firsts);
  lead.gap_lasts = positions(context, words, Pick::run_lasts);
  bridge_gaps(context, lead.samples, lead.gap_firsts, lead.gap_lasts);
}

}  // namespace

std::string describe(const BadRows& bad) {
  std::string words = std::to_string(bad.count) + (bad.count == 1 ? " bad row" : " bad rows");
  for (const auto& row : bad.first)
    words += (&row == &bad.first[0] ? ": line " : "; line ") + std::to_string(row.line) + ", byte " +
             std::to_string(row.byte) + ": " + row.what;
  const auto more = bad.count - std::ssize(bad.first);
  return words + (more > 0 ? "; and " + std::to_string(more) + " more" : "");
}

template <class Context>
void bridge_and_measure(Context& context, Recording<Context>& recording, const std::string& path) {
  auto& lead = recording.leads.front();
  if (lead.missing == lead.samples.size())
    fail(ErrorKind::unanalysable, path,
         "no sample has a value (column '" + lead.name + "')" +
             (recording.bad.count > 0 ? "; " + describe(recording.bad) : ""));
  if (lead.missing > 0) find_and_bridge_gaps(context, lead);
  lead.range = value_range(context, lead.samples);
}

#define BEATSCAN_BRIDGE_AND_MEASURE(Context) \
  template void bridge_and_measure(Context&, Recording<Context>&, const std::string&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BRIDGE_AND_MEASURE)

}  // namespace beatscan
