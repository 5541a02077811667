#include "stages/templates/findings.h"

#include <algorithm>
#include <array>

#include "kernels/runtime/error.h"
#include "stages/detect/beat_list.h"
#include "stages/templates/clusters.h"
#include "stages/templates/finding_options.h"
#include "stages/templates/groups.h"
#include "stages/templates/pacing.h"

namespace beatscan {
namespace {

// Returns the class of the largest posterior.
BeatClass class_of(const float* posteriors) {
  constexpr std::array beat_classes{BeatClass::normal, BeatClass::supraventricular, BeatClass::ventricular,
                                    BeatClass::unknown};
  static_assert(beat_classes.size() == kPosteriorClasses && kClassX == 3);
  return beat_classes[std::max_element(posteriors, posteriors + kPosteriorClasses) - posteriors];
}

}  // namespace

template <class Context>
BeatTemplates<Context> templates_of_rows(Context& context, const EmbeddedBeats<Context>& embedded,
                                         const RowOptions& rows, const BeatList& beats,
                                         std::span<const std::int64_t> kept, std::span<const float> waveform,
                                         const TemplateOptions& options) {
  std::vector<std::uint8_t> good;
  good.reserve(kept.size());
  for (const std::int64_t i : kept) good.push_back(beats.quality[i] == Quality::good);
  return templates_of(context, embedded, rows, {good, waveform}, options);
}

template <class Context>
Findings findings_of(const BeatTemplates<Context>& templates, std::span<const std::int64_t> kept,
                     std::vector<float> posteriors, const BeatImpulses& impulses, double sample_rate_hz,
                     const GroupOptions& options) {
  BEATSCAN_EXPECTS(templates.template_of.size() == kept.size() && posteriors.size() % kPosteriorClasses == 0,
                   "findings_of: bad shape");
  const std::int64_t beats = std::ssize(posteriors) / kPosteriorClasses;
  Findings findings{.beat_classes = std::vector<BeatClass>(beats), .templates = std::vector<std::int32_t>(beats, -1)};
  for (std::int64_t i = 0; i < beats; ++i) findings.beat_classes[i] = class_of(&posteriors[i * kPosteriorClasses]);
  findings.posteriors = std::move(posteriors);
  std::vector<BeatClass> of_rows;
  of_rows.reserve(kept.size());
  for (const std::int64_t i : kept) of_rows.push_back(findings.beat_classes[i]);
  auto grouped = groups_of(templates.template_of, of_rows,
                           distances_between(templates.centres, templates.width, templates.floor), options);
  for (std::size_t b = 0; b < kept.size(); ++b) findings.templates[kept[b]] = grouped.group_of[b];
  findings.groups = std::move(grouped.groups);
  find_paced(impulses, sample_rate_hz, options, findings);
  return findings;
}

#define BEATSCAN_FINDINGS_OF(Context)                                                                             \
  template BeatTemplates<Context> templates_of_rows(Context&, const EmbeddedBeats<Context>&, const RowOptions&,   \
                                                    const BeatList&, std::span<const std::int64_t>,               \
                                                    std::span<const float>, const TemplateOptions&);              \
  template Findings findings_of(const BeatTemplates<Context>&, std::span<const std::int64_t>, std::vector<float>, \
                                const BeatImpulses&, double, const GroupOptions&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_FINDINGS_OF)

}  // namespace beatscan
