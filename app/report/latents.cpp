// The latent plane, what the model decodes from it, and beats that it makes up.
#include <algorithm>
#include <cmath>

#include "app/report/density.h"
#include "app/report/html.h"
#include "app/report/page.h"
#include "app/report/small_multiples.h"

namespace beatscan {
namespace {

void add_plane(Page& page) {
  const StoredResult& result = page.result;
  const auto& beats = result.beats;
  std::vector<Point> normal, abnormal;
  for (std::int64_t i = 0; i < beats.size(); ++i)
    if (std::isfinite(beats.latent_x[i]) && std::isfinite(beats.latent_y[i]))
      (beats.anomalous[i] ? abnormal : normal).push_back({beats.latent_x[i], beats.latent_y[i]});
  // Far from what it was trained on the model answers with latents of any size: they are drawn at the edge.
  constexpr double kApart = 0.002;
  const Range x = range_of(beats.latent_x, kApart), y = range_of(beats.latent_y, kApart);
  ChartSize size = kHalf;
  size.height = 470;
  Chart chart(size, {x.from, x.to, "latent " + std::to_string(result.latents->x)},
              {y.from, y.to, "latent " + std::to_string(result.latents->y)},
              "Latent plane: density of the normal beats, and the abnormal ones on top");
  chart.raw(hexagons(chart, normal, 8)).dots("abnormal", thinned(chart, abnormal, 2.5), 4);
  page.figure({"plane", "Latent plane",
               chart.svg() + legend({{"density", "normal beats, darker: more"}, {"abnormal", "abnormal beat"}}),
               "The two latents with the largest variance, without units. What lies farther out is drawn at the edge.",
               "half pick"});
}

Json numbers(std::span<const float> row) {
  Json values = Json::array();
  for (const float value : row) values.push_back(std::isfinite(value) ? Json(value) : Json());
  return values;
}

void add_grid(Page& page) {
  const StoredResult& result = page.result;
  const auto& grid = result.arrays.grid;
  const Json& values = result.summary.at("report").at("grid_values");
  const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(grid.shape[0])));
  if (side < 2 || !values.is_array() || values.size() != 2 || std::ssize(values[0]) != side) return;
  std::vector<std::span<const float>> rows;  // upwards like the plane beside it
  for (std::int64_t y = side; y-- > 0;)
    for (std::int64_t x = 0; x < side; ++x) rows.push_back(grid.row(y * side + x));
  Columns table;
  for (std::int64_t i = 0; i < grid.shape[0]; ++i)
    table.emplace_back(
        significant(values[0][i % side].get<double>(), 4) + "/" + significant(values[1][i / side].get<double>(), 4),
        numbers(grid.row(i)));
  const auto span = [](const Json& of) {
    return fixed(of.front().get<double>(), 1) + " to " + fixed(of.back().get<double>(), 1);
  };
  page.figure(
      {"grid", "Decoded from a grid of latents",
       small_multiples(rows, static_cast<int>(side), 60, 50, "Beats decoded from a grid of the two latents"),
       "From left to right latent " + std::to_string(result.latents->x) + " is " + span(values[0]) +
           ", from below latent " + std::to_string(result.latents->y) + " is " + span(values[1]) + "; others are 0."},
      std::move(table));
}

void add_generated(Page& page) {
  const auto& generated = page.result.generated;
  if (generated.empty()) return;
  std::vector<std::span<const float>> rows;
  Columns table;
  for (std::size_t i = 0; i < generated.size(); ++i) {
    table.emplace_back("beat_" + std::to_string(i), numbers(generated[i]));
    rows.emplace_back(generated[i]);
  }
  page.figure({"generated", "Generated beats", small_multiples(rows, 13, 85, 66, "Beats decoded from random latents"),
               "Decoded from latents drawn at random from the normal distribution.", "wide"},
              std::move(table));
}

}  // namespace

void add_latents(Page& page) {
  page.open_section("latents", "What the model has learned");
  page.html += "<div class=\"figures\">\n";
  if (page.result.latents) {
    add_plane(page);
    add_grid(page);
  }
  add_generated(page);
  page.html += "</div>\n";
  page.close_section();
}

}  // namespace beatscan
