#include "app/pipeline/pages.h"

#include "app/output/result_facts.h"
#include "app/output/run_result.h"
#include "stages/rhythm/episode.h"

#include <algorithm>

namespace beatscan {
namespace {

bool has_rhythm_findings(const RunResult& result) {
  if (!result.rhythm) return false;
  return std::ranges::any_of(result.rhythm->episodes.list, [](const Episode& episode) {
    return episode.label != EpisodeLabel::noise && episode.label != EpisodeLabel::gap;
  });
}

}  // namespace

bool wants_page(Pages pages, const RunResult& result) {
  if (pages != Pages::abnormal) return pages == Pages::all;
  return anomaly_counts(result).good > 0 || has_rhythm_findings(result);
}

}  // namespace beatscan
