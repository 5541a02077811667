#include "stages/findings/usual_first.h"

#include <algorithm>
#include <utility>

#include "kernels/lists/gather.h"
#include "stages/findings/finding_options.h"
#include "stages/findings/template_facts.h"
#include "stages/findings/templates.h"
#include "stages/rows/embedded_beats.h"
#include "stages/rows/row_options.h"

namespace beatscan {
namespace {

// Returns the template that is usual, given the facts of all.
std::int64_t usual_template(const Facts& facts, std::int64_t beats, const VentricularOptions& weights,
                            const UsualOptions& options) {
  const bool few = beats <= options.few_beats;
  const auto share = [&](std::int64_t k) {
    return static_cast<double>(facts.templates[k].beats) / static_cast<double>(beats);
  };
  std::int64_t usual = 0;
  double least = -options.clearly;
  for (std::int64_t k = 1; k < std::ssize(facts.templates); ++k) {
    const TemplateFacts& its = facts.templates[k];
    const double sum = weights.width_weight * its.log_width +
                       weights.early_weight * (its.early_share - facts.templates[0].early_share);
    if (share(k) < options.least_share || !(sum < least)) continue;
    const bool is_plain =
        its.log_width < -options.narrower && its.early_share < facts.templates[0].early_share - options.on_time;
    if (!few && !is_plain) continue;
    least = sum;
    usual = k;
  }
  return usual;
}

template <class Context>
void swap_with_first(Context& context, std::int64_t k, BeatTemplates<Context>& templates) {
  std::swap(templates.counts[0], templates.counts[k]);
  const auto first = templates.centres.begin(), other = first + k * templates.width;
  std::swap_ranges(first, first + templates.width, other);
  for (auto& its : templates.template_of)
    if (its == 0 || its == k) its = static_cast<std::uint8_t>(k - its);
  templates.nearest = from_host(context, templates.template_of);
}

}  // namespace

template <class Context>
bool put_usual_first(Context& context, const EmbeddedBeats<Context>& embedded, const RowOptions& rows,
                     const KindOptions& kinds, const UsualOptions& options, BeatTemplates<Context>& templates) {
  const std::int64_t beats = embedded.beats();
  if (templates.size() < 2) return false;
  if (static_cast<double>(templates.counts[1]) < options.least_share * static_cast<double>(beats)) return false;
  const bool few = beats <= options.few_beats;
  const auto [before, behind] = to_hosts(context, gathered(context, embedded.rhythm.prev_ratio, embedded.rows.kept),
                                         gathered(context, embedded.rhythm.next_ratio, embedded.rows.kept));
  BeatTimesOf times{{before.begin(), before.end()}, {}};
  for (std::size_t b = 0; b < before.size() && !few; ++b) times.ratio[b] /= behind[b];
  const auto facts = facts_of(context, embedded, rows, templates, median_distances(templates), times,
                              {kinds.ventricular.early_ratio, kinds.ventricular.alone_distance}, kinds.width);
  const auto usual = usual_template(facts, beats, kinds.ventricular, options);
  if (usual > 0) swap_with_first(context, usual, templates);
  return usual > 0;
}

#define BEATSCAN_PUT_USUAL_FIRST(Context)                                                                       \
  template bool put_usual_first(Context&, const EmbeddedBeats<Context>&, const RowOptions&, const KindOptions&, \
                                const UsualOptions&, BeatTemplates<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_PUT_USUAL_FIRST)

}  // namespace beatscan
