// app/report/page.h — the report page as it grows: a section after the other, each a function of the result.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/chart.h"
#include "app/report/stored_result.h"

namespace beatscan {

// A figure's data as columns of numbers or texts, which the page offers as CSV.
using Columns = std::vector<std::pair<std::string, Json>>;

class Page {
 public:
  explicit Page(const StoredResult& result) : result(result) {}

  // `name`: in the navigation.
  void open_section(std::string_view id, std::string_view name, std::string_view title, std::string_view lead = "");
  void close_section();

  // Figures side by side: each of `columns` is a stack of its own.
  void stacks(const std::vector<std::vector<std::function<void()>>>& columns);

  struct Figure {
    std::string_view id, title;
    std::string body;       // HTML
    std::string note = "";  // HTML, below
    std::string_view css = "half";
    std::string_view also = "";  // another table that the script has, offered beside the figure's own
  };
  // `table`: the figure's data; none where the script has it (script/export.js), by the figure's id.
  void figure(const Figure& figure, Columns table = {});

  const StoredResult& result;
  std::string html;
  std::vector<std::pair<std::string, std::string>> sections;  // id, name
  Json tables = Json::object();
};

// The sections, in order.
void add_verdict(Page& page);
void add_recording(Page& page);
void add_gallery(Page& page);
void add_detection(Page& page);
void add_latents(Page& page);
void add_model(Page& page);
void add_hours(Page& page);
void add_truth(Page& page);  // nothing without an evaluation
void add_run(Page& page);

// What several sections show.
std::string html_table(std::string_view css, const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows);  // cells are HTML; numbers right by CSS
// Offers a table that the script has; `what`: of the figure, for a screen reader.
std::string csv_link(std::string_view table, const std::string& what, const char* text);
std::string legend(const std::vector<std::pair<std::string_view, std::string_view>>& entries);  // css class, text
Axis position_axis(const StoredResult& result);                                                 // all of the recording
Axis interval_axis(const StoredResult& result, double from, double to, std::string_view what);

}  // namespace beatscan
