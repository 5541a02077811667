// The section on the model's latents: where the beats lie, what the model decodes from them, and beats that it makes
// up.
#include <algorithm>
#include <cmath>

#include "app/report/drawing/density.h"
#include "app/report/drawing/html.h"
#include "app/report/drawing/ranges.h"
#include "app/report/drawing/small_multiples.h"
#include "app/report/sections/page.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

// Tells which lead the latents in beats.csv are of; empty with one lead.
std::string plane_lead_note(const StoredResult& result) {
  if (!result.several_leads()) return "";
  return " A beat is placed by its row in lead " + escaped(result.leads[result.reference_leads[0]].name) +
         "; one without signal there is left out.";
}

// Tells in which lead's unit and on which lead's median beat a decoded beat is drawn; empty with one lead.
std::string drawn_lead_note(const StoredResult& result) {
  if (!result.several_leads()) return "";
  return ". The beats are drawn as those of lead " + escaped(result.leads[result.reference_leads[0]].name);
}

void add_plane(Page& page) {
  const StoredResult& result = page.result;
  const auto& beats = result.beats;
  std::vector<Point> normal, abnormal;
  for (std::int64_t i = 0; i < beats.size(); ++i)
    if (std::isfinite(beats.latent_x[i]) && std::isfinite(beats.latent_y[i]))
      (beats.anomalous[i] ? abnormal : normal).push_back({beats.latent_x[i], beats.latent_y[i]});
  const auto axis = [&](const std::vector<float>& values, const std::vector<float>& usual, int latent) {
    const Range all = range_of(values, 5e-4), middle = range_of(usual, 0.01);
    Axis axis{all.from, all.to, "latent " + std::to_string(latent)};
    // Far from its training beats the model may answer with latents of any size. Then the axis is logarithmic there.
    const double spread = std::max(std::abs(middle.from), std::abs(middle.to));
    if (all.to - all.from > 6 * (middle.to - middle.from)) axis.kind = Axis::Kind::symlog, axis.linear = spread;
    return axis;
  };
  std::vector<float> usual_x, usual_y;
  for (const Point& point : normal) usual_x.push_back(point.x), usual_y.push_back(point.y);
  const Axis x = axis(beats.latent_x, usual_x, result.latents->x), y = axis(beats.latent_y, usual_y, result.latents->y);
  ChartSize size = kHalf;
  size.height = 470;
  Chart chart(size, x, y, "Latent plane: density of the normal beats, and the abnormal ones on top");
  chart.raw(hexagons(chart, normal, 7)).dots("abnormal", thinned(chart, abnormal, 2.5), 4);
  page.figure({"plane", "Latent plane",
               chart.svg() + legend({{"density", "normal beats; a stronger colour means more of them"},
                                     {"abnormal", "abnormal beat"}}),
               "The axes are the two latents with the largest variance; they have no unit." + plane_lead_note(result) +
                   (x.kind == Axis::Kind::symlog || y.kind == Axis::Kind::symlog
                        ? " Far from the centre an axis is logarithmic, because the model may put beats unlike its "
                          "training beats "
                          "anywhere."
                        : ""),
               "half pick"});
}

void add_grid(Page& page) {
  const StoredResult& result = page.result;
  const auto& grid = result.arrays.grid;
  const Json& values = result.summary.at("report").at("grid_values");
  if (!values.is_array() || values.size() != 2) return;
  const auto width = std::ssize(values[0]), height = std::ssize(values[1]);  // a model with one latent has height 1
  if (width == 0 || width * height != grid.shape[0]) return;
  std::vector<std::span<const float>> rows;  // the top row first: latent y grows upwards, as in the plane beside it
  for (std::int64_t y = height; y-- > 0;)
    for (std::int64_t x = 0; x < width; ++x) rows.push_back(grid.row(y * width + x));
  const auto span = [](const Json& of) {
    return signed_text(fixed(of.front().get<double>(), 1)) + " to " + signed_text(fixed(of.back().get<double>(), 1));
  };
  const Json& latents = result.summary.at("report").at("grid_latents");
  std::string note = "Latent " + latents[0].dump() + " goes from " + span(values[0]) + " (left to right)";
  if (result.latents)
    note += ", latent " + latents[1].dump() + " from " + span(values[1]) + " (bottom to top); any other latent is 0";
  note += drawn_lead_note(result);
  page.figure({"grid", "Decoded from a grid of latents",
               small_multiples(rows, static_cast<int>(width), result.latents ? 60 : 120, result.latents ? 50 : 100,
                               "Beats decoded from a grid of latents"),
               note + "."});
}

void add_generated(Page& page) {
  const auto& generated = page.result.generated;
  if (generated.empty()) return;
  std::vector<std::span<const float>> rows;
  for (const auto& row : generated) rows.emplace_back(row);
  page.figure({"generated", "Generated beats", small_multiples(rows, 13, 85, 66, "Beats decoded from random latents"),
               "The model decoded these beats from latents drawn at random from the normal distribution" +
                   drawn_lead_note(page.result) + ".",
               "wide"});
}

}  // namespace

void add_latents(Page& page) {
  if (!page.result.why_no_model().empty()) return;  // the section on scores says why
  page.open_section(
      "latents", "Latents", "What the model has learned",
      "The model, a variational autoencoder, describes each beat by a few numbers, its latents. From these "
      "it decodes the beat again.");
  if (page.result.latents) page.stacks({{[&] { add_plane(page); }}, {[&] { add_grid(page); }}});
  if (!page.result.latents) add_grid(page);
  add_generated(page);
  page.close_section();
}

}  // namespace beatscan
