#include "kernels/features/wave_columns.h"

#include <cmath>
#include <vector>

#include "kernels/features/columns.h"
#include "kernels/lists/running.h"
#include "kernels/runtime/each.h"
#include "kernels/runtime/error.h"
#include "kernels/waves/beat_waves.h"
#include "kernels/waves/window.h"

namespace beatscan::features {
namespace {

constexpr double kMsAValue = 1000 / waves::kValuesHz;
constexpr double kLikelyP = 0.4;

// Lists of K values. Their medians are taken over the values that exist. The widths of leads come last.
enum WaveList : int { kEvidenceList, kPrList, kQrsList, kQtList, kWidthLists };

// Returns the distance of two fiducials in ms; NaN where one is absent.
BEATSCAN_HOST_DEVICE inline double distance_ms(const float* fiducials, int from, int to) {
  return (fiducials[to] - fiducials[from]) * kMsAValue;
}

struct WaveView {
  std::int64_t leads, beats, waves;  // waves: P waves without a QRS complex
  const double* rr;
  const float *fiducials, *lead_fiducials, *evidence, *similarity, *tq_mv;
  const std::int64_t* before_wave;
  double *lists, *medians;                     // [kWidthLists + L][K]
  double *extra, *mean1, *mean5, *mean_extra;  // [K]

  BEATSCAN_HOST_DEVICE double value(int list, std::int64_t i) const { return lists[list * beats + i]; }
  BEATSCAN_HOST_DEVICE double median(int list, std::int64_t i) const { return medians[list * beats + i]; }
};

struct WriteWaveLists {
  WaveView of;

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const float* own = of.fiducials + i * waves::kFiducials;
    double* lists = of.lists + i;
    const double evidence = of.evidence[i];
    lists[kEvidenceList * of.beats] = evidence;
    lists[kPrList * of.beats] = evidence < kLikelyP ? NAN : distance_ms(own, waves::kPOnset, waves::kQrsOnset);
    lists[kQrsList * of.beats] = distance_ms(own, waves::kQrsOnset, waves::kQrsOffset);
    lists[kQtList * of.beats] = distance_ms(own, waves::kQrsOnset, waves::kTOffset);
    for (std::int64_t l = 0; l < of.leads; ++l)
      lists[(kWidthLists + l) * of.beats] =
          distance_ms(of.lead_fiducials + (l * of.beats + i) * waves::kFiducials, waves::kQrsOnset, waves::kQrsOffset);
    of.extra[i] = static_cast<double>(first_not_below(of.before_wave, of.waves, i) -
                                      first_not_below(of.before_wave, of.waves, i - 1));
  }
};

struct WriteWaves {
  WaveView of;
  ColumnsView out;

  // Returns the largest log ratio of a lead's QRS duration to its median; NaN without one.
  BEATSCAN_HOST_DEVICE double widest(std::int64_t i) const {
    double found = NAN;
    for (int l = 0; l < of.leads; ++l) {
      const double ratio = std::log(of.value(kWidthLists + l, i) / of.median(kWidthLists + l, i));
      if (std::isfinite(ratio) && !(ratio <= found)) found = ratio;
    }
    return found;
  }
  BEATSCAN_HOST_DEVICE double most_tq_mv(std::int64_t i) const {
    double found = NAN;
    for (std::int64_t l = 0; l < of.leads; ++l) {
      const double mv = of.tq_mv[l * of.beats + i];
      if (std::isfinite(mv) && !(mv <= found)) found = mv;
    }
    return found;
  }

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    const double* evidence = of.lists + kEvidenceList * of.beats;
    out.set(kEvidence, i, evidence[i]);
    out.set(kEvidencePrevious, i, neighbour_of(evidence, of.beats, i, -1));
    out.set(kEvidenceNext, i, neighbour_of(evidence, of.beats, i, 1));
    out.set(kEvidenceMean1, i, of.mean1[i]);
    out.set(kEvidenceMean5, i, of.mean5[i]);
    out.set(kEvidenceChange, i, evidence[i] - of.median(kEvidenceList, i));
    const double pr = of.value(kPrList, i), change = pr - of.median(kPrList, i);
    out.set(kPr, i, pr);
    out.set(kPrChange, i, change);
    out.set(kPrDeviation, i, std::abs(change));
    out.set(kPrTrend, i, i > 0 ? pr - of.value(kPrList, i - 1) : NAN);
    out.set(kPSimilarity, i, of.similarity[i]);
    out.set(kNonConductedP, i, of.extra[i]);
    out.set(kNonConductedPMean, i, of.mean_extra[i]);
    const double qrs = of.value(kQrsList, i), qt = of.value(kQtList, i);
    out.set(kQrsMs, i, qrs);
    out.set(kQrsMsRatio, i, std::log(qrs / of.median(kQrsList, i)));
    out.set(kQrsMsRatioMax, i, widest(i));
    out.set(kQtRatio, i, std::log(qt / of.median(kQtList, i)));
    out.set(kHasT, i, std::isfinite(qt) ? 1 : 0);
    out.set(kTqActivity, i, std::log(most_tq_mv(i) + 0.002));
    const float* before = of.fiducials + (i - 1) * waves::kFiducials;
    out.set(kTToR, i, i > 0 ? of.rr[i] - before[waves::kTOffset] * kMsAValue / 1000 : NAN);
  }
};

// Medians over 8 beats on either side of evidence and PR intervals, and over 16 of durations.
void write_medians(BackEnd& context, const WaveView& view) {
  const std::int64_t lists = kWidthLists + view.leads;
  const std::span<const double> all(view.lists, static_cast<std::size_t>(lists * view.beats));
  SelectedValues<BackEnd> known(context, lists * view.beats);
  select_values(context, all, {}, 0, known.values, known.before);
  std::vector<RunningQuantiles> medians;
  for (std::int64_t k = 0; k < lists; ++k)
    medians.push_back({.values = known.values,
                       .before = known.before.span().subspan(k * view.beats, view.beats + 1),
                       .reach = k <= kPrList ? 8 : 16,
                       .quantiles = {{0.5, {view.medians + k * view.beats, static_cast<std::size_t>(view.beats)}}}});
  running_quantiles(context, medians);
}

void write_means(BackEnd& context, const WaveView& view) {
  const auto count = static_cast<std::size_t>(view.beats);
  const std::span<const double> evidence(view.lists + kEvidenceList * view.beats, count), extra(view.extra, count);
  running_means(context, std::vector<RunningMeans>{{evidence, 1, {view.mean1, count}},
                                                   {evidence, 5, {view.mean5, count}},
                                                   {extra, 5, {view.mean_extra, count}}});
}

}  // namespace

void wave_columns(BackEnd& context, const WaveLists& lists, std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(lists.rr_s.size()), leads = lists.leads;
  const auto has = [](std::size_t size, std::int64_t expected) { return static_cast<std::int64_t>(size) == expected; };
  BEATSCAN_EXPECTS(has(lists.fiducials.size(), beats * waves::kFiducials) &&
                       has(lists.lead_fiducials.size(), leads * beats * waves::kFiducials) &&
                       has(lists.evidence.size(), beats) && has(lists.similarity.size(), beats) &&
                       has(lists.lead_tq_mv.size(), leads * beats),
                   "wave_columns: bad shape");
  const ColumnsView out = view_of(columns, kWaveColumns, beats);
  if (beats == 0) return;
  const std::int64_t kinds = kWidthLists + leads;
  Buffer<double, BackEnd> memory(context, (2 * kinds + 4) * beats);
  double *of_kinds = memory.data(), *others = of_kinds + 2 * kinds * beats;
  const WaveView view{.leads = leads,
                      .beats = beats,
                      .waves = static_cast<std::int64_t>(lists.before_wave.size()),
                      .rr = lists.rr_s.data(),
                      .fiducials = lists.fiducials.data(),
                      .lead_fiducials = lists.lead_fiducials.data(),
                      .evidence = lists.evidence.data(),
                      .similarity = lists.similarity.data(),
                      .tq_mv = lists.lead_tq_mv.data(),
                      .before_wave = lists.before_wave.data(),
                      .lists = of_kinds,
                      .medians = of_kinds + kinds * beats,
                      .extra = others,
                      .mean1 = others + beats,
                      .mean5 = others + 2 * beats,
                      .mean_extra = others + 3 * beats};
  each(context, beats, WriteWaveLists{view}, 2048);
  write_medians(context, view);
  write_means(context, view);
  each(context, beats, WriteWaves{view, out}, 2048);
}

void columns_without_value(BackEnd& context, std::span<float> columns) {
  each(
      context, static_cast<std::int64_t>(columns.size()),
      [columns = columns.data()] BEATSCAN_DEVICE(std::int64_t i) { columns[i] = NAN; }, 1 << 16);
}

namespace {

enum Quality : int { kGood, kNoisy, kLost, kQualities };

struct WriteQuality {
  const double* r_peaks;
  const float* probabilities;
  const std::int64_t* leads;
  std::int64_t lead_count, blocks;
  double block_samples;
  ColumnsView out;

  BEATSCAN_HOST_DEVICE double at(std::int64_t lead, std::int64_t block, int of) const {
    return probabilities[(lead * blocks + block) * kQualities + of];
  }
  // Writes the probabilities of a lead at a sample.
  BEATSCAN_HOST_DEVICE void write(std::int64_t lead, double sample, double* found) const {
    const double last = static_cast<double>(blocks) - 1;
    const double place = within(sample / block_samples - 0.5, 0.0, last);
    const auto block = static_cast<std::int64_t>(place), next = block + 1 < blocks ? block + 1 : blocks - 1;
    const double share = place - static_cast<double>(block);
    for (int of = 0; of < kQualities; ++of) found[of] = (1 - share) * at(lead, block, of) + share * at(lead, next, of);
  }

  BEATSCAN_HOST_DEVICE void operator()(std::int64_t i) const {
    double best[kQualities] = {NAN, NAN, NAN}, worst = NAN, own[kQualities];
    for (std::int64_t l = 0; l < lead_count; ++l) {
      write(leads[l], r_peaks[i], own);
      if (!(own[kGood] <= best[kGood]))
        for (int of = 0; of < kQualities; ++of) best[of] = own[of];
      if (!(own[kGood] >= worst)) worst = own[kGood];
    }
    out.set(kQualityGood, i, best[kGood]);
    out.set(kQualityGoodWorst, i, worst);
    out.set(kQualityNoise, i, best[kNoisy]);
    out.set(kQualityLost, i, best[kLost]);
  }
};

}  // namespace

void quality_columns(BackEnd& context, const QualityLists& lists, std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(lists.r_peaks.size());
  BEATSCAN_EXPECTS(lists.blocks > 0 && lists.block_samples > 0, "quality_columns: no blocks");
  each(context, beats,
       WriteQuality{lists.r_peaks.data(), lists.probabilities.data(), lists.leads.data(),
                    static_cast<std::int64_t>(lists.leads.size()), lists.blocks, lists.block_samples,
                    view_of(columns, kQualityColumns, beats)});
}

void signal_columns(BackEnd& context, const SignalLists& lists, std::span<float> columns) {
  const auto beats = static_cast<std::int64_t>(lists.row.size());
  BEATSCAN_EXPECTS((lists.atrial.empty() || lists.atrial.size() == lists.row.size()) &&
                       (lists.ventricular.empty() || lists.ventricular.size() == lists.row.size()),
                   "signal_columns: bad shape");
  const ColumnsView out = view_of(columns, kSignalColumns, beats);
  each(context, beats,
       [out, row = lists.row.data(), waveform = lists.waveform.data(), rhythm = lists.rhythm.data(),
        baseline = lists.baseline.data(), noise = lists.noise.data(),
        atrial = lists.atrial.empty() ? nullptr : lists.atrial.data(),
        ventricular = lists.ventricular.empty() ? nullptr : lists.ventricular.data(),
        height = lists.qrs_height] BEATSCAN_DEVICE(std::int64_t i) {
         const std::int32_t b = row[i];
         out.set(kWaveformScore, i, b < 0 ? NAN : waveform[b]);
         out.set(kRhythmScore, i, b < 0 ? NAN : rhythm[b]);
         out.set(kBaselineScore, i, b < 0 ? NAN : baseline[b]);
         out.set(kNoiseFactor, i, b < 0 ? NAN : noise[b]);
         out.set(kQrsHeightMv, i, height);
         out.set(kSpikeAtrial, i, atrial ? atrial[i] : 0);
         out.set(kSpikeVentricular, i, ventricular ? ventricular[i] : 0);
       });
}

}  // namespace beatscan::features
