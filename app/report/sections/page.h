// app/report/sections/page.h — the report page, made section by section. Each section is a function that appends to a
// Page.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/drawing/chart.h"
#include "app/report/stored/stored_result.h"

namespace beatscan {

// The columns of a figure's data, by name. The page offers them as CSV.
using Columns = std::vector<std::pair<std::string, Json>>;

class Page {
 public:
  explicit Page(const StoredResult& result) : result(result) {}

  // `name` is the section's name in the navigation; `lead` is HTML below the title.
  void open_section(std::string_view id, std::string_view name, std::string_view title, std::string_view lead = "");
  void close_section();

  // Places figures side by side. Each of `columns` is a stack of figures, one below the other.
  void stacks(const std::vector<std::vector<std::function<void()>>>& columns);

  struct Figure {
    std::string_view id, title;
    std::string body;       // HTML
    std::string note = "";  // HTML, below the body
    std::string_view css = "half";
    std::string_view also = "";  // id of a second table, which the script has, to be offered too
  };
  // `table` is the figure's data. It is empty where the script makes the table of this id (script/export.js).
  void figure(const Figure& figure, Columns table = {});

  const StoredResult& result;
  std::string html;
  std::vector<std::pair<std::string, std::string>> sections;  // id, name
  Json tables = Json::object();
};

// These add the sections, in the page's order.
void add_verdict(Page& page);
void add_recording(Page& page);
void add_episodes(Page& page);   // adds nothing where the rhythm was not judged
void add_intervals(Page& page);  // adds nothing where waves were not delineated
void add_shapes(Page& page);     // adds nothing where beats have no kinds
void add_gallery(Page& page);
void add_detection(Page& page);
void add_latents(Page& page);
void add_model(Page& page);
void add_hours(Page& page);
void add_truth(Page& page);  // adds nothing without an evaluation
void add_run(Page& page);

// These make HTML that several sections use.
//
// Returns a table. Cells are HTML; CSS aligns numbers to the right.
std::string html_table(std::string_view css, const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows);
// A number of note, its name and what else there is to say of it, in HTML.
struct Tile {
  std::string value, name, detail, css = "";
};
std::string tiles_html(const std::vector<Tile>& tiles);
// Returns a link that saves a table as CSV. `what` names the figure for a screen reader.
std::string csv_link(std::string_view table, const std::string& what, const char* text);
std::string legend(const std::vector<std::pair<std::string_view, std::string_view>>& entries);  // CSS class, text
// Returns the first letters of a lead's name that is too long for its place beside a chart.
std::string shortened(const std::string& name);
// Returns the axis of time (samples where the rate is unknown) over the whole recording.
Axis position_axis(const StoredResult& result);
Axis interval_axis(const StoredResult& result, double from, double to, std::string_view what);

}  // namespace beatscan
