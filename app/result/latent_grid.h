// app/result/latent_grid.h — lays the grid of latents that the report shows decoded beats of.
#pragma once

#include <cstdint>
#include <vector>

namespace beatscan {

struct ReportData;
struct RunResult;

inline constexpr int kGridSide = 9;

// Fills the report's grid, except for what is decoded; returns the grid's latents [y][x][Z].
std::vector<float> lay_grid(const RunResult& result, std::int64_t latents, ReportData& report);

}  // namespace beatscan
