#include "kernels/features/wave_columns.h"

#include <vector>

#include "kernels/runtime/loaded.h"
#include "stages/classify/beat_table.h"
#include "stages/classify/columns.h"
#include "stages/waves/waves.h"

namespace beatscan {

ColumnTexts wave_texts() {
  return {
      {"p_evidence", "", "evidence of a P wave before the beat"},
      {"p_evidence_prev", "", "that of the beat before"},
      {"p_evidence_next", "", "that of the beat after"},
      {"p_evidence_mean1", "", "its mean over 1 beat on either side"},
      {"p_evidence_mean5", "", "its mean over 5 beats on either side"},
      {"p_evidence_change", "", "p_evidence minus its median over 8 beats on either side"},
      {"pr_ms", "ms", "PR interval where p_evidence is 0.4 or more"},
      {"pr_change_ms", "ms", "pr_ms minus its median over 8 beats on either side"},
      {"pr_deviation_ms", "ms", "absolute value of pr_change_ms"},
      {"pr_trend_ms", "ms", "pr_ms minus that of the beat before"},
      {"p_similarity", "", "correlation of the P wave with the dominant P wave"},
      {"non_conducted_p", "", "number of P waves without a QRS complex since the beat before"},
      {"non_conducted_p_mean", "", "its mean over 5 beats on either side"},
      {"qrs_ms", "ms", "QRS duration by onset and offset"},
      {"qrs_ms_ratio", "", "log of qrs_ms over its median over 16 beats on either side"},
      {"qrs_ms_ratio_max", "", "the same of each lead, the largest"},
      {"qt_ratio", "", "log of the QT interval over its median over 16 beats on either side"},
      {"has_t", "", "1 where a T wave was found"},
      {"tq_activity", "", "log of the largest root mean square of a lead between T wave and beat, mV"},
      {"t_to_r_s", "s", "time from the T wave's end of the beat before to this R peak"},
  };
}

template <class Context>
void add_wave_columns(Context& context, const TableBeats<Context>& beats, std::span<float> columns) {
  const BeatWaves& waves = beats.waves;
  if (waves.beats() != std::ssize(beats.r_peaks)) return features::columns_without_value(context, columns);
  std::vector<std::int64_t> before_wave;
  for (const NonConductedP& wave : waves.non_conducted) before_wave.push_back(wave.beat);
  const Loaded<float, Context> fiducials(context, waves.fiducials), lead_fiducials(context, waves.lead_fiducials),
      evidence(context, waves.p_evidence), similarity(context, waves.p_similarity), tq(context, waves.lead_tq_mv);
  const Loaded<std::int64_t, Context> non_conducted(context, before_wave);
  features::wave_columns(context,
                         {.leads = std::ssize(waves.leads),
                          .rr_s = beats.intervals.rr_s,
                          .fiducials = fiducials,
                          .lead_fiducials = lead_fiducials,
                          .evidence = evidence,
                          .similarity = similarity,
                          .lead_tq_mv = tq,
                          .before_wave = non_conducted},
                         columns);
}

#define BEATSCAN_WAVE_COLUMNS(Context) \
  template void add_wave_columns(Context&, const TableBeats<Context>&, std::span<float>);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_WAVE_COLUMNS)

}  // namespace beatscan
