// app/output/report_overview.h — the part of the report that does not depend on scores: the envelope of each lead, the
// normal beat, and the beats that the model decodes from a grid of latents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/runtime/buffer.h"
#include "kernels/signal/parts.h"
#include "stages/common/rows.h"
#include "stages/quality/lead_silence.h"

namespace beatscan {

class VaeModel;
struct ModelFacts;
struct ReportData;
struct RowScores;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;

// Cuts pieces of `length` samples, each starting at one of `firsts`: [pieces][length]; NaN outside of the signal.
template <class Context>
std::vector<float> cut_to_host(Context& context, std::span<const float> values, const std::vector<std::int64_t>& firsts,
                               std::int64_t length) {
  Buffer<float, Context> strips(context, std::ssize(firsts) * length);
  cut_strips(context, values, from_host(context, firsts), strips);
  return to_host(context, strips);
}

// Copies rows to the host, [rows][D].
template <class Context>
std::vector<float> rows_at(Context& context, const Rows<Context>& rows, std::vector<std::int64_t> indices) {
  for (std::int64_t& index : indices) index *= rows.points;
  return cut_to_host(context, rows.values, indices, rows.points);
}

// Restores the gaps of a lead in its drawings. The analysis bridges them by straight lines, which must not be mistaken
// for a signal.

// Returns the gaps of each lead to draw, [L]: those that are too long to be bridged silently.
template <class Context>
std::vector<GapList> drawn_gaps(Context&, const Recording<Context>& recording, double bridge_s,
                                std::optional<double> rate_hz);

// Sets the bins of an envelope, [E][values_of_bin()], to NaN that lie completely in a gap. The signal has `samples`.
void show_gaps_in_bins(const GapList& gaps, std::int64_t bin_samples, std::int64_t samples, std::span<float> bins);

// Sets the samples of a strip that lie in a gap to NaN. The strip begins at the sample `first`.
void show_gaps_in_strip(const GapList& gaps, std::int64_t first, std::span<float> strip);

inline constexpr int kGridSide = 9;

// Fills a report's envelopes and reference.
//   gaps  those that are drawn, of each lead
template <class Context>
void draw_overview(Context&, const Recording<Context>& recording, const EmbeddedBeats<Context>& embedded,
                   const std::vector<GapList>& gaps, ReportData& report);

// Fills a report's grid by an existing model.
//   rows  errors and latents by the model
template <class Context>
void draw_grid(Context&, const EmbeddedBeats<Context>& embedded, const VaeModel& model, const ModelFacts& facts,
               const RowScores& rows, std::int64_t latents, ReportData& report);

}  // namespace beatscan
