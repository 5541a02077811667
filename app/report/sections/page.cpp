#include "app/report/sections/page.h"

#include <nlohmann/json.hpp>

#include "app/report/drawing/html.h"

namespace beatscan {

void Page::open_section(std::string_view id, std::string_view name, std::string_view title, std::string_view lead) {
  sections.emplace_back(id, name);
  const std::string anchor(id);
  html += "<section id=\"" + anchor + "\" aria-labelledby=\"" + anchor + "-title\">\n<h2 id=\"" + anchor + "-title\">" +
          escaped(title) + "</h2>\n";
  if (!lead.empty()) html += "<p class=\"lead\">" + std::string(lead) + "</p>\n";
}

void Page::close_section() { html += "</section>\n"; }

void Page::stacks(const std::vector<std::vector<std::function<void()>>>& columns) {
  html += "<div class=\"stacks\">\n";
  for (const auto& column : columns) {
    html += "<div class=\"stack\">\n";
    for (const auto& add : column) add();
    html += "</div>\n";
  }
  html += "</div>\n";
}

std::string csv_link(std::string_view table, const std::string& what, const char* text) {
  return "<a class=\"csv\" role=\"button\" tabindex=\"0\" data-table=\"" + std::string(table) + "\" aria-label=\"" +
         what + ": data as CSV\">" + text + "</a>";
}

void Page::figure(const Figure& figure, Columns table) {
  const std::string id(figure.id), title = escaped(figure.title);
  html += "<figure id=\"" + id + "\" class=\"" + std::string(figure.css) + "\" aria-labelledby=\"" + id +
          "-title\">\n<figcaption><span class=\"title\" id=\"" + id + "-title\">" + title +
          "</span><span class=\"tools\">" + (figure.also.empty() ? "" : csv_link(figure.also, title, "Signal as CSV")) +
          csv_link(figure.id, title, "CSV") + "</span></figcaption>\n<div class=\"body\">" + figure.body + "</div>\n";
  if (!figure.note.empty()) html += "<p class=\"note\">" + figure.note + "</p>\n";
  html += "</figure>\n";
  if (table.empty()) return;
  Json columns = Json::array(), data = Json::array();
  for (auto& [name, values] : table) {
    columns.push_back(name);
    data.push_back(std::move(values));
  }
  tables[id] = {{"columns", std::move(columns)}, {"data", std::move(data)}};
}

std::string html_table(std::string_view css, const std::vector<std::string>& head,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string html = "<div class=\"scroll\"><table class=\"" + std::string(css) + "\">";
  if (!head.empty()) {
    html += "<thead><tr>";
    for (const auto& cell : head) html += "<th scope=\"col\">" + cell + "</th>";
    html += "</tr></thead>";
  }
  html += "<tbody>\n";
  for (const auto& row : rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      html += i == 0 ? "<th scope=\"row\">" + row[i] + "</th>" : "<td>" + row[i] + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string tiles_html(const std::vector<Tile>& tiles) {
  std::string html = "<dl class=\"tiles\">\n";
  for (const Tile& tile : tiles)
    html += "<div class=\"tile " + tile.css + "\"><dt>" + tile.name + "</dt><dd class=\"value\">" + tile.value +
            "</dd><dd class=\"detail\">" + tile.detail + "</dd></div>\n";
  return html + "</dl>\n";
}

std::string legend(const std::vector<std::pair<std::string_view, std::string_view>>& entries) {
  std::string html = "<ul class=\"legend\">";
  for (const auto& [css, text] : entries)
    html += "<li><span class=\"key " + std::string(css) + "\"></span>" + std::string(text) + "</li>";
  return html + "</ul>";
}

std::string shortened(const std::string& name) {
  constexpr std::size_t kMost = 12;
  if (name.size() <= kMost) return name;
  std::size_t end = kMost - 1;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // between two letters of UTF-8
  return name.substr(0, end) + "…";
}

Axis position_axis(const StoredResult& result) {
  if (!result.rate_hz) return {0, result.length(), "sample"};
  return {0, result.length(), result.length() >= 3600 ? "time, h:min" : "time, min:s", Axis::Kind::time};
}

Axis interval_axis(const StoredResult& result, double from, double to, std::string_view what) {
  return {from, to, std::string(what) + (result.rate_hz ? ", s" : ", samples")};
}

}  // namespace beatscan
