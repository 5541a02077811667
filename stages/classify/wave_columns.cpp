#include <algorithm>
#include <cmath>

#include "kernels/waves/beat_waves.h"
#include "kernels/waves/window.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/columns.h"
#include "stages/waves/waves.h"

namespace beatscan {

namespace {

constexpr double kMsAValue = 1000 / waves::kValuesHz;
constexpr double kLikelyP = 0.4;

// Returns the distance of two fiducials of each beat in ms; NaN where one is absent.
std::vector<double> distances_ms(std::span<const float> fiducials, std::int64_t beats, int from, int to) {
  return of_each_beat(beats, [&](std::int64_t i) {
    const float* of = fiducials.data() + i * waves::kFiducials;
    return (of[to] - of[from]) * kMsAValue;
  });
}

// Returns the number of P waves without a QRS complex between each beat and the previous one.
std::vector<double> non_conducted_before(const BeatWaves& waves, std::int64_t beats) {
  std::vector<double> counts(beats);
  for (const NonConductedP& wave : waves.non_conducted)
    if (wave.beat + 1 < beats) counts[wave.beat + 1] += 1;
  return counts;
}

std::vector<double> doubles_of(std::span<const float> values, std::int64_t beats) {
  if (values.empty()) return std::vector<double>(beats, kNoValue);
  return {values.begin(), values.end()};
}

}  // namespace

void add_wave_columns(const TableBeats& beats, std::span<const double> rr_s, FeatureColumns& columns) {
  const BeatWaves& found = beats.waves;
  const std::int64_t count = columns.beats();
  const bool known = found.beats() == count && count > 0;
  const auto add = [&](const char* name, const char* unit, const char* text, const auto& value) {
    columns.add(name, unit, text, [&](std::int64_t i) { return known ? static_cast<double>(value(i)) : kNoValue; });
  };
  const auto evidence = doubles_of(found.p_evidence, count);
  const auto evidence_median = known_medians(evidence, 8);
  const auto means1 = means_around(evidence, 1), means5 = means_around(evidence, 5);
  add("p_evidence", "", "evidence of a P wave before the beat", [&](std::int64_t i) { return evidence[i]; });
  add("p_evidence_prev", "", "that of the beat before", [&](std::int64_t i) { return neighbour(evidence, i, -1); });
  add("p_evidence_next", "", "that of the beat after", [&](std::int64_t i) { return neighbour(evidence, i, 1); });
  add("p_evidence_mean1", "", "its mean over 1 beat on either side", [&](std::int64_t i) { return means1[i]; });
  add("p_evidence_mean5", "", "its mean over 5 beats on either side", [&](std::int64_t i) { return means5[i]; });
  add("p_evidence_change", "", "p_evidence minus its median over 8 beats on either side",
      [&](std::int64_t i) { return evidence[i] - evidence_median[i]; });

  auto pr = known ? distances_ms(found.fiducials, count, waves::kPOnset, waves::kQrsOnset)
                  : std::vector<double>(count, kNoValue);
  for (std::int64_t i = 0; i < count; ++i)
    if (known && evidence[i] < kLikelyP) pr[i] = kNoValue;
  const auto pr_median = known_medians(pr, 8);
  add("pr_ms", "ms", "PR interval where p_evidence is 0.4 or more", [&](std::int64_t i) { return pr[i]; });
  add("pr_change_ms", "ms", "pr_ms minus its median over 8 beats on either side",
      [&](std::int64_t i) { return pr[i] - pr_median[i]; });
  add("pr_deviation_ms", "ms", "absolute value of pr_change_ms",
      [&](std::int64_t i) { return std::abs(pr[i] - pr_median[i]); });
  add("pr_trend_ms", "ms", "pr_ms minus that of the beat before",
      [&](std::int64_t i) { return i > 0 ? pr[i] - pr[i - 1] : kNoValue; });
  add("p_similarity", "", "correlation of the P wave with the dominant P wave",
      [&](std::int64_t i) { return found.p_similarity[i]; });
  const auto extra = non_conducted_before(found, count);
  const auto extra_mean = means_around(extra, 5);
  add("non_conducted_p", "", "number of P waves without a QRS complex since the beat before",
      [&](std::int64_t i) { return extra[i]; });
  add("non_conducted_p_mean", "", "its mean over 5 beats on either side",
      [&](std::int64_t i) { return extra_mean[i]; });

  const auto qrs = known ? distances_ms(found.fiducials, count, waves::kQrsOnset, waves::kQrsOffset)
                         : std::vector<double>(count, kNoValue);
  const auto qrs_median = known_medians(qrs, 16);
  add("qrs_ms", "ms", "QRS duration by onset and offset", [&](std::int64_t i) { return qrs[i]; });
  add("qrs_ms_ratio", "", "log of qrs_ms over its median over 16 beats on either side",
      [&](std::int64_t i) { return std::log(qrs[i] / qrs_median[i]); });
  std::vector<double> widest(count, kNoValue);
  for (std::size_t l = 0; known && l < found.leads.size(); ++l) {
    const auto of_lead =
        std::span(found.lead_fiducials).subspan(l * count * waves::kFiducials, count * waves::kFiducials);
    const auto width = distances_ms(of_lead, count, waves::kQrsOnset, waves::kQrsOffset);
    const auto median = known_medians(width, 16);
    for (std::int64_t i = 0; i < count; ++i)
      if (const double ratio = std::log(width[i] / median[i]); std::isfinite(ratio) && !(ratio <= widest[i]))
        widest[i] = ratio;
  }
  add("qrs_ms_ratio_max", "", "the same of each lead, the largest", [&](std::int64_t i) { return widest[i]; });
  const auto qt = known ? distances_ms(found.fiducials, count, waves::kQrsOnset, waves::kTOffset)
                        : std::vector<double>(count, kNoValue);
  const auto qt_median = known_medians(qt, 16);
  add("qt_ratio", "", "log of the QT interval over its median over 16 beats on either side",
      [&](std::int64_t i) { return std::log(qt[i] / qt_median[i]); });
  add("has_t", "", "1 where a T wave was found", [&](std::int64_t i) { return std::isfinite(qt[i]); });
  add("tq_activity", "", "log of the largest root mean square of a lead between T wave and beat, mV",
      [&](std::int64_t i) {
        double most = kNoValue;
        for (std::size_t l = 0; l < found.leads.size(); ++l)
          if (const double mv = found.lead_tq_mv[l * count + i]; std::isfinite(mv) && !(mv <= most)) most = mv;
        return std::log(most + 0.002);
      });
  add("t_to_r_s", "s", "time from the T wave's end of the beat before to this R peak", [&](std::int64_t i) {
    return i > 0 ? rr_s[i] - found.fiducials[(i - 1) * waves::kFiducials + waves::kTOffset] * kMsAValue / 1000
                 : kNoValue;
  });
}

}  // namespace beatscan
