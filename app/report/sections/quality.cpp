#include "app/report/sections/quality.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/report/drawing/chart.h"
#include "app/report/drawing/html.h"
#include "app/report/sections/page.h"
#include "app/result/result_facts.h"
#include "app/text/json.h"
#include "app/text/numbers.h"

namespace beatscan {
namespace {

// Adds the stretches of poor signal of the one lead, with a row for each kind.
void add_kinds(Page& page) {
  const StoredResult& result = page.result;
  ChartSize size{540, 190, 66};
  size.top = 12;
  Chart chart(size, position_axis(result), {0, 4, "", Axis::Kind::none}, "Stretches of poor signal over the recording");
  Json from = Json::array(), to = from, kind = from;
  std::string names;
  for (int i = 0; i < 4; ++i)
    names += "<text class=\"row-name\" x=\"60\" y=\"" + fixed(chart.y(3.5 - i) + 4, 1) + "\">" +
             name_of(kPoorKinds[i]) + "</text>";
  for (const auto& stretch : result.poor) {
    const auto row = std::ranges::find(kPoorKinds, stretch.quality) - kPoorKinds.begin();
    // A bar is at least a pixel wide, so that it is seen.
    const double least = result.length() / (chart.right() - chart.left());
    chart.bar("poor-block", stretch.from, std::max(stretch.to, stretch.from + least), 3.15 - static_cast<double>(row),
              3.85 - static_cast<double>(row),
              clock_time(stretch.from) + " to " + clock_time(stretch.to) + ": " + name_of(stretch.quality));
    from.push_back(stretch.from), to.push_back(stretch.to), kind.push_back(name_of(stretch.quality));
  }
  std::string svg = chart.svg();
  svg.insert(svg.rfind("</svg>"), names);
  page.figure({"quality", "Stretches of poor signal", svg}, {{"from_s", from}, {"to_s", to}, {"quality", kind}});
}

// A row of the figure of several leads: the recording as any lead shows it, or one lead.
struct LeadRow {
  std::string name;
  const std::vector<PoorStretch>& poor;
  double analysable;
  bool used;
};

std::vector<LeadRow> lead_rows(const StoredResult& result) {
  const Json& quality = result.summary.at("quality");
  std::vector<LeadRow> rows{{"any lead", result.poor, quality.at("analysable_share").get<double>(), true}};
  for (const auto& lead : result.leads)
    rows.push_back({lead.name, lead.poor, lead.analysable.value_or(std::nan("")), lead.used});
  return rows;
}

std::string lead_chart(const StoredResult& result, const std::vector<LeadRow>& rows) {
  const auto count = static_cast<double>(rows.size());
  ChartSize size{540, 54 + 22 * count, 88};
  size.top = 12;
  Chart chart(size, position_axis(result), {0, count, "", Axis::Kind::none},
              "Stretches of poor signal in each lead over the recording; the first row is what no lead shows well");
  const double least = result.length() / (chart.right() - chart.left());  // a bar is at least a pixel wide
  std::string names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double top = count - static_cast<double>(i);
    names += "<text class=\"row-name\" x=\"82\" y=\"" + fixed(chart.y(top - 0.5) + 4, 1) + "\">" +
             escaped(shortened(rows[i].name)) + "</text>";
    for (const auto& stretch : rows[i].poor)
      chart.bar(std::string("quality-") + name_of(stretch.quality), stretch.from,
                std::max(stretch.to, stretch.from + least), top - 0.85, top - 0.15,
                rows[i].name + ", " + clock_time(stretch.from) + " to " + clock_time(stretch.to) + ": " +
                    name_of(stretch.quality));
  }
  std::string svg = chart.svg();
  svg.insert(svg.rfind("</svg>"), names);
  std::vector<std::string> css;
  for (const Quality kind : kPoorKinds) css.push_back(std::string("quality-") + name_of(kind));
  std::vector<std::pair<std::string_view, std::string_view>> entries;
  for (std::size_t i = 0; i < css.size(); ++i) entries.emplace_back(css[i], name_of(kPoorKinds[i]));
  return svg + legend(entries);
}

std::string share_table(const StoredResult& result, const std::vector<LeadRow>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const auto& row : rows) {
    cells.push_back({escaped(row.name), std::isfinite(row.analysable) ? percent(row.analysable) : "–"});
    for (const Quality kind : kPoorKinds) {
      double length = 0;
      for (const auto& stretch : row.poor) length += stretch.quality == kind ? stretch.to - stretch.from : 0;
      cells.back().push_back(length > 0 ? percent(std::min(length / result.length(), 1.0)) : "");
    }
    cells.back().push_back(row.used ? "" : "left out");
  }
  std::vector<std::string> names = {"lead", "analysable"};
  for (const Quality kind : kPoorKinds) names.emplace_back(name_of(kind));
  names.emplace_back();
  return html_table("numbers", names, cells);
}

// Adds the stretches of poor signal of several leads.
void add_leads(Page& page) {
  const StoredResult& result = page.result;
  const auto rows = lead_rows(result);
  Json lead = Json::array(), from = lead, to = lead, kind = lead;
  for (const auto& row : rows)
    for (const auto& stretch : row.poor)
      lead.push_back(row.name), from.push_back(stretch.from), to.push_back(stretch.to),
          kind.push_back(name_of(stretch.quality));
  const bool left_out = std::ranges::any_of(rows, [](const LeadRow& row) { return !row.used; });
  page.figure({"quality", "Signal quality by lead", lead_chart(result, rows) + share_table(result, rows),
               std::string("Signal counts as good where it is good in any lead: the first row shows what is poor in "
                           "all of them, with the best of their kinds.") +
                   (left_out ? " Of a lead that is left out, no beats were compared." : "")},
              {{"lead", lead}, {"from_s", from}, {"to_s", to}, {"quality", kind}});
}

}  // namespace

void add_quality(Page& page) {
  const StoredResult& result = page.result;
  if (!result.summary.at("quality").is_object()) return;
  if (std::ranges::all_of(result.leads, [](const StoredLead& lead) { return lead.poor.empty(); }))
    page.html += result.several_leads() ? "<p class=\"note\">All of the signal is good, in every lead.</p>\n"
                                        : "<p class=\"note\">All of the signal is good.</p>\n";
  else
    result.several_leads() ? add_leads(page) : add_kinds(page);
}

}  // namespace beatscan
