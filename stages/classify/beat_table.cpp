#include "stages/classify/beat_table.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/features/interval_columns.h"
#include "kernels/features/reference_intervals.h"
#include "kernels/features/shape_columns.h"
#include "kernels/features/wave_columns.h"
#include "kernels/runtime/error.h"
#include "kernels/runtime/loaded.h"
#include "stages/classify/accepted_intervals.h"
#include "stages/classify/columns.h"
#include "stages/classify/pacing.h"
#include "stages/io/recording/recording.h"
#include "stages/quality/quality_index.h"

namespace beatscan {

template <class Context>
std::int64_t FeatureTable<Context>::place_of(std::string_view name) const {
  return std::ranges::find(texts_, name, &ColumnText::name) - texts_.begin();
}

template <class Context>
std::span<const float> FeatureTable<Context>::column(std::string_view name) const {
  const std::int64_t place = place_of(name);
  if (place == std::ssize(texts_)) return {};
  return values_.span().subspan(place * beats_, beats_);
}

const FeatureColumn* BeatFeatures::column(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &FeatureColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

template <class Context>
BeatFeatures table_on_host(Context& context, const FeatureTable<Context>& table) {
  BeatFeatures found;
  for (const auto& [name, unit, text] : table.texts())
    found.columns.push_back({name, unit, text, to_host(context, table.column(name))});
  return found;
}

namespace {

// Groups of columns, and the place of the first one of each.
constexpr int kIntervals = 0, kReference = kIntervals + features::kRrColumns,
              kTemplates = kReference + features::kReferenceColumns, kWaves = kTemplates + features::kTemplateColumns,
              kSignal = kWaves + features::kWaveColumns, kQuality = kSignal + features::kSignalColumns,
              kShapes = kQuality + features::kQualityColumns, kColumns = kShapes + features::kShapeColumns;

ColumnTexts joined(const std::vector<ColumnTexts>& groups) {
  ColumnTexts all;
  for (const ColumnTexts& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

ColumnTexts interval_table_texts() { return joined({interval_texts(), fibrillation_texts()}); }

ColumnTexts table_texts() {
  auto texts = joined({interval_texts(), fibrillation_texts(), reference_texts(), template_texts(), wave_texts(),
                       signal_texts(), quality_texts(), shape_texts()});
  BEATSCAN_EXPECTS(std::ssize(texts) == kColumns, "beat table: not every column has a name");
  return texts;
}

std::vector<std::string> names_of(const ColumnTexts& texts) {
  std::vector<std::string> names;
  for (const ColumnText& column : texts) names.push_back(column.name);
  return names;
}

// Writes the columns that are made of RR intervals. Returns each RR interval over its local median.
template <class Context>
Buffer<double, Context> add_interval_columns(Context& context, std::span<const double> rr_s,
                                             FeatureTable<Context>& table) {
  Buffer<double, Context> median(context, table.beats()), ratio(context, table.beats());
  features::interval_columns(context, rr_s, fibrillation_odds(), {median, ratio},
                             table.columns(kIntervals, kReference));
  return ratio;
}

// Returns the logarithm of the largest jump of an impulse over the noise floor in any lead; 0 of none. Empty without an
// impulse.
std::vector<float> spikes_of(const std::vector<LeadImpulses>& leads, std::int64_t beats) {
  if (std::ranges::all_of(leads, [](const LeadImpulses& lead) { return lead.beats.empty(); })) return {};
  std::vector<double> found(beats);
  for (const LeadImpulses& lead : leads)
    for (std::size_t k = 0; k < lead.beats.size(); ++k) {
      double& most = found[lead.beats[k]];
      most = std::max(most, std::log1p(static_cast<double>(lead.impulses[k].over_rest)));
    }
  return {found.begin(), found.end()};
}

template <class Context>
void add_signal_columns(Context& context, const TableBeats<Context>& beats, const BeatRows<Context>& rows,
                        double height_mv, std::span<float> columns) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  const auto atrial = spikes_of(beats.impulses.early, count), ventricular = spikes_of(beats.impulses.late, count);
  const Loaded<float, Context> waveform(context, beats.waveform), rhythm(context, beats.rhythm),
      baseline(context, beats.baseline), noise(context, beats.noise), early(context, atrial),
      late(context, ventricular);
  features::signal_columns(context,
                           {.row = rows.row,
                            .waveform = waveform,
                            .rhythm = rhythm,
                            .baseline = baseline,
                            .noise = noise,
                            .atrial = early,
                            .ventricular = late,
                            .qrs_height = std::log(std::max(height_mv, 1e-3))},
                           columns);
}

template <class Context>
void add_quality_columns(Context& context, const TableBeats<Context>& beats, std::span<const double> r_peaks,
                         std::span<float> columns) {
  const QualityIndex& index = beats.quality;
  if (!index.exists()) return features::columns_without_value(context, columns);
  const Loaded<float, Context> probabilities(context, index.probabilities);
  const Loaded<std::int64_t, Context> leads(context, beats.leads);
  features::quality_columns(context, {r_peaks, probabilities, leads, index.blocks, index.block_samples}, columns);
}

}  // namespace

FeatureTable<Cpu> interval_table(Cpu& cpu, std::span<const double> rr_s) {
  FeatureTable<Cpu> table(cpu, std::ssize(rr_s), interval_table_texts());
  add_interval_columns(cpu, rr_s, table);
  return table;
}

template <class Context>
FeatureTable<Context> beat_table(Context& context, const Recording<Context>& recording,
                                 const TableBeats<Context>& beats) {
  const std::int64_t count = std::ssize(beats.r_peaks);
  BEATSCAN_EXPECTS(count > 0 && !beats.leads.empty() && beats.intervals.rr_s.size() == count &&
                       beats.template_of.size() == beats.kept.size() &&
                       beats.template_distance.size() == beats.kept.size(),
                   "beat_table: bad shape");
  FeatureTable<Context> table(context, count, table_texts());
  const std::span<const double> rr_s = beats.intervals.rr_s;
  const Loaded<double, Context> r_peaks(context, beats.r_peaks);
  const auto ratio = add_interval_columns(context, rr_s, table);
  features::reference_columns(context, rr_s, beats.intervals.accepted.lists(),
                              table.columns(kReference, features::kReferenceColumns));
  const BeatRows<Context> rows(context, beats);
  const auto shapes = table.columns(kShapes, features::kShapeColumns);
  const double height_mv = add_shape_columns<Context>(context, recording, beats, r_peaks, ratio, rows, shapes);
  features::template_columns(context, {rows.group, rows.row, beats.template_distance, ratio}, shapes,
                             table.columns(kTemplates, features::kTemplateColumns));
  add_wave_columns(context, beats, table.columns(kWaves, features::kWaveColumns));
  add_signal_columns(context, beats, rows, height_mv, table.columns(kSignal, features::kSignalColumns));
  add_quality_columns<Context>(context, beats, r_peaks, table.columns(kQuality, features::kQualityColumns));
  return table;
}

std::vector<std::string> beat_table_names() { return names_of(table_texts()); }
std::vector<std::string> interval_table_names() { return names_of(interval_table_texts()); }

ColumnTexts signal_texts() {
  return {
      {"waveform_score", "", "score of the shape, which allows for noise"},
      {"rhythm_score", "", "score of the intervals"},
      {"baseline_score", "", "score of the shape without allowance for noise, and of the intervals"},
      {"noise_factor", "", "shape score that noise gives a normal beat in the deciding lead, 1 in a clean lead"},
      {"qrs_height_mv", "", "log of the dominant QRS complex's height in mV, of the lead in which it is highest"},
      {"pacing_spike_atrial", "",
       "log(1 + amplitude over the noise floor) of a pacing spike 330 to 140 ms before R; 0 without"},
      {"pacing_spike_ventricular", "", "the same from 140 ms before to 15 ms after R"},
  };
}

ColumnTexts quality_texts() {
  return {
      {"quality_good", "", "probability of good signal around the beat, in the lead in which it is best"},
      {"quality_good_worst", "", "the same in the lead in which it is worst"},
      {"quality_noise", "", "probability of noise around the beat, in the lead of quality_good"},
      {"quality_lost", "", "probability that the signal is lost around the beat, in the lead of quality_good"},
  };
}

#define BEATSCAN_BEAT_TABLE(Context)                                           \
  template class FeatureTable<Context>;                                        \
  template BeatFeatures table_on_host(Context&, const FeatureTable<Context>&); \
  template FeatureTable<Context> beat_table(Context&, const Recording<Context>&, const TableBeats<Context>&);
BEATSCAN_FOR_EACH_CONTEXT(BEATSCAN_BEAT_TABLE)

}  // namespace beatscan
