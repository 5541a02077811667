// app/result/latent_grid.h — lays the grid of latents that the report shows decoded beats of.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

struct ModelFacts;
struct ReportData;
struct RowScores;

inline constexpr int kGridSide = 9;

// Fills the report's grid, except for what is decoded; returns the grid's latents [y][x][Z].
//   rows  errors and latents by the model
std::vector<float> lay_grid(const ModelFacts& model, const RowScores& rows, std::int64_t latents, ReportData& report);

}  // namespace beatscan
