#include "app/report/words/abnormal_counts.h"

#include <vector>

#include "app/report/stored/beat_table.h"
#include "app/report/words/beat_runs.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

bool is_ectopic(char kind) { return kind == 'S' || kind == 'V'; }

std::string are(std::int64_t count) { return grouped(count) + (count == 1 ? " is " : " are "); }

}  // namespace

AbnormalCounts::AbnormalCounts(const BeatTable& beats) {
  for (std::int64_t i = 0; i < beats.size(); ++i) {
    const bool in_good = beats.quality[i] == Quality::good, above = beats.anomalous[i] != 0,
               scored = beats.kept[i] != 0;
    if (!beats.kind.empty() && is_ectopic(beats.kind[i])) {
      ++kinds.all;
      ++(!scored ? kinds.unscored : !in_good ? kinds.in_poor : above ? kinds.abnormal : kinds.lower);
      kinds.lower_ventricular += scored && in_good && !above && beats.kind[i] == 'V';
    }
    if (!scored) continue;
    ++(in_good ? good : poor);
    (in_good ? abnormal_good : abnormal_poor) += above;
  }
}

std::string kinds_sentence(const AbnormalCounts& counts) {
  const auto& its = counts.kinds;
  if (its.all == 0) return "";
  std::vector<std::string> parts;
  if (its.abnormal > 0) parts.push_back(are(its.abnormal) + "among these");
  if (its.lower > 0) {
    const std::string ventricular = its.lower_ventricular > 0 ? grouped(its.lower_ventricular) + " ventricular; " : "";
    parts.push_back(grouped(its.lower) + (its.lower == 1 ? " has a lower score (" : " have lower scores (") +
                    ventricular + "see beats.csv)");
  }
  if (its.in_poor > 0) parts.push_back(are(its.in_poor) + "in poor signal");
  if (its.unscored > 0) parts.push_back(grouped(its.unscored) + (its.unscored == 1 ? " has" : " have") + " no score");
  const std::int64_t others = counts.abnormal_good - its.abnormal;
  const std::string rest = its.abnormal > 0 && others > 0
                               ? " The other " + are(others) + "neither S nor V, but atypical in morphology or timing."
                               : "";
  return " Of the " + grouped(its.all) + " S and V " + (its.all == 1 ? "beat" : "beats") + ", " + listed(parts) + "." +
         rest;
}

}  // namespace beatscan
