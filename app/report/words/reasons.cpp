#include "app/report/words/reasons.h"

#include <cmath>

#include "app/common/numbers.h"
#include "app/output/result_facts.h"
#include "app/output/summary_text.h"
#include "app/report/stored/stored_result.h"
#include "app/report/words/class_words.h"
#include "stages/common/similarity.h"

namespace beatscan {
namespace {

// `usual` is "median beat", or the name of what stands for it.
std::string shape_words(const Similarity& like, const std::string& usual) {
  const std::string number = " (correlation\u00a0" + signed_text(fixed(like.correlation, 2)) + ")";
  if (like.correlation < -0.5) return "inverted against the " + usual + number;
  if (like.correlation < 0.6) return "dissimilar to the " + usual + number;
  if (like.size > 1.35 || like.size < 0.7) return fixed(like.size, 1) + " times the size of the " + usual;
  if (like.correlation < 0.95) return "differs from the " + usual + number;
  return "similar to the " + usual + number;
}

void add_words(std::string& words, const std::string& more) { words += (words.empty() ? "" : "; ") + more; }

}  // namespace

std::string similarity_words(std::span<const float> row, std::span<const float> reference, const std::string& usual) {
  return shape_words(similarity_of(row, reference), usual);
}

double waveform_part(const StoredResult& result, std::int64_t beat) {
  const auto& beats = result.beats;
  const float learned = beats.learned_score[beat];
  return beats.score[beat] - beats.rhythm_score[beat] - (std::isfinite(learned) ? learned : 0);
}

Reason reason_of(const StoredResult& result, std::int64_t k) {
  const auto beat = result.arrays.strip_beats.values[k];
  const auto& beats = result.beats;
  Reason reason;
  const double rhythm = beats.rhythm_score[beat], waveform = waveform_part(result, beat);
  if (std::isfinite(rhythm)) {
    const ScoreParts parts = named_parts(waveform, rhythm);
    reason.rhythm = parts.rhythm;
    reason.waveform = parts.waveform;
    reason.words = rhythm_words(beats.prev_ratio[beat], beats.next_ratio[beat]);
  } else {
    reason.waveform = true;
  }
  if (reason.waveform)
    add_words(reason.words, (result.several_leads() ? "in " + result.leads[result.row_lead(k)].name + " " : "") +
                                similarity_words(result.arrays.rows.row(k), result.row_median(k),
                                                 result.published ? "mean beat" : "median beat"));
  if (const std::string own_class = class_reason(result, beat); !own_class.empty()) add_words(reason.words, own_class);
  if (beats.quality[beat] != Quality::good)
    add_words(reason.words, std::string("in ") + name_of(beats.quality[beat]) + " signal");
  return reason;
}

}  // namespace beatscan
