// app/output/report_overview.h — the part of the report that does not depend on scores: the envelope of each lead, the
// normal beat, and the beats that the model decodes from a grid of latents.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

class VaeModel;
struct GapList;
struct ReportData;
struct RowScores;
template <class Context>
struct EmbeddedBeats;
template <class Context>
struct Recording;

struct ModelFacts;

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
