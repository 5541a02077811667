// app/output/latent_grid.h — the grid of latents whose decoded beats the report shows.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

struct ModelFacts;
struct ReportData;
struct RowScores;

inline constexpr int kGridSide = 9;

// Fills the report's grid except for the decoded beats; returns the grid's latents [y][x][Z].
//   rows  errors and latents by the model
std::vector<float> lay_grid(const ModelFacts& model, const RowScores& rows, std::int64_t latents, ReportData& report);

}  // namespace beatscan
